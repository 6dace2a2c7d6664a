import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { Message } from "../../messages/message.js";
import { findModel } from "../../models/table.js";
import { defaultSettings } from "../settings/settings.js";
import { decideApiNative, noNativeClearing } from "./api-native.js";
import { isClearingBoundary } from "../boundaries/clearing-boundary.js";
import { applyCached, decideCached, noCachedEdits, pinDeletions } from "./cached-edits.js";
import { createCompactableTools } from "../tools/compactable-tools.js";
import { createResultIndex } from "./result-index.js";
import { decideSizeBased } from "./size-based.js";
import { contextOf, estimator } from "./testing/context.js";
import { createSample, filler } from "../tools/testing/sample.js";

const names = ["Read", "Bash", "Edit", "TodoWrite", "AskUserQuestion", "mcp__a__b"] as const;
const tools = createCompactableTools();
const call = fc.record({
  name: fc.constantFrom(...names),
  input: fc.constantFrom({ file_path: "/a" }, { file_path: "/b" }, {}),
  result: fc.nat({ max: 900 }).map((tokens) => filler("r", tokens)),
});
const rounds = fc.array(fc.array(call, { minLength: 1, maxLength: 4 }), { minLength: 4, maxLength: 25 });
const origin = {
  clock: { now: () => 0 },
  ids: { next: () => "boundary" },
  sessionId: "s",
  parentUuid: null,
};

it("cached: never twice, never the newest, never outside the allowlist, and restored as it was", () => {
  fc.assert(
    fc.property(rounds, fc.nat({ max: 6 }), fc.integer({ min: 1, max: 12 }), (list, keep, trigger) => {
      const sample = createSample();
      const index = createResultIndex({ estimator, tools });
      const settings = { ...defaultSettings, clearCachedKeep: keep, clearCachedTrigger: trigger };
      const stored: Message[] = [];
      const take = (messages: readonly Message[]): void => {
        index.append(messages);
        stored.push(...messages);
      };
      let state = noCachedEdits;
      take([sample.user("begin")]);
      for (const calls of list) {
        take(sample.round({ calls, text: "looking" }));
        const context = { index, estimator, settings, model: findModel("claude-opus-5"), canEditCache: true };
        const plan = decideCached({ ...context, state });
        if (plan.kind !== "clear") continue;
        const active = index.active().filter(({ id }) => !state.deleted.has(id));
        const newest = new Set(active.slice(Math.max(0, active.length - keep)).map(({ id }) => id));
        for (const { id, toolName } of plan.results) {
          expect(tools.kindOf(toolName)).toBeDefined();
          expect(newest.has(id)).toBe(false);
          expect(state.deleted.has(id)).toBe(false);
        }
        const freed = plan.results.reduce((sum, result) => sum + result.tokensBefore, 0);
        expect(plan.tokensBefore - plan.tokensAfter).toBe(freed);
        const applied = applyCached(state, plan, { origin, position: { message: stored.length, block: 0 } });
        state = applied.state;
        take([applied.boundary]);
        expect(decideCached({ ...context, state }).kind).toBe("keep");
      }
      const restored = stored.filter(isClearingBoundary).reduce(pinDeletions, noCachedEdits);
      expect(restored.pinned).toEqual(state.pinned);
      expect([...restored.deleted]).toEqual([...state.deleted]);
      expect(restored.deletedTokens).toBe(state.deletedTokens);
    }),
    { numRuns: 2500 },
  );
});

it("api-native: what may not be cleared is excluded, whatever the tools", () => {
  fc.assert(
    fc.property(rounds, fc.subarray([...names]), (list, declared) => {
      const sample = createSample();
      const messages = list.flatMap((calls) => sample.round({ calls, text: "looking" }));
      const context = contextOf([sample.user("begin"), ...messages], {
        settings: { clearNativeAtLeast: 0, clearNativeKeepTokens: 1 },
      });
      const { parameter, state } = decideApiNative({
        ...context,
        state: noNativeClearing,
        tools,
        declaredTools: declared.map((name) => ({ name })),
        isThinking: true,
        contextTokens: 500_000,
        thresholds: { autoCompactAt: 167_000, effectiveWindow: 180_000 },
        now: 0,
      });
      const edit = parameter?.edits.find(({ type }) => type === "clear_tool_uses_20250919");
      if (edit === undefined || edit.type !== "clear_tool_uses_20250919") return;
      expect(edit.exclude_tools ?? []).toEqual(declared.filter((name) => tools.kindOf(name) === undefined));
      // held: the same parameter again, whatever came since
      expect(state.toolUses).toMatchObject({ keep: edit.keep });
    }),
    { numRuns: 2500 },
  );
});

describe("a refusal for want of gain", () => {
  const cost = {
    prices: { input: 5, output: 25, cacheRead: 0.5, cacheWrite5m: 6.25, cacheWrite1h: 10 },
    cache: { state: "warm", ttl: "5m" },
    expectedRoundsLeft: 0,
  } as const;
  const sample = createSample();
  const calls = (count: number) =>
    Array.from({ length: count }, () =>
      sample.round({ calls: [{ name: "Bash", input: {}, result: filler("r", 1000) }] }),
    );
  const context = { ...contextOf([sample.user("begin"), ...calls(80).flat()]), cost };
  const refused = decideSizeBased(context);

  it("stands while little comes, and is asked again when more does", () => {
    expect(refused).toMatchObject({ kind: "keep", reason: "does-not-pay" });
    expect(decideSizeBased({ ...context, previous: refused })).toBe(refused);
    context.index.append(calls(10).flat());
    expect(decideSizeBased({ ...context, previous: refused })).not.toBe(refused);
  });

  it("falls when the cache is cold, under pressure, or when somebody asks", () => {
    const again = decideSizeBased(context);
    const cold = { ...cost, cache: { state: "cold", ttl: "5m" }, expectedRoundsLeft: 20 } as const;
    expect(decideSizeBased({ ...context, previous: again, cost: cold }).kind).toBe("clear");
    expect(decideSizeBased({ ...context, previous: again, isPressed: true }).kind).toBe("clear");
    expect(decideSizeBased({ ...context, previous: again, target: { tokens: 1000 } }).kind).toBe("clear");
  });
});
