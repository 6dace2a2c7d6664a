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
      const { outcome } = session.fork({ messages: question });
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
    const { outcome, built } = session.fork({ messages: question });
    expect(built.messageMarker).toBeUndefined();
    expect(built.markers).toBe(0);
    expect(outcome.verdict.cacheWrite5m + outcome.verdict.cacheWrite1h).toBe(0);
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

it("a model that strips old thinking: a fork reads up to the first thinking, and writes nothing", async () => {
  const thinking = { type: "enabled", budget_tokens: 4000 };
  const session = createSession({ model: "claude-sonnet-4-5", isThinking: true });
  for (let turn = 0; turn < 5; turn += 1) await session.turn({ parameters: { thinking } });
  const { outcome, built } = session.fork({ messages: question, maxTokens: 100 });
  expect(outcome.verdict.cacheRead).toBeGreaterThan(1000);
  expect(outcome.verdict.cacheWrite5m).toBe(0);
  expect(built.request.max_tokens).toBeGreaterThan(4000);
});

it("a fork's own markers, an hour behind five minutes, and late answers do no harm", async () => {
  const session = createSession();
  for (let turn = 0; turn < 3; turn += 1) await session.turn();
  const marked: readonly RequestMessage[] = [
    { role: "user", content: [{ type: "text", text: "What?", cache_control: { type: "ephemeral" } }] },
  ];
  expect(
    session.fork({ messages: marked, skipCacheWrite: false, ownTtl: "1h" }).built.markers,
  ).toBeLessThanOrEqual(4);
  const late = await session.build();
  session.builder.keepPrefix(MAIN, 4);
  const prefix = session.builder.cacheSafeParams(MAIN)?.messages ?? [];
  expect(prefix.at(-1)?.role).toBe("user");
  session.builder.answered(late, { messageId: "msg_late", at: session.client.simulator.now() });
  expect(session.builder.cacheSafeParams(MAIN)?.messages).toEqual(prefix);
});

it("a fan-out of many subagents does not make the main thread forget its last write", async () => {
  const session = createSession();
  await session.turn();
  const writes = session.builder.cacheSafeParams(MAIN)?.writes;
  for (let agent = 0; agent < 40; agent += 1) {
    const built = await session.build({ parts: { source: `agent:explore/${agent}` } });
    session.builder.answered(built, { messageId: `msg_${agent}`, at: 0 });
  }
  expect(session.builder.cacheSafeParams(MAIN)?.writes).toEqual(writes);
});

it("a fork works on copies of mutable state", () => {
  const readState = readStateWith(["/a"]);
  const copies = cloneStates({ readState });
  copies.readState.forget("/a");
  copies.readState.remember("/b", { timestamp: 0, mtime: 0 });
  expect([readState.has("/a"), readState.has("/b")]).toEqual([true, false]);
});
