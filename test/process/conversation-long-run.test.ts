import { describe, expect, it } from "vitest";
import type { Settings } from "@palimpsest/core";
import { withSummaries } from "../../packages/palimpsest/src/simulator/index.js";
import { createAgent, createEmbeddedProvider } from "../conversation/agent.js";
import { createWorld, tools, worker } from "../conversation/world.js";

const WINDOW = 200_000;
const START = Date.UTC(2026, 10, 15, 10);

interface Run {
  readonly calls: number;
  readonly resultBytes?: number;
  readonly settings?: Partial<Settings>;
  readonly cacheEdits?: boolean;
  /** Minutes of a pause after this many calls. */
  readonly pauseAt?: number;
}

async function run({ calls, resultBytes = 10_000, settings = {}, cacheEdits = false, pauseAt }: Run) {
  const provider = createEmbeddedProvider({
    clock: "manual",
    startTime: START,
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
  const variants = new Set<string>();
  agent.conversation.events.on("microcompact", ({ variant }) => variants.add(variant));
  const compactedAt: number[] = [];
  let hasPaused = false;
  while (count.done < calls) {
    if (pauseAt !== undefined && count.done >= pauseAt && !hasPaused) {
      provider.simulator.advance(70 * 60_000);
      hasPaused = true;
    }
    const before = agent.steps.length;
    const outcome = await agent.turn();
    await agent.conversation.notes?.idle();
    if (outcome.kind === "held") throw new Error(`${outcome.reason}: ${outcome.message}`);
    for (const { tier, tokensAfter } of agent.steps.slice(before)) {
      if (tier !== "full") continue;
      expect(tokensAfter).toBeLessThan(WINDOW / 2);
      const last = compactedAt.at(-1);
      if (last !== undefined) expect(agent.turns - last).toBeGreaterThan(3);
      compactedAt.push(agent.turns);
    }
  }
  return {
    totals: provider.log.totals(),
    tiers: new Set(agent.steps.map(({ tier }) => tier)),
    variants,
    compactions: compactedAt.length,
    agent,
  };
}

describe("two thousand tool calls in a window of 200K", () => {
  it("never stop, are never refused, and cost about a fifth less than without the cheap tiers", async () => {
    const cheap = await run({ calls: 2000, pauseAt: 700 });
    const off = { disableMicrocompact: true, compactFork: false };
    const dear = await run({ calls: 2000, pauseAt: 700, settings: off });
    const ratio = cheap.totals.inputEquivalents / dear.totals.inputEquivalents;
    console.log(
      `2,000 calls: ${cheap.compactions} compactions, tiers ${[...cheap.tiers].join(", ")}, ` +
        `${Math.round(cheap.totals.inputEquivalents)} input-equivalents; without: ${dear.compactions} compactions, ` +
        `${Math.round(dear.totals.inputEquivalents)} (${ratio.toFixed(3)})`,
    );
    expect(cheap.totals.rejected).toBe(0);
    expect(dear.totals.rejected).toBe(0);
    expect([...cheap.tiers]).toEqual(expect.arrayContaining(["time-based", "full"]));
    expect(ratio).toBeLessThanOrEqual(0.8);
  });

  it("run with notes on as well", async () => {
    const { totals, tiers, compactions } = await run({ calls: 2000, settings: { notes: true } });
    console.log(
      `2,000 calls with notes: ${Math.round(totals.inputEquivalents)} input-equivalents, ${compactions} compactions by a model`,
    );
    expect(totals.rejected).toBe(0);
    expect([...tiers]).toContain("notes");
  });

  it.each<[string, Run]>([
    [
      "size-based",
      { calls: 150, resultBytes: 30_000, settings: { clearSizeTarget: 15_000, clearSizeBelow: 0.9 } },
    ],
    ["cached", { calls: 150, cacheEdits: true }],
    ["api-native", { calls: 150, settings: { disablePromptCaching: true, compactEarly: false } }],
  ])("the %s tier has its place too", async (tier, given) => {
    const { totals, tiers, variants } = await run(given);
    expect(totals.rejected).toBe(0);
    expect([...tiers, ...variants]).toContain(tier);
  });
});
