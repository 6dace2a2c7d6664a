import { describe, expect, it } from "vitest";
import {
  applyCached,
  decideCached,
  noCachedEdits,
  noteCacheReport,
  type CacheReport,
  type CachedEdits,
} from "../../packages/core/src/engine/clear/cached-edits.js";
import { endOfRequest, placeCachedEdits } from "../../packages/core/src/engine/clear/cached-edits-request.js";
import { applyClearing } from "../../packages/core/src/engine/clear/local-clearing.js";
import { decideTimeBased } from "../../packages/core/src/engine/clear/time-based.js";
import type { RequestMessage, ModelResponse } from "@palimpsest/core";
import { createAgent, isAbout } from "./agent.js";

const reportOf = ({ usage }: ModelResponse): CacheReport => {
  const deleted = usage["cache_deleted_input_tokens"];
  return {
    read: usage.cache_read_input_tokens ?? 0,
    written: usage.cache_creation_input_tokens ?? 0,
    ...(typeof deleted === "number" ? { deleted } : {}),
  };
};

describe.each([
  ["claude-opus-5", false],
  ["claude-opus-5-5", true],
])("cached edits, against the simulator (%s)", (model, isThinking) => {
  it("delete results without breaking the prefix, stay pinned, and give way when the cache is gone", () => {
    const agent = createAgent({ model, isThinking, cacheEdits: true });
    let state: CachedEdits = noCachedEdits;
    const edit = (messages: readonly RequestMessage[]) => placeCachedEdits(messages, state);
    const round = () => {
      const outcome = agent.round({ edit });
      const noted = noteCacheReport(state, reportOf(outcome.message));
      state = noted.state;
      return { ...outcome, stale: noted.stale };
    };
    let before = round();
    for (let count = 0; count < 13; count += 1) before = round();
    const plan = decideCached({ ...agent.context(), state, canEditCache: true });
    if (plan.kind !== "clear") throw new Error(plan.reason);
    const position = endOfRequest(agent.requestMessages());
    if (position === undefined) throw new Error("no user message");
    const applied = applyCached(state, plan, { position, origin: agent.origin() });
    state = applied.state;
    agent.take(applied.boundary);

    const first = round();
    const deleted = Number(first.message.usage["cache_deleted_input_tokens"]);
    const left = before.verdict.cacheRead + before.verdict.cacheWrite5m;
    expect(first.verdict.cacheRead).toBe(left - deleted);
    expect(isAbout(deleted, applied.notice.deletedTokens)).toBe(true);
    expect(first.stale).toBe(false);

    const second = round();
    expect(second.message.usage["cache_deleted_input_tokens"]).toBe(deleted);
    expect(second.verdict.cacheRead).toBe(first.verdict.cacheRead + first.verdict.cacheWrite5m);
    expect(second.stale).toBe(false);
    expect(decideCached({ ...agent.context(), state, canEditCache: true })).toMatchObject({
      reason: "below-trigger",
    });

    agent.client.simulator.advance(20 * 60_000);
    const expired = round();
    expect(expired.stale).toBe(true);
    expect(state.pinned).toEqual([]);
    const local = decideTimeBased({
      ...agent.context(),
      now: agent.client.simulator.now(),
      isMainThread: true,
      isCacheExpired: true,
    });
    if (local.kind !== "clear") throw new Error(local.reason);
    expect(local.results.map(({ id }) => id)).toEqual(
      expect.arrayContaining(plan.results.map(({ id }) => id)),
    );
    const cleared = applyClearing(agent.live, local, { origin: agent.origin() });
    agent.live = cleared.messages;
    agent.index.append([cleared.boundary]);
    const after = round();
    expect(
      isAbout(expired.verdict.promptTokens - after.verdict.promptTokens, cleared.notice.deletedTokens),
    ).toBe(true);
  });
});
