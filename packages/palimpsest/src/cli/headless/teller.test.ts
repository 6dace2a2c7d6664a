import { createEventEmitter, type EngineEvents, type Pressure } from "@palimpsest/core";
import { expect, it } from "vitest";
import type { StreamLine } from "./stream-line.js";
import { Teller } from "./teller.js";

/** A teller with a session whose context is as full as the test says. */
function setUp(isStream: boolean) {
  const lines: StreamLine[] = [];
  const sentences: string[] = [];
  const events = createEventEmitter();
  const full: { pressure: Pressure; isAutoCompactOn: boolean } = { pressure: "none", isAutoCompactOn: true };
  const size = () => ({
    pressure: full.pressure,
    padded: 90_000,
    percentLeft: 10,
    thresholds: { limit: 100_000, isAutoCompactOn: full.isAutoCompactOn },
  });
  const teller = new Teller({
    isStream,
    write: (line) => lines.push(line),
    complain: (text) => sentences.push(text),
  });
  teller.listenTo({ id: "s", events, conversation: { size }, cacheBreakFile: () => undefined } as never);
  teller.begin();
  const said = (pressure: Pressure): void => {
    full.pressure = pressure;
    teller.hear({ kind: "message", message: { type: "progress" } as never });
  };
  return { teller, lines, sentences, events, full, said };
}

it("a threshold is told once when it is passed, and again once it was left", () => {
  const { said, sentences, full } = setUp(false);
  for (const pressure of ["none", "warn", "warn", "error", "error", "compact", "error", "none"] as const) {
    said(pressure);
  }
  expect(sentences).toHaveLength(2);
  expect(sentences[0]).toBe("the context has 90,000 of 100,000 tokens: 10% left until it is compacted");
  full.isAutoCompactOn = false;
  said("error");
  expect(sentences[2]).toContain("no request fits, and automatic compaction is off");
});

it("a hook that blocks every compaction is told to the person once", () => {
  const failed: EngineEvents["compact_failed"] = {
    reason: "blocked_by_hook",
    message: "A PreCompact hook blocked the compaction: not now.",
    trigger: "auto",
    source: "sdk",
    failedAttempts: [],
    calls: [],
    price: { dollars: 0, withoutCache: 0, unpricedCalls: 0 },
  };
  const person = setUp(false);
  const program = setUp(true);
  for (let request = 0; request < 3; request += 1) {
    person.events.emit("compact_failed", failed);
    program.events.emit("compact_failed", failed);
  }
  expect(person.sentences).toEqual([
    "a compaction came to nothing: A PreCompact hook blocked the compaction: not now.",
  ]);
  expect(program.lines).toHaveLength(3);
  expect(program.lines[0]).toEqual({
    type: "system",
    subtype: "compact_failed",
    reason: "blocked_by_hook",
    message: failed.message,
    trigger: "auto",
    calls: [],
    cost_usd: 0,
    session_id: "s",
  });
});
