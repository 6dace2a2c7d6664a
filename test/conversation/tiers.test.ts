import { expect, it } from "vitest";
import type { Settings } from "@palimpsest/core";
import { withSummaries } from "../../packages/palimpsest/src/simulator/index.js";
import { createAgent, createEmbeddedProvider } from "./agent.js";
import { createWorld, tools, worker } from "./world.js";
import { orLess } from "../../packages/palimpsest/src/testing/share.js";

const WINDOW = 200_000;
const CALLS = 150;
/** So many go on after the tier had its place, where not all are made. */
const CALLS_AFTER = orLess(CALLS, 15);

interface Run {
  readonly resultBytes?: number;
  readonly settings?: Partial<Settings>;
  readonly cacheEdits?: boolean;
}

/** The tiers that two thousand calls of the long run do not need (`palimpsest soak --only long-run`). */
it.each<[string, Run]>([
  ["size-based", { resultBytes: 30_000, settings: { clearSizeTarget: 15_000, clearSizeBelow: 0.9 } }],
  ["cached", { cacheEdits: true }],
  ["api-native", { settings: { disablePromptCaching: true, compactEarly: false } }],
])("in a window of 200K the %s tier has its place, and nothing is refused", async (tier, given) => {
  const { resultBytes = 10_000, settings = {}, cacheEdits = false } = given;
  const provider = createEmbeddedProvider({
    clock: "manual",
    startTime: Date.UTC(2026, 10, 15, 10),
    window: WINDOW,
    cacheEdits,
    player: withSummaries(worker(true)),
  });
  const world = createWorld(resultBytes, resultBytes);
  const count = { done: 0 };
  const agent = createAgent({
    provider,
    runTool: (call) => {
      count.done += 1;
      return world.runTool(call, provider.simulator.now());
    },
    conversation: {
      model: "claude-opus-5",
      maxTokens: 8000,
      source: "repl_main_thread",
      settings: { window: WINDOW, ...settings },
      system: { custom: "You are an agent that works on a large project." },
      tools: () => tools,
      parameters: { thinking: { type: "adaptive" } },
      state: world.state,
      transcriptPath: "/data/s.jsonl",
    },
  });
  await agent.say("Work through the whole project. Never delete a test.");
  const seen = new Set<string>();
  agent.conversation.events.on("clearing", ({ variant }) => seen.add(variant));
  let seenAt = CALLS;
  while (count.done < Math.min(CALLS, seenAt + CALLS_AFTER)) {
    const outcome = await agent.turn();
    if (outcome.kind === "held") throw new Error(`${outcome.reason}: ${outcome.message}`);
    for (const { tier: used } of agent.steps) seen.add(used);
    if (seen.has(tier)) seenAt = Math.min(seenAt, count.done);
  }
  for (const { tier: used, tokensAfter } of agent.steps) {
    if (used === "full") expect(tokensAfter).toBeLessThan(WINDOW / 2);
  }
  expect(provider.log.totals().rejected).toBe(0);
  expect([...seen]).toContain(tier);
});
