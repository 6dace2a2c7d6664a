import type { PlayerPrompt } from "../player.js";
import { isContinuation } from "./continuation.js";
import { cutText } from "../cut-text.js";
import { blocksOf, isReminder, resultText, textOf } from "./prompt-text.js";

/** What a hasty reader takes away from a conversation. */
export interface Material {
  readonly firstRequest: string;
  /** What people said, in order. */
  readonly userMessages: readonly string[];
  /** File names, in the order of their first mention. */
  readonly files: readonly string[];
  /** Calls as short lines, in order. */
  readonly actions: readonly string[];
  /** First lines of failed results, in order. */
  readonly errors: readonly string[];
  /** What the assistant said, in order. */
  readonly remarks: readonly string[];
  /** The last summary among the messages. */
  readonly earlier: string;
  /** The last tool_use id: it names the place where the conversation stood. */
  readonly lastCallId?: string;
}

const fileName =
  /(?<![\w@.~/-])\/?(?:[\w@.~-]+\/)+[\w@.-]+\.[a-z][a-z0-9]{0,7}\b|(?<![\w-])[\w-]+\.(?:ts|tsx|js|mjs|py|rs|go|java|c|h|cpp|md|json|toml|yaml|yml|sh|css|html|sql)\b/g;

const FILES_KEPT = 60;
const SCANNED = 20_000;

/**
 * Reads messages; where the last one is an instruction, only the transcript within it, if there is one. Bounded:
 * long texts are only skimmed.
 */
export function readMaterial(
  messages: PlayerPrompt["messages"],
  { lastIsInstruction }: { readonly lastIsInstruction: boolean },
): Material {
  const instruction = lastIsInstruction ? messages.at(-1) : undefined;
  const userMessages: string[] = [];
  const actions: string[] = [];
  const errors: string[] = [];
  const remarks: string[] = [];
  const files = new Set<string>();
  let earlier = "";
  let lastCallId: string | undefined;
  const skim = (text: string): void => {
    if (files.size >= FILES_KEPT) return;
    for (const [name] of cutText(text, SCANNED).matchAll(fileName))
      if (files.size < FILES_KEPT) files.add(name);
  };

  for (const message of messages) {
    for (const block of blocksOf(message)) {
      const text = textOf(block);
      if (text !== undefined && (isReminder(text) || text.trim() === "")) continue;
      if (text !== undefined && message.role === "user") {
        if (message === instruction) {
          const transcript = readTranscript(text);
          userMessages.push(...transcript.userMessages);
          actions.push(...transcript.actions);
          remarks.push(...transcript.remarks);
          earlier = transcript.earlier || earlier;
          for (const part of transcript.parts) skim(part);
        } else if (isContinuation(text)) earlier = text;
        else userMessages.push(oneLine(text));
        skim(text);
      } else if (text !== undefined) {
        remarks.push(oneLine(text));
        skim(text);
      } else if (block.type === "tool_use") {
        const input = JSON.stringify(block["input"] ?? {});
        actions.push(cutText(`${String(block["name"])} ${oneLine(input)}`, 160));
        if (typeof block["id"] === "string") lastCallId = block["id"];
        skim(input);
      } else if (block.type === "tool_result") {
        const result = resultText(block);
        if (block["is_error"] === true) errors.push(cutText(oneLine(result), 160));
        skim(result);
      }
    }
  }
  return {
    firstRequest: userMessages[0] ?? "",
    userMessages,
    files: [...files],
    actions,
    errors,
    remarks,
    earlier: cutText(oneLine(earlier.replaceAll(/<\/?[a-z_-]+>/g, " ")), 600),
    ...(lastCallId === undefined ? {} : { lastCallId }),
  };
}

const oneLine = (text: string): string => text.replaceAll(/\s+/g, " ").trim();

interface Transcript {
  readonly userMessages: readonly string[];
  readonly actions: readonly string[];
  readonly remarks: readonly string[];
  readonly earlier: string;
  /** Everything that somebody said, one by one. */
  readonly parts: readonly string[];
}

/** Some agents hand the conversation over as text: who speaks stands before what was said. */
const SPEAKER = /^[ \t]*(?:\[([a-z][a-z ]{0,30})\]|(user|human|assistant)):[ \t]*/gim;

function readTranscript(text: string): Transcript {
  const earlier = /<previous-summary>([^]*?)<\/previous-summary>/.exec(text)?.[1]?.trim() ?? "";
  const starts = [...text.matchAll(SPEAKER)];
  const parts = starts.map((start, at) => ({
    who: (start[1] ?? start[2] ?? "").toLowerCase(),
    said: text.slice(start.index + start[0].length, starts[at + 1]?.index ?? text.indexOf("</conversation>")),
  }));
  const by = (...names: readonly string[]): readonly string[] =>
    parts.flatMap(({ who, said }) => (names.includes(who) ? [cutText(oneLine(said), SCANNED)] : []));
  return {
    userMessages: by("user", "human"),
    actions: by("assistant tool calls").map((calls) => cutText(calls, 160)),
    remarks: by("assistant"),
    earlier,
    parts: parts.map(({ said }) => said),
  };
}
