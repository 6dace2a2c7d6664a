import { isHumanMessage, type Message } from "@palimpsest/core";
import { plural } from "../../terminal.js";
import { saidText } from "../talk/said-text.js";
import type { TalkHandle } from "../talk/talk-handle.js";

/** Goes back to a message that the person picks. */
export async function rewindInScreen(talk: TalkHandle, signal: AbortSignal): Promise<void> {
  const { surface, session } = talk;
  const live = session.conversation.live;
  const said = live.filter(isHumanMessage);
  if (said.length === 0) return talk.notice("There is nothing to go back to yet.");
  const items = said.toReversed().map((message) => ({ value: message.uuid, label: saidText(message) }));
  const uuid = await surface.pick({ title: "go back to before which message?", items });
  const message = said.find((one) => one.uuid === uuid);
  if (message === undefined) return;
  const at = Date.parse(message.timestamp) - 1;
  const files = await talk.copies.since(at);
  const chosen = await surface.ask({
    about: ({ theme }) => [theme.bold("What is to be done?")],
    choices: [
      { value: "conversation", label: "go back, the conversation alone" },
      ...(files.length === 0
        ? []
        : [
            {
              value: "both",
              label: "go back, with the files",
              description: `${plural(files.length, "file")} that the agent has written since`,
            },
            { value: "files", label: "put the files back, the conversation stays" },
          ]),
      { value: "from", label: "summarise from here on" },
      { value: "up-to", label: "summarise up to here" },
      { value: "branch", label: "go on from there in a new conversation" },
    ],
  });
  const what = chosen?.values[0];
  if (what === undefined) return;
  if (what === "from" || what === "up-to") {
    await talk.say(`/compact ${what} ${message.uuid}`, signal);
    return;
  }
  if (what === "both" || what === "files") await restoreFiles(talk, at);
  if (what === "files") return;
  await goBack(talk, { message, isBranch: what === "branch" });
}

async function restoreFiles(talk: TalkHandle, at: number): Promise<void> {
  const { restored, failed, kept } = await talk.copies.restore(at);
  if (restored.length > 0)
    talk.notice(`As before: ${restored.join(", ")}. What they held is kept in ${kept}.`, "good");
  if (failed.length > 0) talk.notice(`Could not be put back: ${failed.join(", ")}.`, "bad");
}

/** The message itself comes back where the person types. */
async function goBack(
  talk: TalkHandle,
  { message, isBranch }: { readonly message: Message; readonly isBranch: boolean },
): Promise<void> {
  const { session, surface } = talk;
  const before = messageBefore(session.conversation.live, message);
  if (before === undefined) {
    await talk.switchTo({}, "clear");
    surface.setText(saidText(message));
    return;
  }
  if (isBranch) {
    await session.conversation.flush();
    await talk.switchTo({ resume: session.id, branch: true, at: before.uuid }, "resume");
    surface.setText(saidText(message));
    return;
  }
  const outcome = await session.conversation.rewind(before.uuid);
  if (outcome.kind === "failed") return talk.notice(outcome.message, "bad");
  talk.notice("The conversation goes on from there; what came after stays in the transcript.", "good");
  surface.setText(saidText(message));
}

/** The one that a request would end with. */
function messageBefore(live: readonly Message[], message: Message): Message | undefined {
  const at = live.indexOf(message);
  return live.slice(0, at).findLast(({ type }) => type === "assistant" || type === "user");
}
