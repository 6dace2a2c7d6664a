import { expect, it } from "vitest";
import { decodeLine, encodeLine } from "../../messages/transcript/line.js";
import { applyClearings } from "../boundaries/clear-results.js";
import { applyClearing } from "./local-clearing.js";
import { createClearingBoundary } from "../boundaries/clearing-boundary.js";
import { restateClearings } from "./restate-clearings.js";
import { decideSizeBased } from "./size-based.js";
import { contextOf } from "./testing/context.js";
import { createSample } from "../tools/testing/sample.js";

const cleared = () => {
  const sample = createSample();
  const rounds = Array.from({ length: 6 }, () => sample.round({ thinking: "hm", calls: [{}] }));
  const stored = [sample.user("begin"), ...rounds.flat(), ...sample.round({})];
  const context = { ...contextOf(stored, { model: "claude-opus-5-5" }), target: { tokens: 2000 } };
  const plan = decideSizeBased({ ...context, recallHint: (id) => `Recall ${id}.` });
  if (plan.kind !== "clear") throw new Error(plan.reason);
  const { messages: live, boundary } = applyClearing(stored, plan, { origin: sample.origin() });
  return { sample, stored, live, boundary };
};

it("a kept prefix whose clearing stood behind it is cleared again after a resume", () => {
  const { sample, stored, live } = cleared();
  const metadata = restateClearings(live, live.slice(0, 7));
  if (metadata === undefined) throw new Error("nothing to restate");
  expect(metadata.toolUseIds).toEqual(["toolu_1", "toolu_2", "toolu_3"]);
  const restated = createClearingBoundary(sample.origin(), metadata);
  expect(applyClearings([...stored.slice(0, 7), restated])).toEqual([...live.slice(0, 7), restated]);
});

it("thinking that was removed after a message which is not kept stays removed", () => {
  const sample = createSample();
  const stored = [
    sample.user("begin"),
    ...sample.round({ thinking: "hm", calls: [{}] }),
    ...sample.round({}),
  ];
  const boundary = createClearingBoundary(sample.origin(), {
    variant: "size-based",
    trigger: "auto",
    toolUseIds: [],
    tokensBefore: 0,
    tokensAfter: 0,
    thinkingRemovedAfter: stored[0]?.uuid ?? "",
  });
  const metadata = restateClearings([...stored, boundary], stored.slice(1, 3));
  if (metadata === undefined) throw new Error("nothing to restate");
  const restated = createClearingBoundary(sample.origin(), metadata);
  expect(JSON.stringify(applyClearings([...stored.slice(1, 3), restated]))).not.toContain('"hm"');
});

it("a kept tail brings its boundary along and needs nothing", () => {
  const { live } = cleared();
  expect(restateClearings(live, live.slice(5))).toBeUndefined();
  expect(restateClearings(live, [])).toBeUndefined();
});

it("a boundary survives the transcript", () => {
  const { boundary, stored, live } = cleared();
  const read = [...stored, boundary].map((message) => decodeLine(encodeLine(message)));
  const messages = read.flatMap((line) => (line.kind === "message" ? [line.message] : []));
  expect(applyClearings(messages)).toEqual(live);
});
