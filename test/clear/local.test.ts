import { describe, expect, it } from "vitest";
import type { ClearDecision } from "../../packages/core/src/engine/clear/decision.js";
import { applyClearings } from "../../packages/core/src/engine/boundaries/clear-results.js";
import { applyClearing } from "../../packages/core/src/engine/clear/local-clearing.js";
import { decideSizeBased } from "../../packages/core/src/engine/clear/size-based.js";
import { decideTimeBased } from "../../packages/core/src/engine/clear/time-based.js";
import { normalise, type Message } from "@palimpsest/core";
import { createAgent, isAbout, tools } from "./agent.js";

type Agent = ReturnType<typeof createAgent>;

function clear(agent: Agent, decision: ClearDecision) {
  if (decision.kind !== "clear") throw new Error(decision.reason);
  const applied = applyClearing(agent.live, decision, { origin: agent.origin() });
  agent.live = applied.messages;
  agent.index.append([applied.boundary]);
  return { plan: decision, ...applied };
}
const HOUR = 3_600_000;

/** The result of the first round, of a tool that is never cleared: an entry that stays. */
const KEPT = { markAlso: 2 };

describe.each(["size-based", "time-based"] as const)("%s, against the simulator", (variant) => {
  const decide = (agent: Agent): ClearDecision =>
    variant === "size-based"
      ? decideSizeBased(agent.context())
      : decideTimeBased({ ...agent.context(), now: agent.client.simulator.now(), isMainThread: true });

  it("tokens fall as announced; the prefix is lost from the last live entry before the first change", () => {
    const agent = createAgent({ model: "claude-opus-5" });
    for (let round = 0; round < 29; round += 1) agent.round(KEPT);
    const before = agent.send(KEPT).verdict;
    if (variant === "time-based") agent.client.simulator.advance(HOUR + 1);
    const { plan, notice } = clear(agent, decide(agent));
    const after = agent.round(KEPT).verdict;
    expect(decide(agent).kind).toBe("keep");
    expect(isAbout(before.promptTokens - after.promptTokens, notice.deletedTokens)).toBe(true);
    expect(plan.results.length).toBeGreaterThan(8);
    if (variant === "size-based") {
      expect(after.hit?.path).toBe("messages.2.content.0");
      expect(after.misses[0]).toMatchObject({
        reason: "messages-changed",
        changedPath: "messages.4",
      });
    } else {
      // everything had expired: nothing was lost by the change
      expect(after.hit).toBeNull();
    }
    const next = agent.round(KEPT).verdict;
    expect(next.cacheRead).toBe(after.cacheRead + after.cacheWrite5m);
  });
});

describe("models that bind thinking (claude-opus-5-5)", () => {
  it("never get a request that they refuse", () => {
    const agent = createAgent({ model: "claude-opus-5-5", isThinking: true });
    const stored: Message[] = [...agent.live];
    let known = agent.live.length;
    const store = (): void => {
      stored.push(...agent.live.slice(known));
      known = agent.live.length;
    };
    for (let round = 0; round < 40; round += 1) {
      agent.round();
      store();
      if (round % 9 === 8) {
        const decision = decideSizeBased({ ...agent.context(), target: { tokens: 10_000 } });
        const { boundary, plan } = clear(agent, decision);
        expect(plan.thinking?.tokens).toBeGreaterThan(0);
        stored.push(boundary);
        known = agent.live.length;
      }
      if (round === 30) {
        agent.client.simulator.advance(HOUR + 1);
        const now = agent.client.simulator.now();
        const decision = decideTimeBased({
          ...agent.context(),
          now,
          isMainThread: true,
          target: { keep: 2 },
        });
        stored.push(clear(agent, decision).boundary);
        known = agent.live.length;
      }
    }
    const resumed = normalise(applyClearings(stored), { tools }).messages;
    expect(JSON.stringify(resumed)).toBe(JSON.stringify(agent.requestMessages()));
    agent.send();
  });

  it("would refuse the same clearing with its thinking left in", () => {
    const agent = createAgent({ model: "claude-opus-5-5", isThinking: true });
    for (let round = 0; round < 8; round += 1) agent.round();
    const decision = decideSizeBased({ ...agent.context(), target: { tokens: 10_000 } });
    if (decision.kind !== "clear") throw new Error(decision.reason);
    const { thinking: _thinking, ...careless } = decision;
    agent.live = applyClearing(agent.live, careless, { origin: agent.origin() }).messages;
    expect(() => agent.send()).toThrow(/bound to a different conversation/);
  });
});
