import { branches } from "@palimpsest/core/branches";
import { describe, expect, it } from "vitest";
import {
  createConversation,
  createEventEmitter,
  createUserMessage,
  type ConversationOptions,
  type Message,
} from "@palimpsest/core";
import { liveMessages } from "@palimpsest/core/engine";
import { withSummaries } from "../../packages/palimpsest/src/simulator/index.js";
import { textCounter } from "../text-counter.js";
import { createAgent, createEmbeddedProvider, handedIn } from "./agent.js";
import { createWorld, tools, worker } from "./world.js";

const WINDOW = 40_000;

/** An agent at work, with everything that it has stored. */
function createStage(given: Partial<ConversationOptions> & { readonly hasHistory?: boolean } = {}) {
  const { hasHistory = true, ...options } = given;
  const provider = createEmbeddedProvider({
    clock: "manual",
    startTime: Date.UTC(2026, 10, 15, 10),
    window: WINDOW,
    counter: textCounter,
    player: withSummaries(worker(true)),
  });
  const world = createWorld(2000);
  const stored: Message[] = [];
  const events = createEventEmitter();
  const breaks: unknown[] = [];
  events.on("cache_break", (broken) => void breaks.push(broken));
  const conversation = {
    model: "claude-opus-5-5",
    maxTokens: 4000,
    source: "repl_main_thread",
    settings: { window: WINDOW, reserve: 8000, autoCompactBuffer: 4000, compactEarlyLeast: 1 },
    system: { custom: "You are an agent." },
    tools: () => tools,
    parameters: { thinking: { type: "adaptive" } },
    state: world.state,
    events,
    writer: { append: async (messages) => void stored.push(...messages), close: async () => {} },
    branches: branches(hasHistory ? { history: async () => [...stored] } : {}),
    ...options,
  } satisfies Parameters<typeof createAgent>[0]["conversation"];
  const agent = createAgent({
    provider,
    runTool: (call) => world.runTool(call, provider.simulator.now()),
    conversation,
  });
  const { writer: _writer, events: _events, ...rest } = conversation;
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
  const work = async (turns: number): Promise<void> => {
    for (let turn = 0; turn < turns; turn += 1)
      expect(await agent.turn()).toMatchObject({ kind: "response" });
  };
  return { agent, conversation: agent.conversation, provider, world, stored, breaks, resume, work };
}

const lastOf = (messages: readonly Message[]): string => messages.at(-1)?.uuid ?? "";
const sent = (requests: unknown): string => JSON.stringify(requests);

describe("going back to an earlier message", () => {
  it("goes on as the conversation was then, across compactions and clearings, and a resumed one does the same", async () => {
    const { agent, conversation, stored, breaks, resume, work } = createStage();
    await agent.say("Work.");
    const then: { readonly uuid: string; readonly messages: string }[] = [];
    for (let turn = 0; turn < 50; turn += 1) {
      await work(1);
      then.push({ uuid: lastOf(conversation.live), messages: sent(conversation.requestMessages()) });
    }
    expect(agent.steps.filter(({ tier }) => tier === "full").length).toBeGreaterThan(0);
    const before = [...stored];
    let compared = 0;
    for (const { uuid, messages } of then.toReversed().filter((_one, at) => at % 7 === 3)) {
      const outcome = await conversation.rewind(uuid);
      expect(outcome).toMatchObject({ kind: "rewound" });
      expect(sent(conversation.requestMessages())).toBe(messages);
      expect(lastOf(stored)).toBe(lastOf(conversation.live));
      const [live, again] = [await conversation.prepare(), await resume().prepare()];
      if (live.kind === "held" || again.kind === "held") throw new Error("held");
      // Close to the threshold, what one has learned of sizes decides.
      if (live.steps.length === 0 && again.steps.length === 0) {
        expect(sent(again.built.request.messages)).toBe(sent(live.built.request.messages));
        compared += 1;
      }
      await work(2);
    }
    expect(stored.slice(0, before.length)).toEqual(before);
    expect(breaks).toEqual([]);
    expect(compared).toBeGreaterThan(3);
  });

  it("keeps the rest of the round: no call is without its results", async () => {
    const { agent, conversation, work } = createStage();
    await agent.say("Work.");
    await work(5);
    const calling = conversation.live.findLast((message) => message.type === "assistant");
    await conversation.rewind(calling?.uuid ?? "");
    const { messages } = await conversation.prepare().then((prepared) => {
      if (prepared.kind === "held") throw new Error(prepared.message);
      return prepared.built.request;
    });
    expect(sent(messages.at(-1))).toContain("tool_result");
    expect(sent(messages)).not.toContain("was not answered");
  });

  it("forgets files that were read later, and no others", async () => {
    const { agent, conversation, world, work } = createStage();
    await agent.say("Work.");
    await work(1);
    const early = world.readState.snapshot().reads.map(({ path }) => path);
    const target = lastOf(conversation.live);
    await work(6);
    expect(world.readState.snapshot().reads.length).toBeGreaterThan(early.length);
    await conversation.rewind(target);
    expect(world.readState.snapshot().reads.map(({ path }) => path)).toEqual(early);
  });

  it("drops what was said while a response was on its way where it goes back to that response", async () => {
    const { agent, conversation, provider, resume } = createStage();
    await agent.say("Work.");
    const prepared = await conversation.prepare();
    if (prepared.kind === "held") throw new Error(prepared.message);
    await agent.say("Meanwhile.");
    await agent.say("And more.");
    for await (const output of provider.stream(prepared.call)) {
      if (output.kind === "message")
        await conversation.observe(prepared, { kind: "response", response: output.message });
    }
    const late = conversation.live.find(({ type }) => type === "assistant");
    const meanwhile = conversation.live.find((message) => JSON.stringify(message).includes("Meanwhile."));
    await conversation.rewind(meanwhile?.uuid ?? "");
    expect(sent(conversation.requestMessages())).toContain("Meanwhile.");
    expect(sent(conversation.requestMessages())).not.toContain("And more.");
    expect(conversation.live.some(({ type }) => type === "assistant")).toBe(true);
    expect(sent(resume().requestMessages())).toBe(sent(conversation.requestMessages()));
    await conversation.rewind(late?.uuid ?? "");
    expect(sent(conversation.requestMessages())).not.toContain("Meanwhile.");
    expect(sent(resume().requestMessages())).toBe(sent(conversation.requestMessages()));
  });

  it("says in one sentence why it cannot, and everything stays as it was", async () => {
    const { agent, conversation, stored, work } = createStage({ hasHistory: false });
    await agent.say("Work.");
    await work(8);
    const first = conversation.live[0]?.uuid ?? "";
    const [kept, reachable] = [conversation.live.at(-2)?.uuid ?? "", lastOf(conversation.live)];
    expect(await conversation.rewind("nowhere")).toMatchObject({ reason: "unknown_message", kind: "failed" });
    expect(await conversation.compact()).toMatchObject({ kind: "compacted" });
    const before = [...stored];
    expect(await conversation.rewind(first)).toMatchObject({ kind: "failed", reason: "unknown_message" });
    expect(await conversation.rewind(kept)).toMatchObject({ kind: "failed" });
    expect(await conversation.rewind(reachable)).toMatchObject({ kind: "failed" });
    expect(stored).toEqual(before);
    expect((await conversation.undo()).kind).toBe("undone");
    expect((await conversation.rewind(reachable)).kind).toBe("rewound");
    expect(await conversation.undo()).toMatchObject({ reason: "nothing_to_undo" });
  });

  it("says so where the transcript cannot be read", async () => {
    const { agent, conversation } = createStage({
      branches: branches({
        history: async () => {
          throw new Error("the disk is gone");
        },
      }),
    });
    await agent.say("Work.");
    const outcome = await conversation.rewind(lastOf(conversation.live));
    expect(outcome).toMatchObject({ kind: "failed", reason: "history_unreadable" });
    expect(outcome).toMatchObject({ message: expect.stringContaining("the disk is gone") });
  });

  it("makes no summary of notes about what it has gone back over", async () => {
    const { agent, conversation, work } = createStage({
      settings: {
        window: WINDOW,
        reserve: 8000,
        autoCompactBuffer: 4000,
        notes: true,
        notesFirstTokens: 1000,
        notesTokensBetweenUpdates: 1000,
        notesKeepTokens: 500,
        notesKeepMostTokens: 2000,
      },
    });
    await agent.say("Work.");
    await work(2);
    const target = lastOf(conversation.live);
    await work(6);
    await conversation.notes?.idle();
    const isNoted = (message: Message): boolean =>
      message.type === "system" && message.subtype === "session_memory";
    expect(conversation.live.some(isNoted)).toBe(true);
    await conversation.rewind(target);
    const outcome = await conversation.compact();
    if (outcome.kind === "compacted") expect(outcome.writer).not.toBe("notes");
  });

  it("goes back to the end of a compaction where one names a part of what that wrote", async () => {
    const { agent, conversation, work } = createStage();
    await agent.say("Work.");
    await work(8);
    expect(await conversation.compact()).toMatchObject({ kind: "compacted" });
    const after = sent(conversation.requestMessages());
    const summary = conversation.live.find(
      (message) => message.type === "user" && message.isCompactSummary === true,
    );
    await work(2);
    await conversation.append(createUserMessage(conversation.origin(), { content: "More." }));
    expect((await conversation.rewind(summary?.uuid ?? "")).kind).toBe("rewound");
    expect(sent(conversation.requestMessages())).toBe(after);
  });
});
