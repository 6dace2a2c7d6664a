import type { Message } from "@palimpsest/core";
import { isFields } from "../readers/recording.js";

/** A text that begins with one of these is a program's from beginning to end. */
const OUTPUT = [
  "<local-command-stdout",
  "<local-command-stderr",
  "<command-name",
  "<bash-input",
  "<bash-stdout",
  "<bash-stderr",
  "<task-notification",
  "Caveat: The messages below were generated",
];

/** Elements that programs set before what a person typed, in the same text. */
const REMINDERS = ["system-reminder", "context-reminder", "user-prompt-submit-hook", "local-command-caveat"];

const INTERRUPTION = "[Request interrupted by user";

/**
 * The texts that a person typed with a message, a slash command in its parts; none where a program wrote it. The
 * definition that the engine has of a human message is not asked: what it passes over would be missed by nobody.
 */
export function typedWords(message: Message): readonly string[] {
  if (message.isMeta === true) return [];
  if (message.type === "user")
    return message.isCompactSummary === true ? [] : wordsIn(message.message?.content);
  if (message.type !== "attachment" || !isFields(message.attachment)) return [];
  const { type, prompt, commandMode, isMeta } = message.attachment;
  if (type !== "queued_command" || isMeta === true) return [];
  return commandMode === undefined || commandMode === "prompt" ? wordsIn(prompt) : [];
}

function wordsIn(content: unknown): readonly string[] {
  if (typeof content === "string") return enteredTexts(withoutReminders(content));
  if (!Array.isArray(content)) return [];
  return content.flatMap((block: unknown) =>
    isFields(block) && block["type"] === "text" && typeof block["text"] === "string"
      ? enteredTexts(withoutReminders(block["text"]))
      : [],
  );
}

/** What is left when a program's part at the beginning is taken away. */
function withoutReminders(text: string): string {
  const rest = text.trim();
  if (OUTPUT.some((start) => rest.startsWith(start))) return "";
  if (rest.startsWith(INTERRUPTION)) {
    const end = rest.indexOf("]");
    return end < 0 ? "" : withoutReminders(rest.slice(end + 1));
  }
  const tag = REMINDERS.find((name) => rest.startsWith(`<${name}`));
  if (tag === undefined) return rest;
  const pieces = rest.split(`</${tag}>`);
  // An element within the element has to be closed first.
  let open = 0;
  for (const [place, piece] of pieces.slice(0, -1).entries()) {
    open += piece.split(`<${tag}`).length - 2;
    if (open <= 0) return withoutReminders(pieces.slice(place + 1).join(`</${tag}>`));
  }
  return "";
}

const COMMAND =
  /^\s*<command-message>[^<]*<\/command-message>\s*<command-name>([^<]*)<\/command-name>(?:\s*<command-args>([^]*?)<\/command-args>)?/;

/** A slash command is its name and what was typed after it: a program wrapped them. Other texts are themselves. */
function enteredTexts(text: string): readonly string[] {
  const [wrapper, name = "", entered = ""] = COMMAND.exec(text) ?? [];
  const parts = wrapper === undefined ? [text] : [name, entered, text.slice(wrapper.length)];
  return parts.map((part) => part.trim()).filter((part) => part !== "");
}
