import { describe, expect, it } from "vitest";
import {
  decideApiNative,
  noNativeClearing,
  noteNativeResponse,
  type NativeContext,
} from "../../packages/core/src/engine/clear/api-native.js";
import { createCompactableTools } from "../../packages/core/src/engine/tools/compactable-tools.js";
import { CONTEXT_MANAGEMENT_BETA } from "../../packages/core/src/engine/clear/context-management.js";
import { createAgent, isAbout, tools } from "./agent.js";

const HOUR = 3_600_000;

describe.each([
  ["claude-opus-5", false],
  ["claude-opus-5-5", true],
])("the provider's own clearing, against the simulator (%s)", (model, isThinking) => {
  const settings = { clearNativeTrigger: 40_000, clearNativeAtLeast: 10_000, clearNativeKeepTokens: 20_000 };

  it("clears as announced, holds its parameter, and loses the prefix from the block that it newly clears", () => {
    const agent = createAgent({ model, isThinking, settings });
    let state = noNativeClearing;
    let contextTokens = 0;
    const boundaries: (readonly string[])[] = [];
    const turn = () => {
      const context: NativeContext = {
        ...agent.context(),
        state,
        tools: createCompactableTools(),
        declaredTools: tools,
        isThinking,
        contextTokens,
        thresholds: { autoCompactAt: 967_000, effectiveWindow: 980_000 },
        now: agent.client.simulator.now(),
      };
      const decision = decideApiNative(context);
      const body = decision.parameter === undefined ? {} : { context_management: decision.parameter };
      const tokensBefore = agent.index.totalTokens;
      const outcome = agent.round({ body, betas: [CONTEXT_MANAGEMENT_BETA], markAlso: 2 });
      const noted = noteNativeResponse(decision.state, outcome.message["context_management"], {
        index: agent.index,
        origin: agent.origin(),
      });
      state = noted.state;
      if (noted.cleared !== undefined)
        boundaries.push(noted.cleared.boundary.microcompactMetadata.toolUseIds);
      contextTokens = outcome.verdict.promptTokens + outcome.verdict.output + 2500;
      return { ...outcome, decision, noted, tokensBefore };
    };
    let result = turn();
    while (result.decision.results.kind === "keep") result = turn();
    const [thinking, toolUses] = isThinking
      ? (result.decision.parameter?.edits ?? [])
      : [undefined, ...(result.decision.parameter?.edits ?? [])];
    expect(thinking?.type).toBe(isThinking ? "clear_thinking_20251015" : undefined);
    expect(toolUses).toMatchObject({ exclude_tools: ["TodoWrite"], clear_tool_inputs: ["Edit"] });
    const { decision } = result;
    if (decision.results.kind !== "clear") throw new Error("not used");
    const announced = decision.results.tokensBefore - decision.results.tokensAfter;
    expect(isAbout(result.noted.cleared?.notice.deletedTokens ?? 0, announced)).toBe(true);
    // the parameter is new: only what stands before the messages is still read
    expect(result.verdict.hit?.path).toBe("system.0");

    // the server decides by what was sent, every time: once it is above the trigger, one more result each turn
    const next = turn();
    expect(next.decision.parameter).toEqual(decision.parameter);
    expect(next.verdict.hit?.path).toBe("messages.2.content.0");
    expect(boundaries.at(-1)).toHaveLength(1);
    expect(new Set(boundaries.flat()).size).toBe(boundaries.flat().length);
  });

  it("after an hour idle the thinking of older turns goes, and stays away", () => {
    const agent = createAgent({ model: "claude-opus-5-5", isThinking: true });
    const decide = (state: NativeContext["state"]) =>
      decideApiNative({
        ...agent.context(),
        state,
        tools: createCompactableTools(),
        declaredTools: tools,
        isThinking: true,
        contextTokens: 0,
        thresholds: { autoCompactAt: 967_000, effectiveWindow: 980_000 },
        now: agent.client.simulator.now(),
      });
    let decision = decide(noNativeClearing);
    const turn = () => {
      decision = decide(decision.state);
      return agent.round({
        body: { context_management: decision.parameter },
        betas: [CONTEXT_MANAGEMENT_BETA],
      });
    };
    for (let count = 0; count < 6; count += 1) turn();
    agent.client.simulator.advance(HOUR + 1);
    const after = turn();
    expect(after.message["context_management"]).toMatchObject({
      applied_edits: [{ type: "clear_thinking_20251015", cleared_thinking_turns: 5 }],
    });
    turn();
    expect(decision.state.thinking).toBe("last-turn");
  });
});
