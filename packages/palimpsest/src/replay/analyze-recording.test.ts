import type { Accounting, Share } from "@palimpsest/core";
import { describe, expect, it } from "vitest";
import { analysisTotal } from "./analysis-total.js";
import { analyzeRecording, type RecordingAnalysis } from "./analyze-recording.js";
import { parseRecording } from "./readers/read-recording.js";
import { recordedCalls } from "./recorded-calls.js";
import { madeUpExport } from "./testing/made-up-opencode.js";

const parse = (text: string) => parseRecording(new TextEncoder().encode(text));
const analyze = (...lines: readonly object[]): RecordingAnalysis =>
  analyzeRecording(parse(lines.map((line) => JSON.stringify(line)).join("\n")));

const sharesSum = (shares: Readonly<Record<string, Share>>): number =>
  Object.values(shares).reduce((sum, { tokens }) => sum + tokens, 0);
const partsSum = (accounting: Accounting): number =>
  accounting.human +
  accounting.assistant +
  sharesSum(accounting.toolRequests) +
  sharesSum(accounting.toolResults) +
  accounting.localCommandOutput +
  sharesSum(accounting.attachments) +
  accounting.other;

let minute = 0;
const line = (uuid: string, parentUuid: string | null, more: object): object => ({
  uuid,
  parentUuid,
  sessionId: "s",
  timestamp: new Date(Date.UTC(2026, 10, 15, 10, (minute += 1))).toISOString(),
  ...more,
});
const user = (uuid: string, parent: string | null, content: unknown, more: object = {}) =>
  line(uuid, parent, { type: "user", message: { role: "user", content }, ...more });
const answer = (uuid: string, parent: string, content: unknown, more: object = {}) =>
  line(uuid, parent, {
    type: "assistant",
    message: {
      id: `m-${uuid}`,
      role: "assistant",
      model: "claude-opus-5",
      content,
      stop_reason: "tool_use",
      ...more,
    },
  });
const usage = (tokens: number) => ({
  usage: {
    input_tokens: 1,
    cache_read_input_tokens: tokens - 1,
    cache_creation_input_tokens: 0,
    output_tokens: 40,
  },
});

const HEAD = 20_000;
const RESULT = 15_000;
const file = (at: number): string => `line of file ${at} with a few words\n`.repeat(1500);

/** Ten files of 15,000 tokens are read; eight of them are cleared before the last answer. */
const cleared = (metadata: object): readonly object[] => {
  const reads = Array.from({ length: 10 }, (_, at) => [
    answer(
      `a${at}`,
      at === 0 ? "u" : `r${at - 1}`,
      [{ type: "tool_use", id: `t${at}`, name: "Read", input: { file_path: `/f${at % 9}` } }],
      usage(HEAD + 20 + at * (RESULT + 40)),
    ),
    user(`r${at}`, `a${at}`, [{ type: "tool_result", tool_use_id: `t${at}`, content: file(at) }]),
  ]).flat();
  const boundary = { type: "system", subtype: "microcompact_boundary", microcompactMetadata: metadata };
  return [user("u", null, "Read all of them."), ...reads, line("mc", "r9", boundary)];
};
const ids = Array.from({ length: 8 }, (_, at) => `t${at}`);
const ours = (variant: string) => ({
  variant,
  trigger: "auto",
  toolUseIds: ids,
  tokensBefore: 150_000,
  tokensAfter: 31_000,
});

describe("after a clearing", () => {
  it.each([
    ["on this side", ours("size-based")],
    ["inside the provider's cache", ours("cached")],
    [
      "in Claude Code's words",
      { compactedToolIds: ids, preTokens: 150_000, tokensSaved: 119_000, trigger: "auto" },
    ],
  ])("%s the breakdown sums to what is in the context, and holds what is left", (_, metadata) => {
    const before = analyze(...cleared(metadata));
    expect(partsSum(before.accounting)).toBe(before.size.tokens);
    expect(before.size.tokens).toBeGreaterThan(HEAD + 2 * RESULT * 0.9);
    expect(before.size.tokens).toBeLessThan(HEAD + 3 * RESULT);
    const actual = HEAD + 2 * RESULT + 700;
    const after = analyze(
      ...cleared(metadata),
      answer("a", "mc", [{ type: "text", text: "All read." }], { ...usage(actual), stop_reason: "end_turn" }),
    );
    expect(after.size.tokens).toBe(actual + 40);
    expect(after.accounting.total).toBe(after.size.tokens);
    expect(partsSum(after.accounting)).toBe(after.size.tokens);
    expect(after.accounting.attachments["system-and-tools"]?.tokens).toBeGreaterThan(HEAD * 0.95);
    expect(after.accounting.attachments["system-and-tools"]?.tokens).toBeLessThan(HEAD * 1.05);
    expect(after.accounting.toolResults["Read"]?.tokens).toBeGreaterThan(2 * RESULT * 0.9);
    expect(after.accounting.toolResults["Read"]?.tokens).toBeLessThan(2 * RESULT * 1.1);
    expect(after.clearings).toMatchObject([{ results: 8, freedTokens: 119_000 }]);
    // The second reading of the first file is there; the first one is gone, and wastes nothing.
    expect(after.duplicateReads).toMatchObject([{ path: "/f0", count: 2 }]);
  });

  it("of OpenCode's", () => {
    const { accounting, size, clearings } = analyzeRecording(parse(JSON.stringify(madeUpExport())));
    expect(partsSum(accounting)).toBe(size.tokens);
    expect(clearings).toHaveLength(1);
    expect(accounting.toolResults["read"]?.count).toBe(8);
  });
});

describe("after a compaction", () => {
  const compacted = [
    ...cleared(ours("size-based")),
    line("b", null, {
      type: "system",
      subtype: "compact_boundary",
      logicalParentUuid: "mc",
      compactMetadata: { trigger: "auto", preTokens: 175_000 },
    }),
    user("s", "b", "What was done. ".repeat(100), { isCompactSummary: true }),
  ];

  it("that nobody has answered yet, system prompt and tools are what they were", () => {
    const { size, accounting, compactions } = analyze(...compacted);
    expect(size.tokens).toBeGreaterThan(HEAD);
    expect(size.tokens).toBeLessThan(HEAD + 1000);
    expect(partsSum(accounting)).toBe(size.tokens);
    expect(compactions).toMatchObject([{ preTokens: 175_000, postTokens: null }]);
  });

  it("the first request after it is the conversation's own, not a subagent's", () => {
    const aside = answer("x", "s", [{ type: "text", text: "aside" }], usage(43_000));
    const { compactions } = analyze(
      ...compacted,
      { ...aside, isSidechain: true },
      answer("y", "s", [{ type: "text", text: "on" }], usage(16_500)),
    );
    expect(compactions).toMatchObject([{ preTokens: 175_000, postTokens: 16_500 }]);
  });
});

describe("what a recording cannot tell", () => {
  const unknown = (text: string): readonly string[] =>
    analyzeRecording(parse(text)).unknown.map(({ what }) => what);
  const said = [
    { role: "user", content: "hi" },
    { role: "assistant", content: "ho" },
  ];

  it("is said of a list, and less where it holds more", () => {
    expect(unknown(JSON.stringify(said))).toEqual(["usage", "head", "times"]);
    const tools = [
      { name: "Read", description: "Reads a file. ".repeat(50), input_schema: { type: "object" } },
    ];
    const body = JSON.stringify({ model: "claude-opus-5", system: "Be brief.", tools, messages: said });
    expect(unknown(body)).toEqual(["usage", "times"]);
    const { accounting, size } = analyzeRecording(parse(body));
    expect(partsSum(accounting)).toBe(size.tokens);
    expect(accounting.attachments["system-and-tools"]?.tokens).toBeGreaterThan(100);
  });

  it("is said of an export of OpenCode", () => {
    const { unknown: told } = analyzeRecording(parse(JSON.stringify(madeUpExport())));
    expect(told.map(({ what }) => what)).toEqual(["head", "prices", "cache-writes", "thinking"]);
    for (const { text } of told) expect(text).toMatch(/^[A-Z0-9].*\.$/);
  });

  it("is said of compactions, placeholders and subagents", () => {
    const task = [{ type: "tool_use", id: "k", name: "Task", input: {} }];
    const boundary = { type: "system", subtype: "compact_boundary", compactMetadata: {} };
    const { unknown: told } = analyze(
      user("u", null, "go"),
      answer("a", "u", task, { ...usage(30_000), stop_reason: undefined }),
      line("b", null, { ...boundary, logicalParentUuid: "a" }),
      user("s", "b", "So far.", { isCompactSummary: true }),
    );
    expect(told.map(({ what }) => what)).toEqual([
      "head",
      "summaries",
      "subagents",
      "cache-writes",
      "output",
    ]);
  });
});

it("a summary that no model was asked for has no unknown cost", () => {
  const after = (writer: string): readonly string[] =>
    analyze(
      user("u", null, "go"),
      answer("a", "u", "gone", usage(30_000)),
      line("b", null, {
        type: "system",
        subtype: "compact_boundary",
        logicalParentUuid: "a",
        compactMetadata: { writer },
      }),
      user("s", "b", "So far.", { isCompactSummary: true }),
    ).unknown.map(({ what }) => what);
  expect(after("extractive")).not.toContain("summaries");
  expect(after("notes")).not.toContain("summaries");
  expect(after("fork")).toContain("summaries");
});

it("several files come to the sum of them, each thing with its file", () => {
  const texts = [JSON.stringify(madeUpExport()), JSON.stringify(madeUpExport())];
  const files = texts.map((text, at) => {
    const recording = parse(text);
    return {
      file: `${at}.json`,
      analysis: analyzeRecording(recording),
      calls: recordedCalls(recording.messages),
    };
  });
  const total = analysisTotal(files, 1);
  const [first] = files;
  expect(total).toMatchObject({ files: 3, failed: 1 });
  expect(total.accounting.total).toBe(2 * (first?.analysis.size.tokens ?? 0));
  expect(partsSum(total.accounting)).toBe(total.accounting.total);
  expect(total.cost.responses).toBe(2 * (first?.analysis.cost.responses ?? 0));
  expect(total.clearings.map(({ file: name }) => name)).toEqual(["0.json", "1.json"]);
});
