import { openInBrowser } from "../../open-in-browser.js";
import type { TalkHandle } from "../talk/talk-handle.js";

/** Shows the conversation in the inspector, for as long as the agent runs. Asked again it says the same address. */
export async function inspectInScreen(talk: TalkHandle): Promise<void> {
  const { inspector, env } = talk.parts;
  try {
    const url = await inspector.addressFor(talk);
    // On a line of its own, so that no terminal breaks it.
    talk.output(`In the inspector, until the agent ends:\n${url}`);
    openInBrowser(url, env);
  } catch (error) {
    talk.notice(
      `The inspector could not be started: ${error instanceof Error ? error.message : String(error)}`,
      "bad",
    );
  }
}
