import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { planCompaction, undoCompaction } from "@palimpsest/core/engine";
import { compact } from "../../packages/core/src/engine/summarise/compact.js";
import type { AnswerBlock } from "../../packages/palimpsest/src/simulator/index.js";
import { createHost, expectCompacted } from "./host.js";

const answers = (turn: number): readonly AnswerBlock[] => [
  { type: "text", text: `Step ${turn}.` },
  ...Array.from({ length: 1 + (turn % 3) }, (_, index): AnswerBlock => ({
    type: "tool_use",
    name: index === 1 ? "Edit" : "Read",
    input: { file_path: `/work/${turn}-${index}.ts`, old_string: "a", new_string: "b" },
  })),
];

describe("what a compaction would do", () => {
  it("is what it then does", async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.integer({ min: 3, max: 12 }),
        fc.constantFrom("full" as const, "from" as const, "up_to" as const),
        fc.nat({ max: 9000 }),
        fc.nat({ max: 100 }),
        async (turns, kind, keepRecentTokens, place) => {
          const host = createHost({ answers, resultTokens: 120 });
          await host.turns(turns);
          host.say("And mind the gap.");
          const pivot = host.live[place % host.live.length]?.uuid ?? "";
          const input = host.input({ scope: kind === "full" ? { kind, keepRecentTokens } : { kind, pivot } });
          const { provider: _provider, ...ports } = host.ports();
          const plan = await planCompaction(input, ports);
          const outcome = await compact(input, ports);
          if (plan.kind === "none") {
            expect(outcome).toMatchObject({ kind: "failed", reason: plan.reason });
            return;
          }
          const compacted = expectCompacted(outcome);
          expect(plan.writer).toBe(compacted.writer);
          expect(plan.variant).toBe(compacted.variant);
          expect(plan.kept).toEqual(compacted.kept.map(({ uuid }) => uuid));
          expect(plan.summarised).toHaveLength(
            Number(compacted.boundary.compactMetadata?.["messagesSummarized"]),
          );
          expect(plan.tokensAfter).toBe(compacted.tokensAfter);
          expect(plan.tokensBefore).toBe(compacted.tokensBefore);
        },
      ),
      { numRuns: 60 },
    );
  });

  it("says what a model's summary is likely to need, and what it costs", async () => {
    const host = createHost({ answers });
    await host.turns(10);
    const plan = await planCompaction(host.input(), host.ports());
    if (plan.kind === "none") throw new Error(plan.reason);
    expect(plan).toMatchObject({ writer: "fork", variant: "full" });
    expect(plan.tokensAfter).toBeLessThan(plan.tokensBefore / 2);
    expect(plan.cost?.call).toBeGreaterThan(0);
    expect(plan.cost?.savedPerRequest).toBeGreaterThan(0);
    expect(plan.cacheTokensLost).toBeGreaterThan(plan.tokensBefore / 2);
    expect(host.provider.log.totals().requests).toBe(10);
  });
});

describe("undo", () => {
  it.each([
    ["full", 0],
    ["full", 6000],
  ])("gives back the same messages, and what was said since (%s, tail %i)", async (_, keepRecentTokens) => {
    const host = createHost({ answers });
    await host.turns(8);
    const before = host.live;
    const compacted = expectCompacted(await host.compact({ scope: { kind: "full", keepRecentTokens } }));
    host.swap(compacted);
    await host.turns(2);
    host.say("No, I want the long version back.");
    const since = host.live.length - compacted.live.length;
    const tokens = (messages: typeof before): number =>
      messages.reduce((sum, message) => sum + host.estimator.message(message), 0);
    const origin = { clock: host.clock, ids: host.ids, sessionId: "s" };
    const small = undoCompaction({ before, compacted, now: host.live, tokens, mostTokens: 1000 }, origin);
    expect(small).toMatchObject({ kind: "failed", reason: "too_large" });
    const undone = undoCompaction({ before, compacted, now: host.live, tokens, mostTokens: 150_000 }, origin);
    if (undone.kind !== "undone") throw new Error(undone.message);
    for (const [index, message] of before.entries()) expect(undone.live[index]).toBe(message);
    expect(undone.live).toHaveLength(before.length + 1 + since);
    host.resetTo(undone.live, undone.stored);
    expect(host.resumed()).toEqual(host.messages);
    await host.turns(2);
    expect(host.resumed()).toEqual(host.messages);
    const twice = undoCompaction({ before, compacted, now: host.live, tokens, mostTokens: 150_000 }, origin);
    expect(twice).toMatchObject({ kind: "failed", reason: "nothing_to_undo" });
  });
});
