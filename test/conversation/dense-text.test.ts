import { createConversation, createUserMessage, type Message, type ToolUseBlock } from "@palimpsest/core";
import { readUsage } from "@palimpsest/core/engine";
import { describe, expect, it } from "vitest";
import { textKinds } from "../../packages/palimpsest/src/bench/text-kinds/text-kinds.js";
import { withSummaries, type Player } from "../../packages/palimpsest/src/simulator/index.js";
import { runTokenizers } from "../../packages/palimpsest/src/soak/tokenizers.js";
import { textCounter } from "../text-counter.js";
import { createAgent, createEmbeddedProvider, driveConversation, handedIn } from "./agent.js";
import { orLess, someOf } from "../../packages/palimpsest/src/testing/share.js";

const MODEL = "claude-opus-5";
const kindNamed = (name: string) => {
  const kind = textKinds.find((one) => one.name === name);
  if (kind === undefined) throw new Error(`there is no kind ${name}`);
  return kind;
};

const tools = [{ definition: { name: "Read", input_schema: { type: "object" } } }];

/** Asks for the next thing, for ever. */
const reader: Player = {
  answer: (_prompt, memory) => {
    const turn = typeof memory === "number" ? memory : 0;
    const content = [{ type: "tool_use" as const, name: "Read", input: { path: `${turn}` } }];
    return { answer: { content }, memory: turn + 1 };
  },
};

const refusedBy = ({ log }: ReturnType<typeof createEmbeddedProvider>) =>
  log.since(0).filter(({ status }) => status !== 200);

const start = ({
  window = 60_000,
  model = MODEL,
  settings = {},
  system = "Read everything.",
  text = "",
} = {}) => {
  const provider = createEmbeddedProvider({
    player: withSummaries(reader),
    window,
    clock: "manual",
    counter: textCounter,
  });
  const agent = createAgent({
    provider,
    runTool: () => text,
    conversation: {
      model,
      maxTokens: 2000,
      settings: { window, ...settings },
      system: { custom: system },
      tools: () => tools,
    },
  });
  return { agent, provider, refused: () => refusedBy(provider) };
};

describe("dense text does not stop a conversation", () => {
  it.each(
    someOf(["map", "regex", "bits", "braille", "jsfuck", "english with a map", "spaced bits", "emoji"], 3),
  )("%s, turn after turn", async (name) => {
    let seed = 0;
    const provider = createEmbeddedProvider({
      player: withSummaries(reader),
      window: 60_000,
      clock: "manual",
    });
    const agent = createAgent({
      provider,
      runTool: (_call: ToolUseBlock) => kindNamed(name).make(9000, (seed += 1)),
      conversation: { model: MODEL, maxTokens: 2000, settings: { window: 60_000 }, tools: () => tools },
    });
    await agent.say("Read everything.");
    for (let turn = 0; turn < 30; turn += 1) expect(await agent.turn()).toMatchObject({ kind: "response" });
    expect(agent.steps.length).toBeGreaterThan(0);
    expect(refusedBy(provider)).toEqual([]);
  });

  it.each([
    [60_000, 1],
    [200_000, 2],
  ])("with a tokenizer that nobody has seen, in a window of %i", async (window, seed) => {
    expect(await runTokenizers({ seed, window, turns: orLess(60, 30) })).not.toHaveProperty("failure");
  });

  it("what was learned of a kind stays learned after forty others", async () => {
    // Compacted as soon as that pays, so that the kind comes again after it.
    const settings = { compactEarlyAfter: 0 };
    const outcome = await runTokenizers({ seed: 56, window: 200_000, turns: 76, settings });
    expect(outcome).not.toHaveProperty("failure");
    expect(outcome).toMatchObject({ turns: 76, refusals: 1 });
  });

  it("two texts longer than the window, one after the other, each refused once", async () => {
    const outcome = await runTokenizers({
      seed: 21,
      window: 200_000,
      turns: 13,
      isWindowTold: false,
      largest: 4,
    });
    expect(outcome).not.toHaveProperty("failure");
    expect(outcome).toMatchObject({ turns: 13, refusals: 2 });
  });
});

describe("after a compaction of dense text the size is what the next request has", () => {
  /** Says that it has noted what came. */
  const listener: Player = {
    answer: (_prompt, memory) => {
      const turn = typeof memory === "number" ? memory : 0;
      return { answer: { content: [{ type: "text", text: `Noted ${turn}.` }] }, memory: turn + 1 };
    },
  };
  const listen = ({ system, all = [] }: { readonly system?: string; readonly all?: Message[] }) => {
    const provider = createEmbeddedProvider({
      player: withSummaries(listener),
      window: 200_000,
      clock: "manual",
    });
    const { totals: _totals, ...stages } = handedIn;
    const open = (messages: readonly Message[]) => {
      let ids = messages.length * 10;
      const conversation = createConversation(
        {
          ...stages,
          provider,
          sessionId: "s",
          clock: { now: () => provider.simulator.now() },
          ids: { next: () => `u${(ids += 1)}` },
          model: MODEL,
          maxTokens: 2000,
          ...(system === undefined ? {} : { system: { custom: system } }),
          writer: { append: async (added) => void all.push(...added), close: async () => {} },
        },
        messages,
      );
      return driveConversation(conversation, { provider, runTool: () => "" });
    };
    return { open, all };
  };

  it.each([
    ["amharic", "without system prompt and tools", false],
    ["emoji", "without system prompt and tools", false],
    ["amharic", "resumed from messages alone", true],
    ["emoji", "resumed from messages alone", true],
  ])("%s, %s", async (name, _how, isResumed) => {
    const { open, all } = listen(isResumed ? { system: "Listen." } : {});
    let agent = open([]);
    for (let part = 0; part < 12; part += 1) await agent.say(kindNamed(name).make(6000, part));
    await agent.turn();
    if (isResumed) {
      agent = open([...all]);
      await agent.say("Go on.");
      await agent.turn();
    }
    const compacted = await agent.conversation.compact();
    if (compacted.kind !== "compacted") throw new Error(compacted.message);
    expect(agent.conversation.size().tokens).toBe(compacted.tokensAfter);
    await agent.say("And now?");
    const next = await agent.turn();
    const actual = next.kind === "response" ? (readUsage(next.response.usage)?.inputTokens ?? 0) : 0;
    expect(compacted.tokensAfter / actual).toBeGreaterThan(0.8);
    expect(compacted.tokensAfter / actual).toBeLessThan(1.25);
  });
});

describe("a refusal teaches", () => {
  it("its size is the meter's, its window the model's, and the next request fits", async () => {
    // The engine believes in a window that the API does not have.
    const { agent, refused } = start({ window: 50_000, settings: { window: 400_000 } });
    await agent.say("Here is all of it.");
    const learned: unknown[] = [];
    agent.conversation.events.on("window_learned", (event) => learned.push(event));
    for (let turn = 0; turn < 4; turn += 1) {
      await agent.conversation.append(
        createUserMessage(agent.conversation.origin(), { content: kindNamed("log").make(40_000, turn) }),
      );
    }
    expect(await agent.turn()).toMatchObject({ kind: "response" });
    expect(refused()).toHaveLength(1);
    expect(learned).toEqual([{ model: MODEL, window: 50_000, before: 400_000 }]);
    expect(agent.conversation.size().thresholds.contextWindow).toBe(50_000);
    for (let turn = 0; turn < 20; turn += 1) {
      await agent.say(kindNamed("log").make(6000, 100 + turn));
      expect(await agent.turn()).toMatchObject({ kind: "response" });
    }
    expect(refused()).toHaveLength(1);
  });

  it("before the list changes, the size is what the API said, to the token", async () => {
    const { agent, provider } = start({
      window: 30_000,
      settings: { window: 300_000, reactiveCompact: false },
    });
    await agent.say(kindNamed("braille").make(20_000, 1));
    await expect(agent.turn()).rejects.toThrow(/does not fit/);
    const [record] = provider.log.since(0);
    const stated = /(\d+) tokens > (\d+) maximum/.exec(record?.error?.message ?? "");
    expect(agent.conversation.size()).toMatchObject({
      tokens: Number(stated?.[1]),
      padded: Number(stated?.[1]),
    });
    expect(agent.conversation.size().thresholds.contextWindow).toBe(30_000);
  });

  it("a model of which nothing is known: the assumption is told, once", async () => {
    const { agent } = start();
    const events: unknown[] = [];
    agent.conversation.events.on("window_assumed", (event) => events.push(event));
    await agent.conversation.switchModel("somebody/else-1");
    await agent.say("hello");
    await agent.conversation.prepare();
    await agent.conversation.prepare();
    // The settings name a window: nothing is assumed.
    expect(events).toEqual([]);
    const unknown = createAgent({
      provider: createEmbeddedProvider({ clock: "manual" }),
      runTool: () => "",
      conversation: { model: "somebody/else-1", maxTokens: 2000 },
    });
    unknown.conversation.events.on("window_assumed", (event) => events.push(event));
    await unknown.say("hello");
    await unknown.conversation.prepare();
    await unknown.conversation.prepare();
    expect(events).toEqual([{ model: "somebody/else-1", window: 200_000 }]);
  });
});

describe("a large head", () => {
  it("of two thirds of the window goes on", async () => {
    const system = kindNamed("english").make(90_000, 1);
    const { agent, refused } = start({ window: 40_000, system, text: kindNamed("log").make(1500, 2) });
    await agent.say("Read everything.");
    for (let turn = 0; turn < 40; turn += 1) expect(await agent.turn()).toMatchObject({ kind: "response" });
    const { shownOverhead, thresholds } = agent.conversation.size();
    expect(shownOverhead / thresholds.contextWindow).toBeGreaterThan(0.6);
    expect(agent.steps.length).toBeGreaterThan(0);
    expect(refused()).toEqual([]);
  });

  it("that leaves no room for a round is told in one sentence with the numbers", async () => {
    const sentence =
      /^System prompt and tools take \d\d,\d{3} of the 40,000 tokens of the window: [\d,]+ are left, and a round needs at least 2,000\. Use /;
    const tooLarge = start({ window: 40_000, system: kindNamed("english").make(230_000, 1) });
    await tooLarge.agent.say("Read everything.");
    expect(await tooLarge.agent.turn()).toMatchObject({
      kind: "held",
      reason: "no-room",
      message: expect.stringMatching(sentence),
    });
    // Where only the API can tell, it is asked once.
    const { agent, refused } = start({ window: 40_000, system: kindNamed("english").make(138_000, 1) });
    await agent.say("Read everything.");
    await expect(agent.turn()).rejects.toThrow(sentence);
    expect(await agent.turn()).toMatchObject({ kind: "held", message: expect.stringMatching(sentence) });
    expect(refused()).toHaveLength(1);
  });
});
