import type { AssistantBlock, RequestMessage, UserBlock } from "@palimpsest/core";
import { asFields } from "@palimpsest/core/engine";
import { requestTexts } from "../../replay/measures/shown-texts.js";

/** What a model can know that is given these messages, and nothing else. */
export interface SeenInPrompt {
  /** The line that the person wants every file to begin with. */
  readonly keptLine: string | undefined;
  /** The line that the skill wants modules to end with. */
  readonly reviewedLine: string | undefined;
  readonly ledger: string | undefined;
  /** The agent in the background. */
  readonly agentId: string | undefined;
  /** Whether one of the last calls failed. */
  readonly hasFailed: boolean;
  /** Results of some length that were not cleared. */
  readonly results: number;
  /** The whole text of a file that stands in the messages: of the newest read, or as it was restored. */
  readonly fileText: (path: string) => string | undefined;
}

/** Placeholders for cleared results are shorter. */
const SHORT = 500;

const KEPT = /every file you create begins with the line `(\/\/ kept: [^`\n]+)`/;
const REVIEWED = /ends with the line `(export const reviewed = "[^"`\n]+";)`/;
const LEDGER = /fixtures\/ledger-[0-9a-f]{6}\.json/;
const AGENT = /\bagent-[0-9a-f]{8}\b/;

/** Looks through what is there; paths of files are relative to `work`. */
export function seeInPrompt(messages: readonly RequestMessage[], work: string): SeenInPrompt {
  const all = messages.flatMap(requestTexts);
  // What files and commands say is no instruction of the person's.
  const words: string[] = [];
  const files = new Map<string, string>();
  const paths = new Map<string, string>();
  let results = 0;
  for (const { content } of messages) {
    for (const block of typeof content === "string" ? [] : content) {
      if (block.type === "tool_use" && block.name === "Read") {
        const path = asFields(block.input)["file_path"];
        if (typeof path === "string") paths.set(block.id, path);
      } else if (block.type === "tool_result") {
        const path = paths.get(block.tool_use_id);
        const text = typeof block.content === "string" ? block.content : undefined;
        if (text !== undefined && text.length > SHORT) results += 1;
        if (path !== undefined && text !== undefined && /^\s*1\t/.test(text)) files.set(path, text);
        // Cleared since: what an older read shows does not count either.
        else if (path !== undefined && text?.startsWith("[Old tool result") === true) files.delete(path);
      } else if (block.type === "text") {
        words.push(block.text);
        for (const { path, text, isWhole } of restoredFiles(block.text)) {
          if (isWhole && path.startsWith(`${work}/`)) files.set(path.slice(work.length + 1), text);
        }
      }
    }
  }
  return {
    keptLine: firstMatch(words, KEPT, 1),
    reviewedLine: firstMatch(all, REVIEWED, 1),
    ledger: firstMatch(all, LEDGER, 0),
    agentId: firstMatch(all, AGENT, 0),
    hasFailed: lastBlocks(messages).some((block) => block.type === "tool_result" && block.is_error === true),
    results,
    fileText: (path) => files.get(path),
  };
}

function lastBlocks(messages: readonly RequestMessage[]): readonly (UserBlock | AssistantBlock)[] {
  const content = messages.at(-1)?.content ?? [];
  return typeof content === "string" ? [] : content;
}

function firstMatch(texts: readonly string[], pattern: RegExp, group: number): string | undefined {
  for (const text of texts) {
    const found = pattern.exec(text)?.[group];
    if (found !== undefined) return found;
  }
  return undefined;
}

export interface RestoredFile {
  readonly path: string;
  /** With a number before each line. */
  readonly text: string;
  readonly isWhole: boolean;
}

const WHOLE = /The file ([^\n]+?), read again from disk:\n(`{3,})\n([^]*?)\n\2(?:\n|$)/g;
const IN_PARTS =
  /The file ([^\n]+?), read again from disk, in parts((?:\nlines \d+ to \d+:\n(`{3,})\n[^]*?\n\3(?=\n|$))+)/g;
const PART = /lines (\d+) to \d+:\n(`{3,})\n([^]*?)\n\2(?:\n|$)/g;

/** The files in a text that a compaction has brought back. */
export function restoredFiles(text: string): readonly RestoredFile[] {
  if (!text.includes("read again from disk")) return [];
  return [
    ...[...text.matchAll(WHOLE)].map(([, path = "", , shown = ""]) => ({ path, text: shown, isWhole: true })),
    ...[...text.matchAll(IN_PARTS)].map(([, path = "", parts = ""]) => ({
      path,
      text: [...parts.matchAll(PART)]
        .map(([, first, , shown = ""]) => numbered(shown, Number(first)))
        .join("\n"),
      isWhole: false,
    })),
  ];
}

const numbered = (text: string, first: number): string =>
  text
    .split("\n")
    .map((line, at) => `${first + at}\t${line}`)
    .join("\n");
