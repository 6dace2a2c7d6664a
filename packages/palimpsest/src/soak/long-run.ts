import type { Settings } from "@palimpsest/core";
import { createEmbeddedProvider } from "../providers/embedded.js";
import { withSummaries, type Totals } from "../simulator/index.js";
import { ensure } from "./ensure.js";
import { createWorld, tools, worker } from "./made-up-world.js";
import { createAgent } from "./small-host.js";
import type { SoakContext, SoakRun } from "./soak-run.js";

const WINDOW = 200_000;
const START = Date.UTC(2026, 10, 15, 10);
const CALLS = 2000;
const CHECK_EVERY = 25;

/** Conversations side by side through the same work: with all that is cheap, without it, and with notes. */
export const longRun: SoakRun = {
  name: "long-run",
  about:
    "2,000 tool calls in a window of 200K: never stops, is never refused, and costs a fifth less than without the cheap tiers",
  passes: 3,
  async pass({ random, step, isOver }: SoakContext): Promise<void> {
    const resultBytes = 9000 + random.below(2001);
    const pauseAt = 300 + random.below(1000);
    const off = { disableClearing: true, compactFork: false };
    const cheap = await startWork({ resultBytes, pauseAt });
    const dear = await startWork({ resultBytes, pauseAt, settings: off });
    const noting = await startWork({ resultBytes, pauseAt, settings: { notes: true } });
    const all = [cheap, dear, noting];
    for (let calls = CHECK_EVERY; calls <= CALLS; calls += CHECK_EVERY) {
      for (const work of all) {
        const before = { compactions: work.compactions(), calls: work.calls() };
        await work.until(calls, step);
        ensure(work.totals().rejected === 0, `${work.totals().rejected} requests were refused`);
        await step({
          calls: work.calls() - before.calls,
          compactions: work.compactions() - before.compactions,
        });
      }
      if (calls < CALLS && isOver()) return;
    }
    const has = (work: Work, tier: string): void =>
      ensure(work.tiers().has(tier), `no ${tier}, only ${[...work.tiers()].join(", ")}`);
    has(cheap, "time-based");
    has(cheap, "full");
    has(noting, "notes");
    const ratio = cheap.totals().inputEquivalents / dear.totals().inputEquivalents;
    ensure(ratio <= 0.8, `the cheap tiers leave ${ratio.toFixed(3)} of the input-equivalents`);
    const spent = (work: Work): number => Math.round(work.totals().inputEquivalents);
    await step({
      "input-equivalents": spent(cheap),
      "without the cheap tiers": spent(dear),
      "with notes": spent(noting),
    });
  },
};

interface WorkOptions {
  readonly resultBytes: number;
  /** An hour and more goes by after this many calls. */
  readonly pauseAt: number;
  readonly settings?: Partial<Settings>;
}

interface Work {
  /** Goes on until so many calls were made. Throws where it comes to a halt or compacts without an effect. */
  until(calls: number, step: SoakContext["step"]): Promise<void>;
  calls(): number;
  compactions(): number;
  tiers(): ReadonlySet<string>;
  totals(): Totals;
}

async function startWork({ resultBytes, pauseAt, settings = {} }: WorkOptions): Promise<Work> {
  const provider = createEmbeddedProvider({
    clock: "manual",
    startTime: START,
    window: WINDOW,
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
  let compactions = 0;
  let compactedAt = -Infinity;
  let hasPaused = false;
  return {
    async until(calls, step) {
      while (count.done < calls) {
        if (count.done >= pauseAt && !hasPaused) {
          provider.simulator.advance(70 * 60_000);
          hasPaused = true;
        }
        const before = agent.steps.length;
        const outcome = await agent.turn();
        await agent.conversation.notes?.idle();
        if (outcome.kind === "held") throw new Error(`${outcome.reason}: ${outcome.message}`);
        for (const { tier, tokensAfter } of agent.steps.slice(before)) {
          if (tier !== "full") continue;
          ensure(tokensAfter < WINDOW / 2, `a compaction left ${tokensAfter} tokens`);
          ensure(agent.turns - compactedAt > 3, "compacted again within three turns");
          compactedAt = agent.turns;
          compactions += 1;
        }
        await step({ turns: 1 });
      }
    },
    calls: () => count.done,
    compactions: () => compactions,
    tiers: () => new Set(agent.steps.map(({ tier }) => tier)),
    totals: () => provider.log.totals(),
  };
}
