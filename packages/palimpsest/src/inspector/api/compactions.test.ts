import { createUserMessage } from "@palimpsest/core";
import { createCompactBoundary } from "@palimpsest/core/engine";
import { appendFileSync, copyFileSync, readFileSync, writeFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { expect, it } from "vitest";
import type { CompactionView, ConversationOverview, NeededLater } from "../contract.js";
import type { OpenConversation } from "./conversations.js";
import { createNeededOnce } from "./needed-once.js";
import { createInspectorJobs } from "../jobs/inspector-jobs.js";
import { fileIn, inspectorOf, scriptedFile } from "../testing/asked-inspector.js";

it("a compaction of ours tells who wrote its summary and what was mended in it", async () => {
  const path = scriptedFile(false);
  const origin = (uuid: string, parentUuid: string | null) => ({
    clock: { now: () => Date.UTC(2026, 10, 15, 11) },
    ids: { next: () => uuid },
    sessionId: "scripted",
    parentUuid,
  });
  const usage = { input_tokens: 900, output_tokens: 80 };
  const boundary = createCompactBoundary(origin("boundary", "assistant-4"), {
    trigger: "auto",
    preTokens: 6000,
    summaryCalls: [{ model: "claude-opus-4-5", usage, source: "compact" }],
    writer: "fork",
    mended: { sectionsAdded: ["Goal", "State"], messagesAdded: 1, pathsUnknown: [], "<img>": 3 },
  });
  const summary = createUserMessage(origin("summary", "boundary"), { content: "The parser stops now." });
  const lines = [boundary, { ...summary, isCompactSummary: true }];
  appendFileSync(path, lines.map((line) => `${JSON.stringify(line)}\n`).join(""));
  const { get, only } = inspectorOf([path]);
  const base = await only();
  const { compactions } = await get<ConversationOverview>(base);
  const view = await get<CompactionView>(`${base}/compactions/${compactions[0]?.id}`);
  expect(view).toMatchObject({
    writer: "fork (claude-opus-4-5)",
    findings: ["2 sections were missing and were added", "1 message of a person was missing and was added"],
    summary: "The parser stops now.",
  });
});

it("an earlier summary is summarised again, not dropped; what is cut in a line is marked", async () => {
  const path = fileIn("twice.jsonl");
  const said = (uuid: string, parentUuid: string | null, content: string, more: object = {}): object => ({
    type: "user",
    uuid,
    parentUuid,
    sessionId: "s",
    timestamp: "2026-11-18T10:00:00.000Z",
    message: { role: "user", content },
    ...more,
  });
  const boundary = (uuid: string): object => ({
    ...said(uuid, null, ""),
    type: "system",
    subtype: "compact_boundary",
    content: "compacted",
    compactMetadata: { trigger: "auto", preTokens: 9000 },
  });
  const answered = (uuid: string, parentUuid: string): object => ({
    ...said(uuid, parentUuid, ""),
    type: "assistant",
    message: {
      id: uuid,
      role: "assistant",
      model: "claude-opus-5",
      content: [{ type: "thinking", thinking: "What is there to do?", signature: "x" }],
      usage: { input_tokens: 900, output_tokens: 5 },
    },
  });
  const lines = [
    said("u1", null, "Mend it."),
    answered("a1", "u1"),
    boundary("b1"),
    said("s1", "b1", "The first summary.", { isCompactSummary: true }),
    said("u2", "s1", `Go on. ${"And on. ".repeat(50)}`),
    answered("a2", "u2"),
    boundary("b2"),
    said("s2", "b2", "The second summary.", { isCompactSummary: true }),
    answered("a3", "s2"),
  ];
  writeFileSync(path, lines.map((line) => `${JSON.stringify(line)}\n`).join(""));
  const { get, only } = inspectorOf([path]);
  const base = await only();
  const { compactions } = await get<ConversationOverview>(base);
  const { before, after } = await get<CompactionView>(`${base}/compactions/${compactions[1]?.id}`);
  expect(before).toMatchObject([
    { preview: "The first summary.", fate: "summarised" },
    { preview: expect.stringMatching(/^Go on\. .*…$/) as string, fate: "summarised" },
    { preview: "thinking: What is there to do?", fate: "summarised" },
  ]);
  expect(after).toMatchObject([{ preview: "The second summary.", fate: "summary" }]);
});

it("plays a recording once for what all of its compactions lost, and shows a compaction before that is known", async () => {
  let played = 0;
  let end: (losses: readonly []) => void = () => undefined;
  const jobs = createInspectorJobs({
    env: {},
    onChange: () => undefined,
    start: () => {
      played += 1;
      return {
        result: new Promise<readonly []>((resolve) => (end = resolve)) as never,
        end: () => undefined,
      };
    },
  });
  const path = scriptedFile(false);
  const data = "../../../../../test/data/transcripts-0.1/clearings-and-compaction.jsonl";
  copyFileSync(fileURLToPath(new URL(data, import.meta.url)), path);
  const { get, only, ask } = inspectorOf([path], undefined, jobs);
  const base = await only();
  const { compactions } = await get<ConversationOverview>(base);
  const compaction = `${base}/compactions/${compactions[0]?.id}`;
  const waiting = [1, 2, 3].map(() => get<NeededLater>(`${compaction}/needed-later`));
  expect((await get<CompactionView>(compaction)).before.length).toBeGreaterThan(0);
  await expect.poll(() => played).toBe(1);
  end([]);
  expect(await Promise.all(waiting)).toEqual([1, 2, 3].map(() => ({ items: null })));
  expect(played).toBe(1);
  expect((await ask(`${base}/compactions/none/needed-later`)).status).toBe(404);
});

it("plays what grows once at a time", async () => {
  let played = 0;
  let end: (losses: ReadonlyMap<number, []>) => void = () => undefined;
  const needs = createNeededOnce({
    neededLater: () => {
      played += 1;
      return new Promise<ReadonlyMap<number, []>>((resolve) => (end = resolve));
    },
  });
  const path = scriptedFile(false);
  const { library } = inspectorOf([path]);
  const opened = async () => {
    const [listed] = await library.list();
    return (await library.open(listed?.id ?? "")) as OpenConversation;
  };
  const before = await opened();
  appendFileSync(path, readFileSync(path, "utf8").trimEnd().split("\n").slice(-1)[0] ?? "");
  const grown = await opened();
  expect(grown.version).toBe(before.version + 1);
  const waiting = [needs(before), needs(before), needs(grown)];
  expect(played).toBe(1);
  end(new Map([[1, []]]));
  expect((await Promise.all(waiting)).map((needed) => needed?.size)).toEqual([1, 1, 1]);
  const later = needs(grown);
  expect(played).toBe(2);
  end(new Map());
  expect((await later)?.size).toBe(0);
  await needs(grown);
  expect(played).toBe(2);
});
