import { createUserMessage, type Message, type ToolUseBlock } from "@palimpsest/core";
import { describe, expect, it } from "vitest";
import { createMemoryStore } from "../../packages/palimpsest/src/stores/index.js";
import { withSummaries } from "../../packages/palimpsest/src/simulator/index.js";
import { createAgent, createEmbeddedProvider } from "./agent.js";
import { createWorld, tools, worker } from "./world.js";

const WINDOW = 60_000;

describe.each([
  ["size-based", { clearSizeTarget: 6000, clearSizeAtLeast: 3000, clearSizeBelow: 0.9 }],
  ["full", { keepRecentTokens: 12_000 }],
] as const)("somebody who types all the time (%s)", (tier, settings) => {
  it("loses nothing on resume: messages that were begun before room was made, and while answers came", async () => {
    const provider = createEmbeddedProvider({
      clock: "manual",
      window: WINDOW,
      player: withSummaries(worker(false)),
    });
    const world = createWorld(2000);
    const store = createMemoryStore();
    const options = {
      model: "claude-opus-5",
      maxTokens: 4000,
      source: "repl_main_thread",
      settings: {
        window: WINDOW,
        reserve: 8000,
        autoCompactBuffer: 4000,
        compactEarlyLeast: 1,
        notes: false,
        ...settings,
      },
      tools: () => tools,
      state: world.state,
    };
    const runTool = (call: ToolUseBlock) => world.runTool(call, provider.simulator.now());
    const { conversation, say } = createAgent({
      provider,
      runTool,
      conversation: { ...options, writer: await store.open("typing") },
    });
    const begin = (text: string): Message => createUserMessage(conversation.origin(), { content: text });
    const resumed = async () =>
      createAgent({
        provider,
        runTool,
        conversation: options,
        messages: [...(await store.readLive("typing")).messages],
        firstId: 100_000,
      }).conversation;

    const tiers = new Set<string>();
    await say("Work.");
    for (let turn = 0; turn < 60; turn += 1) {
      provider.simulator.advance(2000);
      const before = begin(`begun before turn ${turn}`);
      const prepared = await conversation.prepare();
      if (prepared.kind === "held") throw new Error(prepared.message);
      for (const step of prepared.steps) tiers.add(step.tier);
      if (turn % 3 === 0 || prepared.steps.length > 0) await conversation.append(before);
      const during = begin(`begun during turn ${turn}`);
      for await (const piece of provider.stream(prepared.call)) {
        if (piece.kind !== "message") continue;
        if (turn % 2 === 0) await conversation.append(during);
        await conversation.observe(prepared, { kind: "response", response: piece.message });
        const calls = piece.message.content.filter(
          (block): block is ToolUseBlock => block.type === "tool_use",
        );
        const content = calls.map((call) => {
          const answer = runTool(call);
          return typeof answer === "string"
            ? { type: "tool_result" as const, tool_use_id: call.id, content: answer }
            : answer;
        });
        await conversation.append(
          createUserMessage(conversation.origin(), { content: content.length === 0 ? "Go on." : content }),
        );
      }
      expect((await resumed()).requestMessages(), `turn ${turn}`).toEqual(conversation.requestMessages());
    }
    expect(tiers).toContain(tier);
  });
});
