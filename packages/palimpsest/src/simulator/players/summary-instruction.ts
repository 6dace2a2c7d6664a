import type { PlayerPrompt } from "../player.js";
import { opensAsContinuation } from "./continuation.js";
import { cutText } from "../cut-text.js";
import { blocksOf, isReminder, systemText, textOf } from "./prompt-text.js";
import { callableTools } from "./tool-kinds.js";

/** What a request says about itself: the instruction in its last message, and what stands around it. */
export interface Instruction {
  /** The words of the last user message, without reminders, old summaries and pasted transcripts. */
  readonly text: string;
  /** The same as it came. */
  readonly raw: string;
  /** The head of the system prompt. */
  readonly system: string;
  /** Whether there is something to summarise: messages before, or a transcript within. */
  readonly hasHistory: boolean;
  readonly hasTools: boolean;
}

/** Elements in which agents hand over what is to be summarised. */
const dataElements = [
  "system-reminder",
  "conversation",
  "messages",
  "transcript",
  "chat_history",
  "history",
  "previous-summary",
  "previous_summary",
  "current_notes_content",
  "current-notes",
  "current_notes",
  "notes",
];

const transcriptLine =
  /^[ \t]*(?:\[(?:user|human|assistant|tool)[^\]\n]{0,20}\]|user|human|assistant|ai):/gim;

/** Undefined where the last message is not the words of a user: then nobody asks for anything new. */
export function instructionOf(prompt: PlayerPrompt): Instruction | undefined {
  const last = prompt.messages.at(-1);
  if (last?.role !== "user") return undefined;
  const blocks = blocksOf(last);
  const afterResults = blocks.slice(blocks.findLastIndex((block) => block.type === "tool_result") + 1);
  const texts = afterResults.flatMap((block) => textOf(block) ?? []).filter((text) => !isReminder(text));
  const raw = texts.filter((text) => !opensAsContinuation(text)).join("\n");
  if (raw.trim() === "") return undefined;
  const text = withoutData(raw);
  const transcript = raw.length - text.length > 60 || (raw.match(transcriptLine)?.length ?? 0) >= 3;
  return {
    text,
    raw,
    system: cutText(systemText(prompt.request), 4000),
    hasHistory: prompt.messages.length >= 3 || transcript,
    hasTools: callableTools(prompt.request).length > 0,
  };
}

function withoutData(text: string): string {
  let rest = text;
  for (const name of dataElements) {
    if (rest.includes(`</${name}>`))
      rest = rest.replace(new RegExp(`<${name}\\b[^>]*>[\\s\\S]*</${name}>`), "\n");
  }
  return rest;
}

/** The text without code and quotations: what it says itself. */
export function ownWords(text: string): string {
  return text
    .replaceAll(/```[\s\S]*?(?:```|$)/g, "\n")
    .replaceAll(/`[^`\n]*`/g, " ")
    .replaceAll(/^[ \t]*>.*$/gm, "")
    .replaceAll(/"[^"\n]{12,400}"|“[^”\n]{12,400}”|(?<=\s)'[^'\n]{12,400}'(?=[\s.,;:?!])/g, " ");
}
