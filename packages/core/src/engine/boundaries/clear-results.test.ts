import { describe, expect, it } from "vitest";
import type { Message } from "../../messages/message.js";
import { normalise } from "../../messages/normalise/normaliser.js";
import { applyClearings, clearResults } from "./clear-results.js";
import { CLEARED_RESULT_TEXT, clearedText, isClearedResult } from "./cleared-result.js";
import {
  createClearingBoundary,
  isClearingBoundary,
  removesContent,
  type ClearingMetadata,
} from "./clearing-boundary.js";
import { createSample } from "../tools/testing/sample.js";

const metadata = (change: Partial<ClearingMetadata>): ClearingMetadata => ({
  variant: "size-based",
  trigger: "auto",
  toolUseIds: [],
  tokensBefore: 10,
  tokensAfter: 5,
  ...change,
});
const contents = (messages: readonly Message[]) =>
  messages.flatMap((message) =>
    message.type === "user" && typeof message.message.content !== "string"
      ? message.message.content.flatMap((block) => (block.type === "tool_result" ? [block.content] : []))
      : [],
  );

describe("clearing results", () => {
  it("keeps the block and its neighbours, and says how to get the content back", () => {
    const sample = createSample();
    const messages = [
      ...sample.round({ calls: [{ result: "a" }, { result: "b" }, { result: "c", isError: true }] }),
    ];
    const boundary = createClearingBoundary(
      sample.origin(),
      metadata({
        toolUseIds: ["toolu_1", "toolu_3"],
        texts: { toolu_3: clearedText("Recall toolu_3.") },
      }),
    );
    const before = structuredClone(messages);
    const cleared = clearResults(messages, boundary);
    expect(contents(cleared)).toEqual([CLEARED_RESULT_TEXT, "b", `${CLEARED_RESULT_TEXT} Recall toolu_3.`]);
    expect(JSON.stringify(cleared)).toContain('"is_error":true');
    expect(cleared.at(-1)).toBe(boundary);
    expect(messages).toEqual(before);
    expect(cleared[0]).toBe(messages[0]);
  });

  it("clears only what stands before the boundary, and a second time changes nothing", () => {
    const sample = createSample();
    const first = sample.round({ calls: [{ id: "x", result: "a" }] });
    const boundary = createClearingBoundary(sample.origin(), metadata({ toolUseIds: ["x"] }));
    const again = sample.round({ calls: [{ id: "x", result: "later" }] });
    const stored = [...first, boundary, ...again];
    const live = applyClearings(stored);
    expect(contents(live)).toEqual([CLEARED_RESULT_TEXT, "later"]);
    expect(applyClearings(live)).toBe(live);
  });

  it("removes all thinking behind the first change, and messages that held nothing else", () => {
    const sample = createSample();
    const messages = [
      sample.user("begin"),
      ...sample.round({ thinking: "one", calls: [{}], isSplit: true }),
      ...sample.round({ thinking: "two", calls: [{}], isSplit: true }),
      ...sample.round({ thinking: "three", text: "done" }),
    ];
    const call = messages.find((message) => JSON.stringify(message).includes('"id":"toolu_1"'));
    const boundary = createClearingBoundary(
      sample.origin(),
      metadata({ toolUseIds: ["toolu_1"], thinkingRemovedAfter: call?.uuid ?? "" }),
    );
    const live = clearResults(messages, boundary);
    const sent = JSON.stringify(normalise(live).messages);
    expect(sent).toContain('"thinking":"one"');
    expect(sent).not.toContain('"thinking":"two"');
    expect(sent).not.toContain('"thinking":"three"');
    expect(normalise(live).repairs).toEqual([]);
    const later = sample.round({ thinking: "four", text: "on" });
    const resumed = applyClearings([...messages, boundary, ...later]);
    expect(normalise(resumed)).toEqual(normalise([...live, ...later]));
    expect(JSON.stringify(resumed)).toContain('"thinking":"four"');
  });

  it("deletions by the provider change nothing here", () => {
    const sample = createSample();
    const messages = sample.round({ calls: [{}] });
    for (const variant of ["cached", "api-native"] as const) {
      const boundary = createClearingBoundary(
        sample.origin(),
        metadata({ variant, toolUseIds: ["toolu_1"] }),
      );
      const stored = [...messages, boundary];
      expect(applyClearings(stored)).toBe(stored);
    }
  });

  it("passes over damaged boundaries and content", () => {
    const sample = createSample();
    const broken = [
      { ...createClearingBoundary(sample.origin(), metadata({})), microcompactMetadata: undefined },
      {
        ...createClearingBoundary(sample.origin(), metadata({})),
        microcompactMetadata: { toolUseIds: 3 },
      },
    ] as unknown as Message[];
    expect(broken.some(isClearingBoundary)).toBe(false);
    expect(broken.some(removesContent)).toBe(false);
    const messages = [...sample.round({ calls: [{}] }), ...broken];
    expect(applyClearings(messages)).toBe(messages);
  });

  it("knows a cleared result, as text or as a block", () => {
    const block = { type: "tool_result", tool_use_id: "t" } as const;
    expect(isClearedResult({ ...block, content: clearedText("Recall it.") })).toBe(true);
    expect(isClearedResult({ ...block, content: [{ type: "text", text: CLEARED_RESULT_TEXT }] })).toBe(true);
    expect(isClearedResult({ ...block, content: "x" })).toBe(false);
    expect(isClearedResult({ ...block, content: [] })).toBe(false);
    expect(isClearedResult(block)).toBe(false);
  });
});
