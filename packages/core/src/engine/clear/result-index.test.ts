import { describe, expect, it } from "vitest";
import { createHeuristicEstimator } from "../measure/heuristic-estimator.js";
import type { Message } from "../../messages/message.js";
import { clearResults } from "../boundaries/clear-results.js";
import { createCompactableTools } from "../tools/compactable-tools.js";
import { createClearingBoundary } from "../boundaries/clearing-boundary.js";
import { createResultIndex } from "./result-index.js";
import { createSample, filler, SAMPLE_START } from "../tools/testing/sample.js";

const estimator = createHeuristicEstimator();
const indexOf = (messages: readonly Message[] = []) => {
  const index = createResultIndex({ estimator, tools: createCompactableTools() });
  index.append(messages);
  return index;
};
const sum = (messages: readonly Message[]): number =>
  messages.reduce((total, message) => total + estimator.message(message), 0);
const ids = (list: readonly { readonly id: string }[]): readonly string[] => list.map(({ id }) => id);

describe("the index of results", () => {
  it("counts compactable results and all tokens", () => {
    const sample = createSample();
    const messages = [
      sample.user("begin"),
      ...sample.round({ calls: [{}, { name: "TodoWrite" }, { name: "Bash", isError: true }], says: "more" }),
      ...sample.round({ text: "done" }),
    ];
    const index = indexOf(messages);
    expect(index.activeCount).toBe(2);
    expect(index.activeTokens).toBe(2000);
    expect(index.totalTokens).toBe(sum(messages));
    expect(ids(index.active())).toEqual(["toolu_1", "toolu_3"]);
    expect(index.lastResponseAt).toBe(SAMPLE_START);
  });

  it("keeps the order of the calls, not of the results", () => {
    const sample = createSample();
    const [call, results] = sample.round({ calls: [{}, {}, {}] });
    if (call === undefined || results?.type !== "user") throw new Error("no round");
    const content = results.message.content;
    if (typeof content === "string") throw new Error("no blocks");
    const turned = { ...results, message: { ...results.message, content: content.toReversed() } };
    expect(ids(indexOf([call, turned]).active())).toEqual(["toolu_1", "toolu_2", "toolu_3"]);
  });

  it("never gives away the newest, nor what the model has not answered to", () => {
    const sample = createSample();
    const index = indexOf([...sample.round({ calls: [{}, {}] }), ...sample.round({ calls: [{}, {}, {}] })]);
    expect(ids(index.clearable(0))).toEqual(["toolu_1", "toolu_2"]);
    expect(ids(index.clearable(4))).toEqual(["toolu_1"]);
    expect(ids(index.clearable(9))).toEqual([]);
    index.append(sample.round({ text: "I see" }));
    expect(ids(index.clearable(0))).toHaveLength(5);
  });

  it("pieces of one response do not answer to its own results", () => {
    const sample = createSample();
    const index = indexOf(sample.round({ calls: [{}, {}], isSplit: true }));
    expect(index.clearable(0)).toEqual([]);
  });

  it("a call is open until its result comes, or somebody goes on without it", () => {
    const sample = createSample();
    const index = indexOf(sample.round({ calls: [{ result: null }] }));
    expect(index.hasOpenCalls).toBe(true);
    index.append([sample.user("never mind")]);
    expect(index.hasOpenCalls).toBe(false);
    index.append(sample.round({ calls: [{ result: null }, {}] }));
    expect(index.hasOpenCalls).toBe(true);
    index.append(sample.round({}));
    expect(index.hasOpenCalls).toBe(false);
  });

  it("an older read of what was read again in full is a duplicate", () => {
    const sample = createSample();
    const read = (more: object = {}) => ({ input: { file_path: "/a", ...more } });
    const index = indexOf(
      sample.round({ calls: [read(), read({ offset: 3 }), { input: { file_path: "/b" } }] }),
    );
    expect(index.active().map(({ isDuplicate }) => isDuplicate)).toEqual([false, false, false]);
    index.append(sample.round({ calls: [read({ limit: 5 })] }));
    expect(index.active().some(({ isDuplicate }) => isDuplicate)).toBe(false);
    index.append(sample.round({ calls: [{ ...read(), isError: true }] }));
    index.append(sample.round({ calls: [{ ...read(), result: "File unchanged since last read." }] }));
    expect(index.active().some(({ isDuplicate }) => isDuplicate)).toBe(false);
    index.append(sample.round({ calls: [read()] }));
    expect(ids(index.active().filter(({ isDuplicate }) => isDuplicate))).toEqual([
      "toolu_1",
      "toolu_2",
      "toolu_4",
    ]);
  });

  it("a file is lost unless a newer read of it stays", () => {
    const sample = createSample();
    const read = { input: { file_path: "/a" } };
    const index = indexOf(sample.round({ calls: [read, read, { input: { file_path: "/b" } }] }));
    expect(index.filesLostWith(new Set(["toolu_1", "toolu_3"]))).toEqual(["/b"]);
    expect(index.filesLostWith(new Set(["toolu_1", "toolu_2"]))).toEqual(["/a"]);
    expect(index.filesLostWith(new Set(["toolu_2"]))).toEqual(["/a"]);
  });

  it("an id that comes twice is never cleared", () => {
    const sample = createSample();
    const messages = [
      ...sample.round({ calls: [{ id: "same" }, {}] }),
      ...sample.round({ calls: [{ id: "same" }] }),
      ...sample.round({}),
    ];
    const index = indexOf(messages);
    expect(ids(index.clearable(0))).toEqual(["toolu_1"]);
    expect(index.activeTokens).toBe(1000);
    expect(index.totalTokens).toBe(sum(messages));
  });

  it("says the same of stored originals with their boundary and of the live messages", () => {
    const sample = createSample();
    const before = [
      sample.user("begin"),
      ...sample.round({ calls: [{}, {}], thinking: filler("early", 50) }),
      ...sample.round({ calls: [{}], thinking: filler("late", 70) }),
      ...sample.round({ thinking: filler("alone", 20), text: "done" }),
    ];
    const second = before[1];
    const boundary = createClearingBoundary(sample.origin(), {
      variant: "size-based",
      trigger: "auto",
      toolUseIds: ["toolu_2"],
      tokensBefore: 0,
      tokensAfter: 0,
      ...(second === undefined ? {} : { thinkingRemovedAfter: second.uuid }),
    });
    const live = clearResults(before, boundary);
    const next = sample.round({ calls: [{}] });
    const stored = indexOf([...before, boundary, ...next]);
    const fresh = indexOf([...live, ...next]);
    expect(stored.totalTokens).toBe(sum([...live, ...next]));
    const facts = (index: typeof stored) => [
      index.totalTokens,
      index.activeCount,
      index.activeTokens,
      index.active().map(({ id, tokens, tokensBefore }) => [id, tokens, tokensBefore]),
      index.thinkingBehind(-1),
    ];
    expect(facts(stored)).toEqual(facts(fresh));
    expect(stored.thinkingBehind(-1)).toBe(50);
  });

  it("asks the estimator once for each block, however often it grows", () => {
    let asked = 0;
    const counting = {
      ...estimator,
      block: (block: unknown) => {
        asked += 1;
        return estimator.block(block);
      },
    };
    const index = createResultIndex({ estimator: counting, tools: createCompactableTools() });
    const sample = createSample();
    for (let turn = 0; turn < 200; turn += 1) {
      index.append(sample.round({ calls: [{}] }));
      expect(index.activeCount).toBe(turn + 1);
    }
    expect(asked).toBe(400);
  });
});
