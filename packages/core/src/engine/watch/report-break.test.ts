import { describeReasons } from "./describe-reason.js";
import { describe, expect, it } from "vitest";
import { createEventEmitter } from "../events/emitter.js";
import { createMemoryBreakDiffStore } from "../ports/break-diff-store.js";
import { describeBreak } from "./describe-break.js";
import type { CacheBreak } from "../events/cache-break.js";
import {
  conversation,
  hourMarker,
  marked,
  request,
  second,
  tool,
  usage,
  watching,
} from "./testing/sample.js";
import { writeDiffs } from "./write-diffs.js";

describe("what a break tells", () => {
  it("the price: written again, paid as input, or no longer in the prompt", () => {
    const costOf = (read: number, written: number, change: object = {}, body: object = {}) => {
      const watched = watching();
      watched.call(request(3), usage(0, 50_000));
      return watched.call(request(5, body), usage(read, written, change))?.cost;
    };
    // Opus 5: 5 $ input, 0.5 $ read, 6.25 $ and 10 $ written, per million tokens.
    expect(costOf(0, 52_000)).toBeCloseTo(0.05 * (6.25 - 0.5), 10);
    expect(costOf(0, 52_000, { cache_creation: { ephemeral_1h_input_tokens: 52_000 } })).toBeCloseTo(
      0.05 * 9.5,
      10,
    );
    expect(costOf(0, 52_000, {}, { messages: marked(conversation(5), hourMarker) })).toBeCloseTo(
      0.05 * 9.5,
      10,
    );
    expect(costOf(0, 0, { input_tokens: 52_000 })).toBeCloseTo(0.05 * 4.5, 10);
    expect(costOf(20_000, 1000)).toBeCloseTo((1000 * 5.75 + 10 * 4.5) / 1e6, 10);
    expect(costOf(0, 52_000, {}, { model: "claude-sonnet-5" })).toBeCloseTo(0.05 * (2.5 - 0.2), 10);
    expect(costOf(0, 52_000, {}, { model: "somebody-else" })).toBeNull();
  });

  it("the sampled iteration counts", () => {
    const watched = watching();
    const iterations = [
      {
        type: "compaction",
        input_tokens: 1,
        output_tokens: 1,
        cache_read_input_tokens: 0,
        cache_creation_input_tokens: 0,
      },
      {
        type: "message",
        input_tokens: 1,
        output_tokens: 1,
        cache_read_input_tokens: 50_000,
        cache_creation_input_tokens: 10,
      },
    ];
    watched.call(request(3), usage(0, 50_000));
    expect(watched.call(request(5), usage(0, 0, { iterations }))).toBeUndefined();
  });

  it("the event, the sentences for people, and a text to compare", async () => {
    const events = createEventEmitter();
    const heard: CacheBreak[] = [];
    events.on("cache_break", (found) => heard.push(found));
    const diffs = createMemoryBreakDiffStore();
    const watched = watching({ events, diffs: writeDiffs(diffs) });
    watched.call(request(3), usage(0, 50_000));
    const found = watched.call(
      request(5, { tools: [tool("Read", "reads all"), tool("Edit")] }),
      usage(0, 52_000),
    );
    await watched.watch.flush();
    expect(heard).toEqual([found]);
    expect(found).toMatchObject({
      diffId: "1-repl_main_thread",
      gapMs: 10_000,
      lostTokens: 50_000,
      lostShare: 1,
    });
    expect(found === undefined ? "" : describeBreak(found)).toBe(
      "Cache break in repl_main_thread (claude-opus-5): tools changed (+0/−0, changed: Read). " +
        "50,000 of 50,000 cached tokens (100%) were not read, which cost about $0.29 more. " +
        "The prefix was last used 10 s before.",
    );
    expect(diffs.diffs).toHaveLength(1);
    expect(diffs.diffs[0]?.text).toContain('-  "description": "does Read"');
    expect(diffs.diffs[0]?.text).toContain('+  "description": "reads all"');
  });

  it("a store that fails, at once or later, disturbs nobody", async () => {
    for (const save of [
      () => Promise.reject(new Error("full")),
      () => {
        throw new Error("broken");
      },
    ]) {
      const watched = watching({ diffs: writeDiffs({ save }) });
      watched.call(request(3), usage(0, 50_000));
      expect(watched.call(request(5), usage(0, 52_000))).toBeDefined();
      await watched.watch.flush();
    }
    const none = createMemoryBreakDiffStore();
    const watched = watching({ diffs: writeDiffs(none), settings: { cacheBreakDiffs: 0 } });
    watched.call(request(3), usage(0, 50_000));
    expect(watched.call(request(5), usage(0, 52_000))?.diffId).toBeUndefined();
    expect(none.diffs).toEqual([]);
  });

  it("both verdicts, and whether they agree", () => {
    const told = (change: object, diagnosis: unknown, asks = true) => {
      const watched = watching();
      watched.call(request(3), usage(0, 50_000));
      const found = watched.call(
        request(5, { ...change, ...(asks ? { diagnostics: { previous_message_id: "msg" } } : {}) }),
        usage(0, 52_000),
        { answer: { diagnosis } },
      );
      return { diagnosis: found?.diagnosis, agrees: found?.agrees };
    };
    const reason = (type: string, tokens?: number) => ({
      cache_miss_reason: { type, ...(tokens === undefined ? {} : { cache_missed_input_tokens: tokens }) },
    });
    expect(told({ tools: [] }, reason("tools_changed", 50_000))).toEqual({
      diagnosis: { type: "tools_changed", missedTokens: 50_000 },
      agrees: true,
    });
    expect(told({ tools: [] }, reason("system_changed"))).toMatchObject({ agrees: false });
    expect(told({ speed: "fast" }, reason("model_changed"))).toMatchObject({ agrees: true });
    expect(told({ thinking: { type: "adaptive" } }, reason("messages_changed"))).toMatchObject({
      agrees: true,
    });
    expect(told({ thinking: { type: "adaptive" } }, reason("unavailable"))).toMatchObject({ agrees: true });
    expect(told({}, reason("unavailable"))).toEqual({
      diagnosis: { type: "unavailable" },
      agrees: undefined,
    });
    expect(told({}, { cache_miss_reason: null })).toEqual({
      diagnosis: { type: "pending" },
      agrees: undefined,
    });
    expect(told({}, null)).toEqual({ diagnosis: { type: "none" }, agrees: true });
    expect(told({ tools: [] }, null)).toMatchObject({ agrees: false });
    expect(told({}, null, false)).toEqual({ diagnosis: undefined, agrees: undefined });
    expect(told({}, "nonsense")).toEqual({ diagnosis: undefined, agrees: undefined });
  });

  it("names that somebody else chose cannot steer a terminal", () => {
    const found = second({ tools: [tool("Read"), tool("Edit"), tool(`evil\u001b[2J\n${"x".repeat(200)}`)] });
    expect(describeReasons(found?.reasons ?? [])).toContain("+evil\uFFFD[2J\uFFFDxxx");
    expect(describeReasons(found?.reasons ?? []).length).toBeLessThan(150);
  });
});
