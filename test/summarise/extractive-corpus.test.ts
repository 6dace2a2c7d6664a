import { readdirSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import {
  createCompactableTools,
  isCompactBoundary,
  isHumanMessage,
  type CompactBoundary,
  type Estimator,
  type Message,
} from "@palimpsest/core";
import { asFields, conversationWindows, createDefaultEstimator } from "@palimpsest/core/engine";
import { writeDigest } from "../../packages/core/src/engine/summarise/write/extractive/digest.js";
import { writeExtractive } from "../../packages/core/src/engine/summarise/write/extractive/write-extractive.js";
import { humanTextsOf } from "../../packages/core/src/engine/summarise/people/human-texts.js";
import { verifySummary } from "../../packages/core/src/engine/summarise/verify/verify.js";
import { readRecording } from "../../packages/palimpsest/src/replay/readers/read-recording.js";
import { corpusFolder } from "../../packages/palimpsest/src/replay/testing/corpus-folder.js";

const corpus = corpusFolder;
const reason =
  corpus === undefined ? " (not run: PALIMPSEST_CORPUS names no folder of recorded conversations)" : "";
const BUDGET = 10_000;
const tools = createCompactableTools();

/** The files that calls of a window edit or write, read from their inputs independently of the writer. */
function editedFiles(window: readonly Message[]): readonly string[] {
  const paths = new Set<string>();
  for (const message of window) {
    if (message.type !== "assistant") continue;
    for (const block of message.message.content) {
      if (block.type !== "tool_use") continue;
      const kind = tools.kindOf(block.name);
      if (kind !== "file-edit" && kind !== "file-write") continue;
      const { file_path: filePath, path = filePath, input } = asFields(block.input);
      if (typeof path === "string") paths.add(path);
      for (const [, patched] of (typeof input === "string" ? input : "").matchAll(
        /^\*\*\* (?:Update|Add|Delete) File: (.*)$/gm,
      )) {
        if (patched !== undefined) paths.add(patched);
      }
    }
  }
  return [...paths];
}

const flat = (text: string): string => text.replaceAll(/\s+/g, " ").trim();

/** What a person typed in it; without what wraps a slash command. */
function typed(message: Message): string {
  if (!isHumanMessage(message)) return "";
  const { content } = message.message;
  const texts =
    typeof content === "string"
      ? [content]
      : content.map((block) => (block.type === "text" ? block.text : ""));
  // What a program says before the person's words is not part of them.
  const said = texts.map((text) => text.replace(/^\s*(?:<system-reminder>[^]*?<\/system-reminder>\s*)+/, ""));
  return said.find((text) => text.trim() !== "" && !text.includes("<command-name>")) ?? "";
}

/** Whether a list names a file: in full, or as a name after its directory. */
function names(list: string, path: string): boolean {
  if (list.includes(path)) return true;
  const cut = Math.max(path.lastIndexOf("/"), path.lastIndexOf("\\")) + 1;
  return list
    .split("\n")
    .some((line) => line.includes(`${path.slice(0, cut)}: `) && line.includes(path.slice(cut)));
}

interface Checked {
  readonly tokens: number;
  readonly text: string;
}

function check(live: readonly Message[], estimator: Estimator): Checked {
  const humanTexts = humanTextsOf(live);
  const options = {
    estimator,
    variant: "full" as const,
    humanTexts,
    transcriptPath: "/transcripts/it.jsonl",
  };
  const { text, sections } = writeExtractive(live, { ...options, budgetTokens: BUDGET });
  const files = sections[2] ?? "";
  const messages = sections[5] ?? "";
  expect(estimator.block(text) - estimator.block(messages)).toBeLessThanOrEqual(BUDGET);
  expect(estimator.block(messages)).toBeLessThanOrEqual(30_000);
  expect(editedFiles(live).filter((path) => !names(files, path))).toEqual([]);
  const quoted = flat(messages);
  for (const message of live) {
    const said = typed(message).toWellFormed();
    if (estimator.block(said) <= 2000) expect(quoted).toContain(flat(said));
    else for (const end of [said.slice(0, 1500), said.slice(-800)]) expect(quoted).toContain(flat(end));
  }
  const verified = verifySummary({ ...options, summary: text, live });
  expect(verified.mended).toEqual({ sectionsAdded: [], messagesAdded: 0, pathsUnknown: [] });
  expect(estimator.block(writeDigest(live, { estimator }) ?? "")).toBeLessThanOrEqual(2000);
  return { tokens: estimator.block(text), text };
}

/** The window as it would be had the compaction before it been ours. */
function afterOurs(
  window: readonly Message[],
  before: readonly Message[],
  summary: string,
): readonly Message[] {
  return window.map((message): Message => {
    if (isCompactBoundary(message)) {
      const compactMetadata = { trigger: "auto", preTokens: 0, humanMessages: humanTextsOf(before) } as const;
      const boundary: CompactBoundary = { ...message, compactMetadata };
      return boundary;
    }
    if (message.type !== "user" || message.isCompactSummary !== true) return message;
    return { ...message, message: { role: "user", content: `Summary:\n${summary}\n\nGo on with the work.` } };
  });
}

describe.skipIf(corpus === undefined)(`extractive summaries of recorded conversations${reason}`, () => {
  const folder = corpus ?? "";
  const files =
    corpus === undefined ? ["no recording"] : readdirSync(folder).filter((name) => name.endsWith(".jsonl"));

  it.each(files)("%s: within budget, every edited file named, every message quoted", async (name) => {
    const { messages } = await readRecording(join(folder, name));
    for (const live of conversationWindows(messages)) {
      const { tokens } = check(live, createDefaultEstimator({ model: "claude-opus-4-6" }));
      console.log(`${name}: ${live.length} messages, ${tokens} tokens`);
    }
  });

  it.each(files)("%s: a chain of them forgets no edited file and no message", async (name) => {
    const { messages } = await readRecording(join(folder, name));
    const estimator = createDefaultEstimator({ model: "claude-opus-4-6" });
    const windows = conversationWindows(messages);
    let previous: { readonly live: readonly Message[]; readonly text: string } | undefined;
    const edited = new Set<string>();
    for (const window of windows) {
      const live = previous === undefined ? window : afterOurs(window, previous.live, previous.text);
      const { text } = check(live, estimator);
      for (const path of editedFiles(window)) edited.add(path);
      const hasSummary = live.some((message) => message.type === "user" && message.isCompactSummary === true);
      if (previous !== undefined && hasSummary) {
        expect([...edited].filter((path) => !names(text, path))).toEqual([]);
        expect(humanTextsOf(live).length).toBeGreaterThanOrEqual(humanTextsOf(previous.live).length);
      }
      previous = { live, text };
    }
  });
});
