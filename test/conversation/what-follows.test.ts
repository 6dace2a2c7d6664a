import { describe, expect, it } from "vitest";
import type { ConversationOptions, Settings } from "@palimpsest/core";
import { withSummaries } from "../../packages/palimpsest/src/simulator/index.js";
import { createAgent, createEmbeddedProvider } from "./agent.js";
import { createWorld, tools, worker } from "./world.js";

const WINDOW = 60_000;

function start(settings: Partial<Settings>, conversation: Partial<ConversationOptions> = {}) {
  const provider = createEmbeddedProvider({
    clock: "manual",
    startTime: Date.UTC(2026, 10, 15, 10),
    window: WINDOW,
    player: withSummaries(worker(false)),
  });
  const world = createWorld(6000);
  const { readState } = world.state;
  const agent = createAgent({
    provider,
    runTool: (call) => world.runTool(call, provider.simulator.now()),
    conversation: {
      model: "claude-opus-5",
      maxTokens: 2000,
      source: "repl_main_thread",
      settings: {
        window: WINDOW,
        reserve: 6000,
        autoCompactBuffer: 3000,
        keepRecentTokens: 4000,
        ...settings,
      },
      system: { custom: "You are an agent." },
      tools: () => tools,
      state: world.state,
      ...conversation,
    },
  });
  const told: string[] = [];
  const { events } = agent.conversation;
  events.on("cache_break", ({ reasons }) => told.push(`break: ${reasons.map(({ kind }) => kind).join(" ")}`));
  events.on("file_restored", ({ path }) => told.push(`restored: ${path}`));
  const step = async (): Promise<void> => {
    const before = agent.steps.length;
    while (agent.steps.length === before) {
      const outcome = await agent.turn();
      if (outcome.kind === "held") throw new Error(outcome.message);
    }
  };
  const readPaths = (): readonly string[] => readState.snapshot().reads.map(({ path }) => path);
  return { agent, provider, told, step, readPaths };
}

describe("after a clearing of a conversation", () => {
  it("files whose text is gone no longer count as read, and the lower reading is no cache break", async () => {
    const host = start({ clearSizeTarget: 6000, clearSizeAtLeast: 2000, clearSizeBelow: 0.9 });
    await host.agent.say("go");
    await host.step();
    expect(host.agent.steps.map(({ tier }) => tier)).toEqual(["size-based"]);
    const shown = JSON.stringify(host.agent.conversation.requestMessages());
    expect(shown).toContain("[Old tool result content cleared]");
    expect(host.readPaths()).not.toContain("/work/f-0.ts");
    expect(host.readPaths().length).toBeGreaterThan(0);
    for (let turn = 0; turn < 3; turn += 1) await host.agent.turn();
    expect(host.told).toEqual([]);
  });
});

describe("after a pause of a conversation", () => {
  const isCleared = /\[Old tool result content cleared\]/g;

  it.each([
    [61, "the five newest"],
    [59, "all"],
  ])("of %i minutes it keeps %s results", async (minutes, kept) => {
    const host = start({});
    await host.agent.say("go");
    for (let turn = 0; turn < 11; turn += 1) await host.agent.turn();
    host.provider.simulator.advance(minutes * 60_000);
    const prepared = await host.agent.conversation.prepare();
    const shown = JSON.stringify(host.agent.conversation.requestMessages());
    const results = shown.match(/"tool_result"/g)?.length ?? 0;
    const cleared = shown.match(isCleared)?.length ?? 0;
    expect(results).toBeGreaterThan(8);
    expect(prepared.steps.map(({ tier }) => tier)).toEqual(kept === "all" ? [] : ["time-based"]);
    expect(results - cleared).toBe(kept === "all" ? results : 5);
  });
});

describe("after a compaction of a conversation", () => {
  it("what counts as read is what the model sees, the host's own things are reset once, and no break is told", async () => {
    const resets: string[] = [];
    const cleanup = {
      memoryFiles: () => void resets.push("memory files"),
      breakBaseline: () => void resets.push("baseline"),
      promptSections: () => void resets.push("sections"),
    };
    const host = start({}, { cleanup });
    await host.agent.say("go");
    for (let turn = 0; turn < 12; turn += 1) await host.agent.turn();
    const before = host.readPaths();
    expect(await host.agent.conversation.compact()).toMatchObject({ kind: "compacted" });
    const after = host.readPaths();
    expect(after.length).toBeLessThan(before.length);
    const restored = host.told.flatMap((text) => /^restored: (.*)/.exec(text)?.[1] ?? []);
    expect(restored).toHaveLength(5);
    expect(after).toEqual(expect.arrayContaining(restored));
    expect(before).toContain("/work/f-0.ts");
    expect(after).not.toContain("/work/f-0.ts");
    expect(resets.toSorted()).toEqual(["baseline", "memory files", "sections"]);
    for (let turn = 0; turn < 3; turn += 1) await host.agent.turn();
    expect(host.told.filter((text) => text.startsWith("break"))).toEqual([]);
  });
});
