import { describe, expect, it } from "vitest";
import {
  createAssistantMessage,
  createUserMessage,
  type ConversationOptions,
  type Settings,
  type UserBlock,
} from "@palimpsest/core";
import { withSummaries, type Player } from "../../packages/palimpsest/src/simulator/index.js";
import { createAgent, createEmbeddedProvider } from "./agent.js";
import { output, tools, worker } from "./world.js";

const WINDOW = 40_000;

interface Given {
  readonly settings?: Partial<Settings>;
  readonly player?: Player;
  readonly system?: string;
  readonly conversation?: Partial<ConversationOptions>;
  readonly window?: number;
}

function start({
  settings = {},
  player = withSummaries(worker(false)),
  system = "You are an agent.",
  conversation = {},
  window = WINDOW,
}: Given = {}) {
  const provider = createEmbeddedProvider({
    clock: "manual",
    startTime: Date.UTC(2026, 10, 15, 10),
    window,
    player,
    maxRetries: 0,
  });
  const agent = createAgent({
    provider,
    runTool: ({ id }) => ({ type: "tool_result", tool_use_id: id, content: output(id.length, 4000) }),
    conversation: {
      model: "claude-opus-5",
      maxTokens: 2000,
      source: "repl_main_thread",
      settings: { window, reserve: 6000, autoCompactBuffer: 3000, keepRecentTokens: 2000, ...settings },
      system: { custom: system },
      tools: () => tools,
      ...conversation,
    },
  });
  const events: string[] = [];
  agent.conversation.events.on("compact", () => events.push("compact"));
  agent.conversation.events.on("compact_failed", ({ reason }) => events.push(reason));
  agent.conversation.events.on("breaker_tripped", () => events.push("tripped"));
  agent.conversation.events.on("breaker_closed", () => events.push("closed"));
  return { agent, provider, events };
}

/** Fills the window with what was said and answered: what waits for an answer would not be summarised. */
const fill = async (
  { agent }: ReturnType<typeof start>,
  until: number,
  figure: "padded" | "tokens" = "padded",
): Promise<void> => {
  const { conversation } = agent;
  while (conversation.size()[figure] < until) {
    const id = agent.ids();
    await conversation.append(createUserMessage(conversation.origin(), { content: output(id, 3000) }));
    const content = [{ type: "text", text: "Noted." }] as const;
    await conversation.append(
      createAssistantMessage(conversation.origin(), { id: `filled-${id}`, model: "claude-opus-5", content }),
    );
  }
  await agent.say("Go on.");
};

describe("guards", () => {
  it("with automatic compaction off a full window is held, and a compaction by hand goes on", async () => {
    const host = start({ settings: { disableAutoCompact: true } });
    const { hardAt } = host.agent.conversation.size().thresholds;
    await fill(host, hardAt);
    expect(await host.agent.conversation.prepare()).toMatchObject({ kind: "held", reason: "window-full" });
    expect(host.provider.log.totals().requests).toBe(0);
    expect(await host.agent.conversation.compact()).toMatchObject({ kind: "compacted" });
    expect(await host.agent.conversation.prepare()).toMatchObject({ kind: "request" });
  });

  it("three failures in a row stop automatic compaction, ten minutes later one is tried, and a success closes it", async () => {
    let isBroken = true;
    const inner = worker(false);
    const [broken, whole] = [withSummaries(inner, { mode: "empty" }), withSummaries(inner)];
    const player: Player = { answer: (prompt, memory) => (isBroken ? broken : whole).answer(prompt, memory) };
    const host = start({ player, settings: { compactExtractive: false, disableClearing: true } });
    const { agent, provider, events } = host;
    await agent.say("go");
    for (let turn = 0; turn < 2; turn += 1) await agent.turn();
    await fill(host, agent.conversation.size().thresholds.autoCompactAt);
    for (let attempt = 0; attempt < 6; attempt += 1)
      expect((await agent.conversation.prepare()).kind).toBe("request");
    expect(events).toEqual(["no_summary", "no_summary", "no_summary", "tripped"]);
    provider.simulator.advance(9 * 60_000);
    await agent.conversation.prepare();
    expect(events).toHaveLength(4);
    provider.simulator.advance(2 * 60_000);
    await agent.conversation.prepare();
    await agent.conversation.prepare();
    expect(events.slice(4)).toEqual(["no_summary", "tripped"]);
    isBroken = false;
    provider.simulator.advance(21 * 60_000);
    const prepared = await agent.conversation.prepare();
    expect(prepared.steps.map(({ tier }) => tier)).toEqual(["full"]);
    expect(events.slice(6)).toEqual(["compact", "closed"]);
  });

  it("at the last rung the breaker holds nothing back, and what cannot be helped is told", async () => {
    const host = start({
      player: withSummaries(worker(false), { mode: "empty" }),
      settings: { compactExtractive: false, disableClearing: true },
    });
    const { agent, events } = host;
    await agent.say("go");
    for (let turn = 0; turn < 2; turn += 1) await agent.turn();
    const { autoCompactAt, hardAt } = agent.conversation.size().thresholds;
    await fill(host, autoCompactAt);
    for (let attempt = 0; attempt < 5; attempt += 1) await agent.conversation.prepare();
    const before = events.filter((name) => name !== "tripped").length;
    await fill(host, hardAt, "tokens");
    const held = await agent.conversation.prepare();
    expect(held).toMatchObject({ kind: "held", reason: "compaction-failed" });
    if (held.kind === "held") expect(held.message).toMatch(/^[A-Z].*\.$/);
    expect(events.filter((name) => name !== "tripped")).toHaveLength(before + 1);
  });

  it("an abort is not a failure", async () => {
    const host = start({ settings: { disableClearing: true } });
    await host.agent.say("go");
    await fill(host, host.agent.conversation.size().thresholds.autoCompactAt);
    for (let attempt = 0; attempt < 5; attempt += 1) {
      const held = await host.agent.conversation.prepare({ signal: AbortSignal.abort() });
      expect(held).toMatchObject({ kind: "held", reason: "aborted" });
    }
    expect(host.events).toEqual(Array.from({ length: 5 }, () => "aborted"));
    expect((await host.agent.conversation.prepare()).steps).toHaveLength(1);
  });

  it.each(["compact", "session_memory"])("the calls of %s never compact", async (source) => {
    const host = start({ conversation: { source } });
    await host.agent.say("go");
    await fill(host, host.agent.conversation.size().thresholds.hardAt);
    expect(await host.agent.conversation.prepare()).toMatchObject({ kind: "request", steps: [] });
    expect(host.events).toEqual([]);
  });
});

describe("a refusal as too long", () => {
  it("is withheld while the conversation is compacted once, and told the second time", async () => {
    const host = start();
    const { agent } = host;
    await agent.say("go");
    for (let turn = 0; turn < 3; turn += 1) await agent.turn();
    const prepared = await agent.conversation.prepare();
    if (prepared.kind === "held") throw new Error("held");
    const failure = { kind: "context-overflow", message: "prompt is too long", retryable: false } as const;
    expect(await agent.conversation.observe(prepared, { kind: "failure", failure })).toMatchObject({
      kind: "retry",
    });
    const again = await agent.conversation.prepare();
    if (again.kind === "held") throw new Error("held");
    const told = await agent.conversation.observe(again, { kind: "failure", failure });
    expect(told).toMatchObject({
      kind: "failed",
      message: "The conversation does not fit into the model's window: prompt is too long.",
    });
    await agent.say("try again");
    for (let turn = 0; turn < 2; turn += 1) await agent.turn();
    const third = await agent.conversation.prepare();
    if (third.kind === "held") throw new Error("held");
    expect(await agent.conversation.observe(third, { kind: "failure", failure })).toMatchObject({
      kind: "retry",
    });
  });
});

describe("what can hardly work has a clear outcome", () => {
  it("zero messages", async () => {
    const { agent } = start();
    expect(await agent.conversation.prepare()).toMatchObject({ kind: "held", reason: "no-messages" });
    expect(await agent.conversation.compact()).toMatchObject({
      kind: "failed",
      reason: "not_enough_messages",
    });
    expect(await agent.conversation.plan()).toMatchObject({ steps: [], held: { reason: "no-messages" } });
    expect(await agent.conversation.undo()).toMatchObject({ kind: "failed" });
  });

  it("a window smaller than the system prompt", async () => {
    const { agent, events } = start({ system: output(3, 200_000) });
    await agent.say("go");
    for (let attempt = 0; attempt < 5; attempt += 1) {
      const held = await agent.conversation.prepare();
      expect(held).toMatchObject({ kind: "held", reason: "no-room" });
      if (held.kind === "held") {
        expect(held.message).toMatch(
          /^System prompt and tools take [\d,]+ of the [\d,]+ tokens of the window/,
        );
      }
    }
    // Nothing is tried that cannot help.
    expect(events).toEqual([]);
  });

  it("a single message larger than the window", async () => {
    const { agent } = start();
    await agent.say(output(4, 300_000));
    const outcome = await agent.turn();
    expect(outcome.kind).toBe("response");
    expect(agent.steps.map(({ tier }) => tier)).toEqual(["oversize"]);
  });

  it("200 images in a model that takes a hundred", async () => {
    const pixel =
      "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==";
    const { agent } = start({
      conversation: { model: "claude-sonnet-4-5", maxTokens: 1000 },
      window: 200_000,
      settings: { window: 200_000 },
    });
    for (let turn = 0; turn < 10; turn += 1) {
      const images = Array.from({ length: 20 }, (): UserBlock => ({
        type: "image",
        source: { type: "base64", media_type: "image/png", data: pixel },
      }));
      await agent.say([{ type: "text", text: `pictures ${turn}` }, ...images]);
      const outcome = await agent.turn();
      if (outcome.kind === "held") throw new Error(outcome.message);
    }
    expect(agent.steps.some(({ tier }) => tier === "media")).toBe(true);
    const { steps } = agent;
    expect(steps.length).toBeLessThan(5);
  });
});

describe("another model", () => {
  it("with a smaller window: compacts first, with the old one", async () => {
    const host = start({
      window: 300_000,
      settings: { window: undefined, disableClearing: true },
      conversation: { model: "claude-opus-5" },
    });
    const { agent, provider } = host;
    await agent.say("go");
    while (agent.conversation.size().tokens < 195_000) await agent.turn();
    const step = await agent.conversation.switchModel("claude-haiku-4-5", { maxTokens: 1000 });
    expect(step?.tier).toBe("full");
    expect(provider.log.since(0).at(-1)?.model).toBe("claude-opus-5");
    const { tokens, thresholds } = agent.conversation.size();
    expect(tokens).toBeLessThan(thresholds.autoCompactAt);
    expect((await agent.turn()).kind).toBe("response");
    expect(provider.log.since(0).at(-1)?.model).toBe("claude-haiku-4-5");
  });
});

describe("plan", () => {
  it("says which tier comes next, and what it then does", async () => {
    const host = start({ settings: { clearSizeTarget: 2000, clearSizeAtLeast: 2000, clearSizeBelow: 0.9 } });
    const { agent } = host;
    await agent.say("go");
    expect(await agent.conversation.plan()).toMatchObject({ steps: [] });
    let seen = 0;
    for (let turn = 0; turn < 60; turn += 1) {
      const plan = await agent.conversation.plan();
      const prepared = await agent.conversation.prepare();
      if (prepared.kind === "held") throw new Error(prepared.message);
      const [step] = prepared.steps;
      const [planned] = plan.steps;
      expect(planned?.tier).toBe(step?.tier);
      if (planned?.tier === "size-based") expect(step?.tokensAfter).toBe(planned.tokensAfter);
      if (planned?.tier === "full" && planned.plan.kind === "plan") {
        expect(step?.compacted?.kept.map(({ uuid }) => uuid)).toEqual(planned.plan.kept);
        expect(step?.compacted?.writer).toBe(planned.plan.writer);
      }
      if (step !== undefined) seen += 1;
      const outcome = await agent.turn();
      if (outcome.kind === "held") throw new Error(outcome.message);
    }
    expect(seen).toBeGreaterThan(1);
  });
});
