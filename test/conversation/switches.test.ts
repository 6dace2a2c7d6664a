import { describe, expect, it } from "vitest";
import { resolveSettings, type Settings } from "@palimpsest/core";
import { withSummaries } from "../../packages/palimpsest/src/simulator/index.js";
import { createAgent, createEmbeddedProvider } from "./agent.js";
import { output, tools, worker } from "./world.js";

const WINDOW = 40_000;

function start(settings: Partial<Settings> = {}) {
  const provider = createEmbeddedProvider({
    clock: "manual",
    startTime: Date.UTC(2026, 10, 15, 10),
    window: WINDOW,
    player: withSummaries(worker(false)),
  });
  const small = { window: WINDOW, reserve: 6000, autoCompactBuffer: 3000, keepRecentTokens: 2000 };
  const agent = createAgent({
    provider,
    runTool: ({ id }) => ({ type: "tool_result", tool_use_id: id, content: output(id.length, 4000) }),
    conversation: {
      model: "claude-opus-5",
      maxTokens: 2000,
      source: "repl_main_thread",
      settings: { ...small, ...settings },
      system: { custom: "You are an agent." },
      tools: () => tools,
    },
  });
  return agent;
}

const requestOf = async (settings: Partial<Settings> = {}): Promise<string> => {
  const agent = start(settings);
  await agent.say("go");
  await agent.turn();
  const prepared = await agent.conversation.prepare();
  if (prepared.kind === "held") throw new Error(prepared.message);
  return JSON.stringify(prepared.built.request);
};

describe("prompt caching", () => {
  it("is on, for five minutes without a word and for an hour by its name", async () => {
    expect(await requestOf({ cacheTtl: "5m" })).toMatch(/"cache_control":\{"type":"ephemeral"\}/);
    expect(await requestOf({ cacheTtl: "5m" })).not.toContain('"ttl"');
    expect(await requestOf({ cacheTtl: "1h" })).toMatch(/"cache_control":\{"type":"ephemeral","ttl":"1h"\}/);
  });

  it("is off by a variable, or for models by their names: no marker is sent", async () => {
    const { disablePromptCaching } = resolveSettings({ env: { DISABLE_PROMPT_CACHING: "1" } }).settings;
    expect(await requestOf({ disablePromptCaching })).not.toContain("cache_control");
    expect(await requestOf({ disablePromptCachingModels: ["*opus*"] })).not.toContain("cache_control");
    expect(await requestOf({ disablePromptCachingModels: ["*haiku*"] })).toContain("cache_control");
  });
});

describe("clearing", () => {
  const clearsEarly = { clearSizeTarget: 2000, clearSizeAtLeast: 2000, clearSizeBelow: 0.9 };
  const firstTier = async (settings: Partial<Settings>): Promise<string | undefined> => {
    const agent = start({ ...clearsEarly, ...settings });
    await agent.say("go");
    for (let turn = 0; turn < 60 && agent.steps.length === 0; turn += 1) await agent.turn();
    return agent.steps[0]?.tier;
  };

  it("comes before a summary, and not at all where a variable turns it off", async () => {
    const { settings, problems } = resolveSettings({ env: { DISABLE_MICROCOMPACT: "1" } });
    const { settings: defaults } = resolveSettings({});
    const changed = Object.entries(settings).filter(([name, value]) => Reflect.get(defaults, name) !== value);
    expect([changed.length, problems]).toEqual([1, []]);
    expect(await firstTier({})).toBe("size-based");
    expect(await firstTier(Object.fromEntries(changed))).toBe("full");
  });
});

describe("the chain of compactions", () => {
  /** What the events say of compactions, each after so many responses. */
  const chainOf = async (pauses: readonly number[]) => {
    const agent = start();
    const told: string[] = [];
    agent.conversation.events.on("compact", ({ chain }) =>
      told.push(chain?.isRecompaction === true ? "again" : "first"),
    );
    agent.conversation.events.on("recompacted_early", () => told.push("early"));
    await agent.say("go");
    for (const pause of pauses) {
      for (let turn = 0; turn < pause; turn += 1) await agent.turn();
      await agent.say(output(pause, 3000));
      await agent.turn();
      const outcome = await agent.conversation.compact();
      if (outcome.kind === "failed") throw new Error(outcome.message);
    }
    return told;
  };

  it("tells a first one from a further one, and one that comes too early, counting anew from each", async () => {
    expect(await chainOf([4, 1])).toEqual(["first", "early", "again"]);
    expect(await chainOf([4, 3])).toEqual(["first", "again"]);
    expect(await chainOf([4, 3, 1])).toEqual(["first", "again", "early", "again"]);
  });
});
