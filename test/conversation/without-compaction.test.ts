import { createConversation, createUserMessage } from "@palimpsest/core";
import { createMemoryNotesStore } from "@palimpsest/core/notes";
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

  it.each([
    ["compaction", {}],
    ["notes", { store: createMemoryNotesStore() }],
    ["model", ""],
    ["maxTokens", Number.NaN],
    ["maxTokens", undefined],
    ["sessionId", 5],
    ["clock", {}],
    ["ids", {}],
    ["tools", {}],
    ["state", { readState: {}, ports: {} }],
    ["system", { text: "You are an agent." }],
  ])("%s: %j is refused with a sentence", (name, value) => {
    const given = { ...options, compaction, [name]: value };
    expect(() => createConversation(given as never)).toThrow(`\`${name}\``);
  });

  it.each([
    [{ windw: 5 }, 'there is no setting "windw"'],
    [{ window: Number.NaN }, "the setting window cannot be NaN: it takes"],
    [{ reserve: Infinity }, "the setting reserve cannot be Infinity"],
    [{ clearSizeBelow: "x" }, "the setting clearSizeBelow cannot be x"],
  ])("settings %j: a sentence", (settings, sentence) => {
    expect(() => createConversation({ ...options, compaction, settings: settings as never })).toThrow(
      sentence,
    );
  });

  it("settings that are undefined have their defaults", () => {
    const sizeWith = (settings: object) => createConversation({ ...options, compaction, settings }).size();
    const undefinedOnes = { window: 90_000, reserve: undefined, disableAutoCompact: undefined };
    expect(sizeWith(undefinedOnes)).toEqual(sizeWith({ window: 90_000 }));
  });

  it("what is no message is refused, and nothing is taken in", async () => {
    const conversation = createConversation({ ...options, compaction });
    for (const [wrong, sentence] of [
      ["hi", "message 0 must be an object with a role and content"],
      [{ content: "hi" }, "message 0 must be an object with a role and content"],
      [{ role: "tool", content: "hi" }, "user, assistant or system"],
      [{ role: "system", content: "hi" }, "the option `system`"],
      [{ role: "user", content: 5 }, "the content of message 0 must be a string or a list"],
    ] as const) {
      await expect(conversation.append(wrong as never)).rejects.toThrow(sentence);
      expect(() => createConversation({ ...options, compaction }, [wrong as never])).toThrow(sentence);
    }
    expect(conversation.live).toEqual([]);
  });

  it("the setting notes without notes says what is missing", () => {
    expect(() => createConversation({ ...options, compaction, settings: { notes: true } })).toThrow(
      "@palimpsest/core/notes",
    );
  });
});

describe("an answer", () => {
  const response = {
    id: "msg_1",
    type: "message",
    role: "assistant",
    model: "claude-opus-5",
    content: [{ type: "text", text: "Yes." }],
    stop_reason: "end_turn",
    stop_sequence: null,
  };

  it("that is told twice, and without usage, counts once", async () => {
    const { conversation, say } = start();
    await say("Are you there?");
    const prepared = await conversation.prepare();
    if (prepared.kind !== "request") throw new Error(prepared.message);
    const outcome = { kind: "response", response: response as never } as const;
    const first = await conversation.observe(prepared, outcome);
    expect(first).toMatchObject({ kind: "accepted" });
    expect(await conversation.observe(prepared, outcome)).toBe(first);
    expect(conversation.live).toHaveLength(2);
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
    while (conversation.size().tokens < conversation.size().thresholds.hardAt) {
      await conversation.append(
        createUserMessage(conversation.origin(), { content: output(agent.ids(), 6000) }),
      );
    }
    const { live } = conversation;
    expect(await conversation.plan()).toMatchObject({ steps: [], held: { reason: "window-full" } });
    expect(await conversation.prepare()).toMatchObject({
      kind: "held",
      reason: "window-full",
      message: expect.stringContaining("without compaction"),
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
      const [planned] = plan.steps;
      expect(planned?.tier).toBe(step?.tier);
      if (planned !== undefined) expect(planned.tokensAfter).toBeLessThan(plan.tokens);
    }
    expect(agent.steps).toHaveLength(1);
  });
});
