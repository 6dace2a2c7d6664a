import { createConversation, createUserMessage } from "@palimpsest/core";
import { compaction } from "@palimpsest/core/compaction";
import { describe, expect, it } from "vitest";
import { createAgent, createEmbeddedProvider } from "./agent.js";
import { output, tools, worker } from "./world.js";

const WINDOW = 60_000;

function start() {
  const provider = createEmbeddedProvider({
    clock: "manual",
    startTime: Date.UTC(2026, 10, 15, 10),
    window: WINDOW,
    player: worker(false),
    maxRetries: 0,
  });
  return createAgent({
    provider,
    runTool: ({ id }) => ({ type: "tool_result", tool_use_id: id, content: output(id.length, 6000) }),
    conversation: {
      compaction: "none",
      model: "claude-opus-5",
      maxTokens: 2000,
      settings: {
        window: WINDOW,
        reserve: 6000,
        autoCompactBuffer: 3000,
        clearSizeTarget: 20_000,
        clearSizeAtLeast: 5000,
      },
      tools: () => tools,
    },
  });
}

describe("what is handed in", () => {
  const options = {
    model: "claude-opus-5",
    maxTokens: 1000,
    sessionId: "s",
    clock: { now: () => 0 },
    ids: { next: () => "u" },
  };

  it("a conversation for which nobody chose a compaction says what is missing", () => {
    expect(() => createConversation(options as never)).toThrow("@palimpsest/core/compaction");
  });

  it("the setting notes without notes says what is missing", () => {
    expect(() => createConversation({ ...options, compaction, settings: { notes: true } })).toThrow(
      "@palimpsest/core/notes",
    );
  });
});

describe("a conversation without compaction", () => {
  it("goes on past its window by clearing old results", async () => {
    const agent = start();
    await agent.say("Fix the parser, and keep the style of the code.");
    for (let turn = 0; turn < 60; turn += 1) {
      expect(await agent.turn()).toMatchObject({ kind: "response" });
      const { thresholds, compactAt } = agent.conversation.size();
      expect(compactAt).toBe(thresholds.autoCompactAt);
    }
    expect(agent.steps.length).toBeGreaterThan(0);
    expect(new Set(agent.steps.map(({ tier }) => tier))).toEqual(new Set(["size-based"]));
  });

  it("is held, not refused, where nothing is left to clear; nothing is lost", async () => {
    const agent = start();
    const { conversation } = agent;
    while (conversation.size().padded < conversation.size().thresholds.hardAt) {
      await conversation.append(
        createUserMessage(conversation.origin(), { content: output(agent.ids(), 6000) }),
      );
    }
    const { live } = conversation;
    expect(await conversation.plan()).toMatchObject({ tier: "none" });
    expect(await conversation.prepare()).toMatchObject({
      kind: "held",
      reason: "compaction-failed",
      failure: { reason: "disabled" },
    });
    expect(await conversation.compact()).toMatchObject({ kind: "failed", reason: "disabled" });
    expect(await conversation.undo()).toMatchObject({ kind: "failed" });
    expect(conversation.live).toBe(live);
  });

  it("plans the clearing that it then does", async () => {
    const agent = start();
    await agent.say("Fix the parser.");
    for (let turn = 0; turn < 60 && agent.steps.length === 0; turn += 1) {
      const plan = await agent.conversation.plan();
      await agent.turn();
      const [step] = agent.steps;
      expect(plan.tier).toBe(step?.tier ?? "none");
      if (plan.tier === "size-based") expect(plan.tokensAfter).toBeLessThan(plan.tokens);
    }
    expect(agent.steps).toHaveLength(1);
  });
});
