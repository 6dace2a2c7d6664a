import { describe, expect, it } from "vitest";
import { accountTotal, type EngineEvents, type Settings } from "@palimpsest/core";
import { priceOf } from "@palimpsest/core/totals";
import {
  createEchoPlayer,
  withSummaries,
  type Player,
} from "../../packages/palimpsest/src/simulator/index.js";
import { createAgent, createEmbeddedProvider } from "./agent.js";
import { output, tools } from "./world.js";

const WINDOW = 40_000;

interface Told {
  readonly started: EngineEvents["compact_started"][];
  readonly ended: (EngineEvents["compact"] | EngineEvents["compact_failed"])[];
  readonly billed: EngineEvents["call_billed"][];
  /** The names, in their order. */
  readonly order: string[];
}

function start(player: Player, { settings = {} }: { settings?: Partial<Settings> } = {}) {
  const provider = createEmbeddedProvider({
    clock: "manual",
    startTime: Date.UTC(2026, 10, 15, 10),
    window: WINDOW,
    player,
    maxRetries: 0,
  });
  const agent = createAgent({
    provider,
    runTool: ({ id }) => output(id.length, 1000),
    conversation: {
      model: "claude-opus-5",
      maxTokens: 2000,
      settings: { window: WINDOW, reserve: 6000, autoCompactBuffer: 3000, ...settings },
      system: { custom: "You are an agent." },
      tools,
    },
  });
  const { conversation } = agent;
  const told: Told = { started: [], ended: [], billed: [], order: [] };
  conversation.events.on("compact_started", (event) => {
    told.order.push("started");
    told.started.push(event);
  });
  for (const name of ["compact", "compact_failed"] as const) {
    conversation.events.on(name, (event) => {
      told.order.push("ended");
      told.ended.push(event);
    });
  }
  conversation.events.on("call_billed", (event) => told.billed.push(event));
  return { agent, conversation, told };
}

async function live({ agent }: ReturnType<typeof start>, turns: number): Promise<void> {
  for (let count = 0; count < turns; count += 1) {
    await agent.say(`Step ${count}: ${output(count, 2500)}`);
    await agent.turn();
  }
}

describe("what a host is told of compactions and calls", () => {
  it("each that begins ends once, with both prices of its calls; all that is billed adds up to the account", async () => {
    const host = start(withSummaries(createEchoPlayer()));
    await live(host, 60);
    const { started, ended, billed, order } = host.told;
    expect(ended.filter((event) => "writer" in event).length).toBeGreaterThan(1);
    expect(order).toEqual(started.flatMap(() => ["started", "ended"]));
    for (const event of started) {
      expect(event).toMatchObject({ trigger: "auto", source: "sdk", model: "claude-opus-5" });
      expect(event.tokensBefore).toBeGreaterThan(1000);
      expect(event.threshold).toBe(host.conversation.size().thresholds.autoCompactAt);
    }
    for (const { calls, price } of ended) {
      const prices = calls.map(({ model, usage }) => priceOf(model, usage));
      const sum = (name: "dollars" | "withoutCache"): number =>
        prices.reduce((total, one) => total + (one.kind === "priced" ? one[name] : 0), 0);
      expect(price.dollars).toBe(sum("dollars"));
      expect(price.withoutCache).toBe(sum("withoutCache"));
      expect(price.unpricedCalls).toBe(0);
      expect(price.dollars).toBeGreaterThan(0);
      // A summary on the conversation's own cache: that is what the second price shows.
      expect(price.dollars).toBeLessThan(price.withoutCache);
    }
    const total = accountTotal(host.conversation.account());
    expect(billed).toHaveLength(total.calls);
    expect(billed.reduce((sum, { price }) => sum + price.dollars, 0)).toBeCloseTo(total.dollars, 9);
  });

  it("a compaction that comes to nothing is told with what it cost", async () => {
    const echo = createEchoPlayer();
    const player: Player = {
      answer: (prompt, memory) =>
        JSON.stringify(prompt.messages.at(-1)).includes("Step")
          ? echo.answer(prompt, memory)
          : { answer: { content: [], stopReason: "end_turn" }, memory },
    };
    const host = start(player, { settings: { compactExtractive: false } });
    await live(host, 3);
    const outcome = await host.conversation.compact();
    expect(outcome).toMatchObject({ kind: "failed", reason: "no_summary" });
    expect(host.told.order).toEqual(["started", "ended"]);
    expect(host.told.ended[0]).toMatchObject({ reason: "no_summary", trigger: "manual" });
    expect(host.told.ended[0]?.calls.length).toBeGreaterThan(0);
    expect(host.told.ended[0]?.price.dollars).toBeGreaterThan(0);
  });

  it("of a model that nobody has prices for, the calls are counted and no dollars made up", async () => {
    const { conversation, told } = start(createEchoPlayer());
    const usage = { input_tokens: 1000, output_tokens: 10 };
    await conversation.charge({ source: "keep_alive", model: "somebody-else-1", usage });
    const price = { dollars: 0, withoutCache: 0, unpricedCalls: 1 };
    expect(told.billed).toEqual([{ source: "keep_alive", model: "somebody-else-1", usage, price }]);
  });

  it("what is refused before anything begins is neither begun nor ended", async () => {
    const host = start(withSummaries(createEchoPlayer()), { settings: { disableCompact: true } });
    await live(host, 2);
    expect(await host.conversation.compact()).toMatchObject({ kind: "failed", reason: "disabled" });
    expect(host.told.order).toEqual([]);
  });
});
