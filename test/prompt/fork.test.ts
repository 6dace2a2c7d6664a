import { describe, expect, it } from "vitest";
import type { RequestMessage } from "@palimpsest/core";
import { cloneStates } from "../../packages/core/src/engine/prompt/fork.js";
import { readStateWith } from "../../packages/core/src/engine/restore/testing/read-states.js";
import { createSession, MAIN, type Turn } from "./session.js";

const question: readonly RequestMessage[] = [
  { role: "user", content: [{ type: "text", text: "What did you do so far?" }] },
];
const left = ({ outcome: { verdict } }: Turn): number =>
  verdict.cacheRead + verdict.cacheWrite5m + verdict.cacheWrite1h;

describe.each([
  ["claude-opus-5", false],
  ["claude-opus-5-5", true],
])("a fork (%s)", (model, isThinking) => {
  it("reads all that the last main request left in the cache and writes nothing", async () => {
    const session = createSession({ model, isThinking });
    let last = await session.turn();
    for (let count = 0; count < 9; count += 1) {
      last = await session.turn();
      const { outcome } = session.fork({ messages: question, now: session.client.simulator.now() });
      expect(outcome.verdict.cacheRead).toBeGreaterThanOrEqual(0.99 * left(last));
      expect(outcome.verdict.cacheWrite5m + outcome.verdict.cacheWrite1h).toBe(0);
    }
    const grown = session.fork({ messages: question, prefix: session.messages() });
    expect(grown.outcome.verdict.cacheRead).toBe(left(last));
    expect(grown.outcome.verdict.cacheWrite5m).toBe(0);
    expect(grown.outcome.verdict.input).toBeGreaterThan(1200);
    const next = await session.turn();
    expect(next.outcome.verdict.cacheRead).toBe(left(last));
    expect(next.found).toBeUndefined();
  });

  it("of the beginning of the conversation reads up to the last live entry before its end", async () => {
    const session = createSession({ model, isThinking });
    const turns: Turn[] = [];
    for (let count = 0; count < 8; count += 1) turns.push(await session.turn());
    const prefix = session.messages().slice(0, 7);
    const { outcome } = session.fork({
      messages: question,
      prefix,
      now: session.client.simulator.now(),
    });
    const fourth = turns[3];
    if (fourth === undefined) throw new Error("unreachable");
    expect(outcome.verdict.cacheRead).toBe(left(fourth));
    expect(outcome.verdict.cacheWrite5m).toBe(0);
  });

  it("whose prefix has expired does not write it again", async () => {
    const session = createSession({ model, isThinking });
    await session.turn();
    await session.turn();
    session.advance(20 * 60_000);
    const { outcome, built } = session.fork({ messages: question, now: session.client.simulator.now() });
    expect(built.messageMarker).toBeUndefined();
    const headTokens = outcome.verdict.cacheWrite5m;
    expect(headTokens).toBeLessThan(outcome.verdict.promptTokens - 1200);
  });

  it("may write an entry of its own behind the shared ones", async () => {
    const session = createSession({ model, isThinking });
    await session.turn();
    const last = await session.turn({ parts: { ttl: "1h" } });
    const { outcome } = session.fork({
      messages: question,
      prefix: session.messages(),
      skipCacheWrite: false,
    });
    expect(outcome.verdict.cacheRead).toBe(left(last));
    expect(outcome.verdict.cacheWrite5m).toBeGreaterThan(1000);
    expect(outcome.verdict.cacheWrite1h).toBe(0);
    expect(session.builder.cacheSafeParams(MAIN)?.writes).toHaveLength(2);
  });
});

it("a fork works on copies of mutable state", () => {
  const readState = readStateWith(["/a"]);
  const copies = cloneStates({ readState });
  copies.readState.forget("/a");
  copies.readState.remember("/b", { timestamp: 0, mtime: 0 });
  expect([readState.has("/a"), readState.has("/b")]).toEqual([true, false]);
});
