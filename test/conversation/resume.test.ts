import { describe, expect, it } from "vitest";
import { createConversation, type ConversationOptions, type Message } from "@palimpsest/core";
import { liveMessages } from "@palimpsest/core/engine";
import { withSummaries } from "../../packages/palimpsest/src/simulator/index.js";
import { orLess } from "../../packages/palimpsest/src/testing/share.js";
import { createAgent, createEmbeddedProvider, handedIn } from "./agent.js";
import { createWorld, tools, worker } from "./world.js";

const WINDOW = 60_000;

describe.each([
  ["claude-opus-5", false],
  ["claude-opus-5-5", false],
  ["claude-opus-5", true],
])("a conversation resumed from its transcript (%s, edits inside the cache: %s)", (model, cacheEdits) => {
  it("builds the same bytes, markers and all", async () => {
    const provider = createEmbeddedProvider({
      clock: "manual",
      startTime: Date.UTC(2026, 10, 15, 10),
      window: WINDOW,
      cacheEdits,
      player: withSummaries(worker(true)),
    });
    const world = createWorld(2000);
    const all: Message[] = [];
    const conversation: Omit<ConversationOptions, "clock" | "ids" | "sessionId" | "provider" | "compaction"> =
      {
        model,
        maxTokens: 4000,
        source: "repl_main_thread",
        settings: { window: WINDOW, reserve: 8000, autoCompactBuffer: 4000, compactEarlyLeast: 1 },
        system: { custom: "You are an agent." },
        tools: () => tools,
        parameters: { thinking: { type: "adaptive" } },
        state: world.state,
        writer: {
          append: async (messages) => void all.push(...messages),
          close: async () => {},
        },
      };
    const agent = createAgent({
      provider,
      runTool: (call) => world.runTool(call, provider.simulator.now()),
      conversation,
    });
    await agent.say("Work.");
    let compared = 0;
    for (let turn = 0; turn < orLess(60, 30); turn += 1) {
      const outcome = await agent.turn();
      if (outcome.kind === "held") throw new Error(outcome.message);
      const { padded, thresholds } = agent.conversation.size();
      if (padded >= thresholds.autoCompactAt) continue;
      const { writer: _writer, ...rest } = conversation;
      const resumed = createConversation(
        {
          ...handedIn,
          ...rest,
          provider,
          sessionId: "s",
          clock: { now: () => provider.simulator.now() },
          ids: { next: () => "unused" },
        },
        liveMessages(all),
      );
      const [live, again] = [await agent.conversation.prepare(), await resumed.prepare()];
      if (live.kind === "held" || again.kind === "held") throw new Error("held");
      expect(live.steps.map(({ tier }) => tier)).toEqual(again.steps.map(({ tier }) => tier));
      if (live.steps.length === 0)
        expect(JSON.stringify(again.built.request)).toBe(JSON.stringify(live.built.request));
      compared += 1;
    }
    expect(compared).toBeGreaterThan(orLess(30, 12));
  });
});
