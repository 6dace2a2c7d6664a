import { createUserMessage } from "@palimpsest/core";
import { defaultShell } from "../../../agent/shell/default-shell.js";
import { runShell } from "../../../agent/shell/run-shell.js";
import { shellEnvironment } from "../../../agent/shell/shell-environment.js";
import { createShellGroups } from "../../../agent/shell/shell-groups.js";
import type { TalkHandle } from "../talk/talk-handle.js";

const MOST_CHARACTERS = 30_000;
const GRACE_MS = 2000;

/** Runs a command that the person typed. What it prints is shown, and the model is told of it with the next prompt. */
export async function runTyped(command: string, talk: TalkHandle, signal: AbortSignal): Promise<void> {
  if (command === "") return;
  talk.surface.dispatch({ kind: "turn-began", at: talk.parts.now() });
  let text = "";
  let isCut = false;
  const decoder = new TextDecoder();
  const ending = await runShell({
    shell: defaultShell(),
    command,
    cwd: talk.parts.cwd,
    env: shellEnvironment(talk.parts.env),
    signal,
    killGraceMs: GRACE_MS,
    onOutput(chunk) {
      if (text.length < MOST_CHARACTERS) text += decoder.decode(chunk, { stream: true });
      isCut ||= text.length >= MOST_CHARACTERS;
    },
    groups: createShellGroups(),
  });
  const { agent, conversation } = talk.session;
  const shown = (agent.hide ?? ((words: string) => words))(text.slice(0, MOST_CHARACTERS));
  const how =
    ending.kind === "exited"
      ? ending.code === 0
        ? ""
        : `It ended with ${ending.code}.`
      : `It was ${ending.kind}.`;
  talk.surface.dispatch({ kind: "turn-ended", text: how, tone: "warn" });
  if (shown.trim() !== "") talk.output(`${shown.trimEnd()}${isCut ? "\n…" : ""}`);
  const content = `<bash-input>${command}</bash-input>\n<bash-stdout>${shown}</bash-stdout>`;
  await conversation.append(createUserMessage(conversation.origin(), { content, isMeta: true }));
}
