import { branches } from "@palimpsest/core/branches";
import { describe, expect, it } from "vitest";
import {
  createConversation,
  createUserMessage,
  type ConversationOptions,
  type Message,
  type ToolUseBlock,
  type UserBlock,
} from "@palimpsest/core";
import { liveMessages } from "@palimpsest/core/engine";
import { withSummaries } from "../../packages/palimpsest/src/simulator/index.js";
import { textCounter } from "../text-counter.js";
import { createAgent, createEmbeddedProvider, handedIn } from "./agent.js";
import { createWorld, output, tools, worker } from "./world.js";

const WINDOW = 40_000;
const settings = { window: WINDOW, reserve: 8000, autoCompactBuffer: 4000, compactEarlyLeast: 1 };

function createStage(options: Partial<ConversationOptions> = {}) {
  const provider = createEmbeddedProvider({
    clock: "manual",
    startTime: Date.UTC(2026, 10, 15, 10),
    window: WINDOW,
    counter: textCounter,
    player: withSummaries(worker(false)),
  });
  const world = createWorld(2000);
  const stored: Message[] = [];
  const conversation = {
    model: "claude-opus-5",
    maxTokens: 4000,
    source: "repl_main_thread",
    settings,
    system: { custom: "You are an agent." },
    tools: () => tools,
    state: world.state,
    writer: { append: async (messages) => void stored.push(...messages), close: async () => {} },
    branches: branches({ history: async () => [...stored] }),
    ...options,
  } satisfies Parameters<typeof createAgent>[0]["conversation"];
  const agent = createAgent({
    provider,
    runTool: (call) => world.runTool(call, provider.simulator.now()),
    conversation,
  });
  const pin = (content: string | readonly UserBlock[]) =>
    agent.conversation.append(createUserMessage(agent.conversation.origin(), { content }), { pin: true });
  const work = async (turns: number): Promise<void> => {
    for (let turn = 0; turn < turns; turn += 1)
      expect(await agent.turn()).toMatchObject({ kind: "response" });
  };
  const { writer: _writer, ...rest } = conversation;
  const resume = () =>
    createConversation(
      {
        ...handedIn,
        ...rest,
        provider,
        sessionId: "s",
        clock: { now: () => provider.simulator.now() },
        ids: { next: () => "unused" },
      },
      liveMessages(stored),
    );
  return { agent, conversation: agent.conversation, provider, world, stored, pin, work, resume };
}

const sent = ({ requestMessages }: { readonly requestMessages: () => unknown }): string =>
  JSON.stringify(requestMessages());
const rule = (name: string): string => `Rule ${name}: ${output(name.length * 7, 300).replaceAll("\n", " ")}`;
const pinnedIn = (live: readonly Message[]): readonly unknown[] =>
  live.flatMap((message) =>
    message.isPinned === true && message.type === "user" ? [message.message.content] : [],
  );
const textOf = (message: Message | undefined): string => JSON.stringify(message);

describe("what is pinned", () => {
  it.each([
    ["by a fork", {}],
    ["by a call of its own", { compactFork: false }],
    ["by the provider", { compactServerWriter: true }],
  ])("stays word for word through every compaction that is written %s", async (_by, given) => {
    const { agent, conversation, stored, pin, work, resume } = createStage({
      settings: { ...settings, ...given },
    });
    await agent.say("Work.");
    await pin(rule("one"));
    await work(6);
    await pin(rule("three"));
    await work(6);
    for (let round = 0; round < 3; round += 1) {
      expect(await conversation.compact()).toMatchObject({ kind: "compacted" });
      expect(pinnedIn(conversation.live)).toEqual([rule("one"), rule("three")]);
      const places = [rule("one"), rule("three")].map((text) => sent(conversation).lastIndexOf(text));
      expect(places[0]).toBeGreaterThan(0);
      expect(places[1]).toBeGreaterThan(places[0] ?? Infinity);
      expect(sent(resume())).toBe(sent(conversation));
      await work(6);
    }
    const copies = stored.filter(({ isPinned }) => isPinned === true);
    expect(copies).toHaveLength(2 + 3 * 2);
  });

  it("stays where a part is compacted, and where that is undone", async () => {
    const { agent, conversation, pin, work, resume } = createStage();
    await agent.say("Work.");
    await pin(rule("one"));
    await work(5);
    const middle = conversation.live.at(-1)?.uuid ?? "";
    await pin(rule("three"));
    await work(5);
    expect(await conversation.compact({ scope: { kind: "up_to", pivot: middle } })).toMatchObject({
      kind: "compacted",
    });
    expect(pinnedIn(conversation.live)).toEqual([rule("one"), rule("three")]);
    const pivot = conversation.live.find((message) => textOf(message).includes(rule("three")))?.uuid ?? "";
    expect(await conversation.compact({ scope: { kind: "from", pivot } })).toMatchObject({
      kind: "compacted",
    });
    expect(pinnedIn(conversation.live)).toEqual([rule("one"), rule("three")]);
    expect(sent(resume())).toBe(sent(conversation));
    expect((await conversation.undo()).kind).toBe("undone");
    expect(pinnedIn(conversation.live)).toEqual([rule("one"), rule("three")]);
  });

  it("stays in a summary made of notes, which does not quote it again", async () => {
    const { agent, conversation, pin, work } = createStage({
      settings: {
        ...settings,
        notes: true,
        notesFirstTokens: 1000,
        notesTokensBetweenUpdates: 1000,
        notesKeepTokens: 500,
        notesKeepMessages: 1,
        notesKeepMostTokens: 2000,
      },
    });
    await agent.say("Work.");
    await pin(rule("one"));
    await work(9);
    await conversation.notes?.idle();
    const outcome = await conversation.compact();
    expect(outcome).toMatchObject({ kind: "compacted", writer: "notes" });
    expect(sent(conversation).split(rule("one"))).toHaveLength(2);
    if (outcome.kind === "compacted") expect(outcome.summary).not.toContain(rule("one"));
  });

  it("brings the call of a pinned result along, and no clearing takes the result", async () => {
    const wanted: string[] = [];
    const { agent, conversation, provider, work, resume } = createStage({
      stages: [{ name: "all", perform: () => ({ clear: wanted.splice(0) }) }],
    });
    await agent.say("Work.");
    const prepared = await conversation.prepare();
    if (prepared.kind === "held") throw new Error(prepared.message);
    const calls: ToolUseBlock[] = [];
    for await (const answer of provider.stream(prepared.call)) {
      if (answer.kind !== "message") continue;
      await conversation.observe(prepared, { kind: "response", response: answer.message });
      calls.push(...answer.message.content.filter((block) => block.type === "tool_use"));
    }
    const content = calls.map(({ id }): UserBlock => ({
      type: "tool_result",
      tool_use_id: id,
      content: rule("result").repeat(20),
    }));
    await conversation.append(createUserMessage(conversation.origin(), { content }), { pin: true });
    await work(8);
    wanted.push(...calls.map(({ id }) => id));
    expect((await conversation.prepare()).steps).toEqual([]);
    expect(wanted).toEqual([]);
    for (let round = 0; round < 2; round += 1) {
      expect(await conversation.compact()).toMatchObject({ kind: "compacted" });
      expect(sent(conversation)).toContain(rule("result"));
      expect(sent(conversation)).toContain(`"type":"tool_use","id":"${calls[0]?.id}"`);
      expect(sent(resume())).toBe(sent(conversation));
      // Its requests are judged.
      await work(6);
    }
  });

  it("is the last picture to go", async () => {
    const { agent, conversation, pin, work } = createStage({ settings: { ...settings, mediaImages: 4 } });
    await agent.say("Work.");
    const picture = (name: string): readonly UserBlock[] => [
      { type: "image", source: { type: "base64", media_type: "image/png", data: pixel } },
      { type: "text", text: name },
    ];
    await pin(picture("the plan"));
    await work(1);
    for (let at = 0; at < 5; at += 1) {
      await agent.say(picture(`picture ${at}`));
      await work(1);
    }
    expect(agent.steps.map(({ tier }) => tier)).toContain("media");
    const pinned = conversation.live.find(({ isPinned }) => isPinned === true);
    expect(textOf(pinned)).toContain(pixel);
    const first = conversation.live.find((message) => textOf(message).includes("picture 0"));
    expect(textOf(first)).not.toContain(pixel);
  });

  it("makes a compaction fail where it leaves no room, and is not lost", async () => {
    const { agent, conversation, pin, work } = createStage({
      settings: { ...settings, compactUserTokens: 1000 },
    });
    await agent.say("Work.");
    for (let at = 0; at < 4; at += 1) {
      await pin(`${at} ${output(at, 15_000)}`);
      await work(1);
    }
    expect(conversation.size().tokens).toBeGreaterThan(conversation.size().thresholds.autoCompactAt);
    const before = sent(conversation);
    const outcome = await conversation.compact();
    expect(outcome).toMatchObject({ kind: "failed", reason: "pins_too_large" });
    if (outcome.kind === "failed") expect(outcome.message).toContain("pinned");
    expect(sent(conversation)).toBe(before);
  });

  it("is told by options that are the last argument; what is neither message nor options is refused", async () => {
    const { conversation, stored } = createStage();
    const message = () => createUserMessage(conversation.origin(), { content: "Hello." });
    await conversation.append(message(), { pin: false });
    await conversation.append(message(), {});
    await conversation.append({ pin: true });
    expect(stored.some(({ isPinned }) => isPinned === true)).toBe(false);
    const [one, two] = [message(), message()];
    await conversation.append(one, two, { pin: true });
    expect(stored.slice(-2).map(({ uuid, isPinned }) => [uuid, isPinned])).toEqual([
      [one.uuid, true],
      [two.uuid, true],
    ]);
    const plain = { pin: true, content: "Hello." } as unknown as Message;
    await expect(conversation.append(plain)).rejects.toMatchObject({ code: "bad_message" });
  });

  it("cannot be made up by a file: only what says so in so many words is pinned", async () => {
    const { agent, conversation, stored } = createStage();
    await agent.say("Work.");
    const odd = { ...createUserMessage(conversation.origin(), { content: rule("odd") }), isPinned: "yes" };
    await conversation.append(odd as unknown as Message);
    for (let turn = 0; turn < 14; turn += 1) await agent.turn();
    expect(await conversation.compact()).toMatchObject({ kind: "compacted" });
    expect(stored.filter((message) => "pinnedUuid" in message)).toEqual([]);
  });
});

const pixel =
  "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==";
