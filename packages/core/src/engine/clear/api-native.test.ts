import { describe, expect, it } from "vitest";
import { findModel } from "../../models/table.js";
import {
  decideApiNative,
  nativeTrigger,
  noNativeClearing,
  noteNativeResponse,
  type NativeContext,
} from "./api-native.js";
import { createCompactableTools } from "../tools/compactable-tools.js";
import { defaultSettings } from "../settings/settings.js";
import { contextOf } from "./testing/context.js";
import { createSample, filler, SAMPLE_START } from "../tools/testing/sample.js";

const large = { autoCompactAt: 967_000, effectiveWindow: 980_000 };
const conversation = (count: number, tokens = 10_000) => {
  const sample = createSample();
  const rounds = Array.from({ length: count }, (_, index) =>
    sample.round({ calls: [{ result: filler(`r${index}`, tokens) }] }),
  );
  return { sample, messages: [sample.user("begin"), ...rounds.flat(), ...sample.round({ text: "so" })] };
};
const nativeContext = (count: number, change: Partial<NativeContext> = {}): NativeContext => ({
  ...contextOf(conversation(count).messages),
  state: noNativeClearing,
  tools: createCompactableTools(),
  declaredTools: ["Read", "Edit", "Write", "TodoWrite", "mcp__x__y"].map((name) => ({ name })),
  isThinking: true,
  contextTokens: 200_000,
  thresholds: large,
  now: SAMPLE_START + 1000,
  ...change,
});

describe("the provider's own clearing", () => {
  it("carries the strategies, thinking first", () => {
    const { parameter, results } = decideApiNative(nativeContext(20));
    expect(results).toEqual({ kind: "clear", tokensBefore: 200_000, tokensAfter: 40_000 });
    expect(parameter).toEqual({
      edits: [
        { type: "clear_thinking_20251015", keep: "all" },
        {
          type: "clear_tool_uses_20250919",
          trigger: { type: "input_tokens", value: 180_000 },
          keep: { type: "tool_uses", value: 4 },
          clear_at_least: { type: "input_tokens", value: 20_000 },
          exclude_tools: ["TodoWrite", "mcp__x__y"],
          clear_tool_inputs: ["Edit", "Write"],
        },
      ],
    });
  });

  it("the trigger lies below the point of compaction", () => {
    const settings = defaultSettings;
    expect(nativeTrigger({ settings, thresholds: large })).toBe(180_000);
    const small = { autoCompactAt: 167_000, effectiveWindow: 180_000 };
    expect(nativeTrigger({ settings, thresholds: small })).toBe(135_000);
  });

  it("keeps at least three, however large", () => {
    const context = { ...nativeContext(1), ...contextOf(conversation(8, 50_000).messages) };
    expect(decideApiNative(context).state.toolUses?.keep.value).toBe(3);
  });

  it("holds what it sent until the next compaction", () => {
    const first = decideApiNative(nativeContext(20));
    const later = decideApiNative(nativeContext(3, { state: first.state, contextTokens: 50_000 }));
    expect(later.parameter).toEqual(first.parameter);
    expect(decideApiNative(nativeContext(3, { contextTokens: 50_000 })).parameter).toEqual({
      edits: [{ type: "clear_thinking_20251015", keep: "all" }],
    });
  });

  it.each<[string, Partial<NativeContext>, number]>([
    ["below-trigger", { contextTokens: 180_000 }, 20],
    ["nothing-to-clear", {}, 3],
    ["saves-too-little", {}, 5],
    ["not-supported", { model: undefined }, 20],
    ["disabled", { settings: { ...defaultSettings, disableClearing: true } }, 20],
  ])("%s", (reason, change, count) => {
    expect(decideApiNative(nativeContext(count, change)).results).toMatchObject({ kind: "keep", reason });
  });

  it("prices the boundary that moves with each result", () => {
    const model = findModel("claude-opus-5");
    if (model === undefined) throw new Error("no model");
    const cost = (state: "warm" | "cold" | "off") => ({
      prices: model.prices,
      cache: { state, ttl: "5m" } as const,
    });
    const decide = (count: number, state: "warm" | "cold" | "off") =>
      decideApiNative(nativeContext(count, { cost: cost(state) })).results;
    const refused = decide(20, "warm");
    expect(refused).toMatchObject({ kind: "keep", reason: "does-not-pay" });
    expect(refused.cost?.spent).toBeGreaterThan(refused.cost?.saved ?? 0);
    expect(decide(20, "cold")).toMatchObject({ kind: "keep", reason: "does-not-pay" });
    expect(decide(90, "cold")).toMatchObject({ kind: "clear", cost: { pays: true } });
    expect(decide(20, "off")).toMatchObject({ kind: "clear" });
  });

  it("after an hour idle keeps the last thinking turn only, and stays with that", () => {
    const idle = decideApiNative(nativeContext(3, { now: SAMPLE_START + 3_600_001 }));
    const lastTurn = { type: "clear_thinking_20251015", keep: { type: "thinking_turns", value: 1 } };
    expect(idle.parameter?.edits).toEqual([lastTurn]);
    const later = decideApiNative(nativeContext(3, { state: idle.state }));
    expect(later.parameter?.edits).toEqual([lastTurn]);
    expect(decideApiNative(nativeContext(3, { isThinking: false })).parameter).toBeUndefined();
  });

  it("records what the provider says it cleared, once", () => {
    const { sample, messages } = conversation(20);
    const { index } = contextOf(messages);
    const { state } = decideApiNative(nativeContext(20));
    const said = (count: number, tokens: number) => ({
      applied_edits: [
        { type: "clear_tool_uses_20250919", cleared_tool_uses: count, cleared_input_tokens: tokens },
      ],
    });
    const options = { index, origin: sample.origin() };
    const first = noteNativeResponse(state, said(16, 160_000), options);
    expect(first.cleared?.boundary.microcompactMetadata).toMatchObject({
      variant: "api-native",
      toolUseIds: { length: 16 },
      tokensBefore: index.totalTokens,
      tokensAfter: index.totalTokens - 160_000,
    });
    expect(first.cleared?.notice.keepsPrefix).toBe(false);
    const same = noteNativeResponse(first.state, said(16, 160_000), options);
    expect(same).toEqual({ state: first.state });
    index.append([...sample.round({ calls: [{}] }), ...sample.round({})]);
    const next = noteNativeResponse(first.state, said(17, 170_000), options);
    expect(next.cleared?.boundary.microcompactMetadata.toolUseIds).toEqual(["toolu_17"]);
    expect(noteNativeResponse(state, null, options)).toEqual({ state });
  });
});
