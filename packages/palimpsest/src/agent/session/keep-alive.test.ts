import {
  accountBySource,
  accountTotal,
  createConversation,
  defaultSettings,
  type Settings,
} from "@palimpsest/core";
import { compaction } from "@palimpsest/core/compaction";
import { describe, expect, it } from "vitest";
import { createEmbeddedProvider } from "../../providers/embedded.js";
import { createKeepAlive, type KeptAlive } from "./keep-alive.js";

const MINUTE = 60_000;
const TEXT = "It matters what the person said about the harbour. ".repeat(400);

/** A conversation whose person answered late twice before, and leaves again. */
async function start(given: Partial<Settings> = {}) {
  const provider = createEmbeddedProvider({ clock: "manual", startTime: Date.UTC(2026, 10, 15, 10) });
  const { simulator } = provider;
  const settings = { ...defaultSettings, cacheKeepAlive: true, cacheTtl: "5m" as const, ...given };
  const kept: KeptAlive[] = [];
  const clock = { now: () => simulator.now() };
  const keepAlive = createKeepAlive(() => conversation, {
    provider,
    settings,
    now: clock.now,
    wait: async (milliseconds) => simulator.advance(milliseconds),
    onKept: (_sentence, one) => kept.push(one),
  });
  const conversation = createConversation({
    model: "claude-sonnet-5",
    maxTokens: 1000,
    compaction,
    provider,
    settings,
    clock,
    source: "repl_main_thread",
    keptWarmAt: keepAlive.lastAt,
  });
  await conversation.ask(TEXT);
  for (let pause = 0; pause < 6; pause += 1) {
    simulator.advance(7 * MINUTE);
    await conversation.ask("Go on.");
  }
  return { conversation, simulator, keepAlive, kept, provider };
}

const never = (): AbortSignal => new AbortController().signal;

describe("while a person is away", () => {
  it("the cache is read before it ends, as long as that pays; each read is billed, and told", async () => {
    const { conversation, simulator, keepAlive, kept } = await start();
    await keepAlive.during(never());
    expect(kept.length).toBeGreaterThan(0);
    expect(kept[0]?.tokens).toBeGreaterThan(3000);
    const line = accountBySource(conversation.account()).get("keep_alive");
    expect(line?.calls).toBe(kept.length);
    expect(line?.dollars).toBeCloseTo(kept.at(-1)?.dollarsSoFar ?? 0, 10);
    expect(line?.cacheWrite5mTokens).toBe(0);
    expect(keepAlive.lastAt()).toBeLessThanOrEqual(simulator.now());
    // It is warm: the next request reads it, although the last answer is older than its lifetime.
    const { usage } = await conversation.ask("Here I am.");
    expect(usage.cache_read_input_tokens).toBeGreaterThan(3000);
  });

  it("a compaction after them reads what they kept warm", async () => {
    const { conversation, simulator, keepAlive, kept } = await start();
    const left = simulator.now();
    await keepAlive.during(never());
    // The last answer is older than its lifetime: only the reads since have kept it.
    expect((keepAlive.lastAt() ?? 0) - left).toBeGreaterThan(5 * MINUTE);
    const before = accountTotal(conversation.account()).cacheReadTokens;
    expect((await conversation.compact()).kind).toBe("compacted");
    const read = accountTotal(conversation.account()).cacheReadTokens - before;
    expect(read).toBeGreaterThanOrEqual(kept.at(-1)?.tokens ?? Infinity);
  });

  it("nothing is sent where it is off, or where a read costs more than is allowed", async () => {
    for (const given of [{ cacheKeepAlive: false }, { cacheKeepAliveDollars: 0.0001 }]) {
      const { conversation, keepAlive, kept } = await start(given);
      await keepAlive.during(never());
      expect(kept).toEqual([]);
      expect(accountBySource(conversation.account()).has("keep_alive")).toBe(false);
    }
  });

  it("the dollars hold for the whole conversation", async () => {
    const { keepAlive, kept } = await start({ cacheKeepAliveDollars: 0.004 });
    await keepAlive.during(never());
    await keepAlive.during(never());
    expect(kept.length).toBeGreaterThan(0);
    expect(kept.at(-1)?.dollarsSoFar).toBeLessThanOrEqual(0.004);
  });

  it("it ends when the person is back, and a request that fails ends it too", async () => {
    const { keepAlive, kept } = await start();
    const back = new AbortController();
    back.abort();
    await keepAlive.during(back.signal);
    expect(kept).toEqual([]);
  });
});
