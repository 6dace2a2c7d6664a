import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { withSummaries } from "../../packages/palimpsest/src/simulator/index.js";
import { createAgent, createEmbeddedProvider } from "./agent.js";
import { output, tools, worker } from "./world.js";

const start = (settings: object) => {
  const provider = createEmbeddedProvider({
    player: withSummaries(worker(false)),
    window: 60_000,
    clock: "manual",
  });
  return createAgent({
    provider,
    runTool: ({ id }) => output(id.length, 900),
    conversation: {
      model: "claude-opus-5",
      maxTokens: 2000,
      tools: () => tools,
      settings: { window: 60_000, disableClearing: true, ...settings },
    },
  });
};

describe("size, plan and prepare say the same", () => {
  it("whatever is said and however long it is", async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.record({ characters: fc.integer({ min: 1, max: 30_000 }), pause: fc.boolean() }), {
          minLength: 3,
          maxLength: 14,
        }),
        fc.record({
          compactEarly: fc.boolean(),
          compactEarlyLeast: fc.constantFrom(8000, 20_000),
          autoCompactPercent: fc.constantFrom(undefined, 60),
        }),
        async (turns, settings) => {
          const agent = start(settings);
          const { conversation } = agent;
          let before: { readonly padded: number; readonly percentLeft: number } | undefined;
          for (const [turn, { characters, pause }] of turns.entries()) {
            await agent.say(output(turn, characters));
            const size = conversation.size();
            const { warnAt, errorAt, limit, hardAt } = size.thresholds;
            expect([warnAt < errorAt, errorAt < limit, limit <= hardAt]).toEqual([true, true, true]);
            const isDue = size.padded >= size.compactAt;
            expect(size.pressure === "compact" || size.pressure === "hard").toBe(isDue);
            if (before !== undefined && size.padded >= before.padded) {
              expect(size.percentLeft).toBeLessThanOrEqual(before.percentLeft);
            }
            const plan = await conversation.plan();
            expect(plan.steps.map(({ tier }) => tier)).toEqual(isDue ? ["full"] : []);
            const { length } = agent.steps;
            expect(await agent.turn()).toMatchObject({ kind: "response" });
            expect(agent.steps.slice(length).map(({ tier }) => tier)).toEqual(isDue ? ["full"] : []);
            const after = conversation.size();
            before = agent.steps.length > length ? undefined : after;
            if (pause) await conversation.plan();
          }
        },
      ),
      { numRuns: 25 },
    );
  });
});
