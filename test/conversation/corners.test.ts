import { describe, expect, it } from "vitest";
import {
  createConversation,
  createUserMessage,
  type Conversation,
  type ConversationOptions,
  type Message,
  type ModelResponse,
  type PreparedRequest,
  type Settings,
  type ToolUseBlock,
} from "@palimpsest/core";
import { liveMessages } from "@palimpsest/core/engine";
import { withSummaries, type Player } from "../../packages/palimpsest/src/simulator/index.js";
import { createAgent, createEmbeddedProvider, handedIn } from "./agent.js";
import { createWorld, output, tools, worker } from "./world.js";

const WINDOW = 60_000;

interface Given {
  readonly model?: string;
  readonly cacheEdits?: boolean;
  readonly settings?: Partial<Settings>;
  readonly conversation?: Partial<ConversationOptions>;
  readonly append?: (messages: readonly Message[]) => Promise<void>;
  readonly player?: Player;
}

function start({
  model = "claude-opus-5-5",
  cacheEdits = false,
  settings = {},
  conversation = {},
  append,
  player = withSummaries(worker(true)),
}: Given = {}) {
  const provider = createEmbeddedProvider({
    clock: "manual",
    startTime: Date.UTC(2026, 10, 15, 10),
    window: WINDOW,
    cacheEdits,
    player,
    maxRetries: 0,
  });
  const world = createWorld(3000);
  const stored: Message[] = [];
  const shared = {
    model,
    maxTokens: 4000,
    source: "repl_main_thread",
    settings: { window: WINDOW, reserve: 8000, autoCompactBuffer: 4000, keepRecentTokens: 4000, ...settings },
    system: { custom: "You are an agent." },
    tools: () => tools,
    parameters: { thinking: { type: "adaptive" } },
    state: world.state,
    ...conversation,
  } satisfies Partial<ConversationOptions>;
  const store = append ?? (async (messages) => void stored.push(...messages));
  const agent = createAgent({
    provider,
    runTool: (call) => world.runTool(call, provider.simulator.now()),
    conversation: { ...shared, writer: { append: store, close: async () => {} } },
  });
  let ids = 0;
  const resume = (changed: Partial<ConversationOptions> = {}): Conversation =>
    createConversation(
      {
        ...handedIn,
        ...shared,
        provider,
        sessionId: "s",
        clock: { now: () => provider.simulator.now() },
        ids: { next: () => `r${(ids += 1)}` },
        ...changed,
      },
      liveMessages(stored),
    );
  return { agent, provider, world, stored, resume };
}

type Host = ReturnType<typeof start>;

const turns = async ({ agent }: Host, count: number): Promise<void> => {
  for (let turn = 0; turn < count; turn += 1) {
    const outcome = await agent.turn();
    if (outcome.kind === "held") throw new Error(outcome.message);
  }
};

const begin = async (given: Given = {}, count = 6): Promise<Host> => {
  const host = start(given);
  await host.agent.say("Work through the project.");
  await turns(host, count);
  return host;
};

async function ask({
  agent,
  provider,
}: Host): Promise<{ prepared: PreparedRequest; response: ModelResponse }> {
  const prepared = await agent.conversation.prepare();
  if (prepared.kind === "held") throw new Error(prepared.message);
  for await (const output of provider.stream(prepared.call)) {
    if (output.kind === "message") return { prepared, response: output.message };
  }
  throw new Error("no answer");
}

const results = ({ content }: ModelResponse) =>
  content
    .filter((block): block is ToolUseBlock => block.type === "tool_use")
    .map(({ id }) => ({ type: "tool_result" as const, tool_use_id: id, content: "RESULT-MARK" }));

const sameAsLive = ({ agent, resume }: Host): void =>
  expect(resume().requestMessages()).toEqual(agent.conversation.requestMessages());

describe("what comes while a compaction runs", () => {
  it.each([0, 4000])(
    "a message typed ahead does not undo the compaction on resume (tail %i)",
    async (keepRecentTokens) => {
      const host = await begin({ settings: { keepRecentTokens } });
      const { conversation } = host.agent;
      const typed = createUserMessage(conversation.origin(), { content: "typed ahead" });
      const [outcome] = await Promise.all([conversation.compact(), conversation.append(typed)]);
      expect(outcome.kind).toBe("compacted");
      sameAsLive(host);
      expect(JSON.stringify(conversation.requestMessages())).toContain("typed ahead");
      await turns(host, 2);
    },
  );

  it.each(["claude-opus-5", "claude-opus-5-5"])(
    "a call that is open keeps its round, and its result is seen (%s)",
    async (model) => {
      const host = await begin({ model, settings: { keepRecentTokens: 0 } });
      const { conversation } = host.agent;
      const { prepared, response } = await ask(host);
      await conversation.observe(prepared, { kind: "response", response });
      expect(await conversation.compact()).toMatchObject({ kind: "compacted" });
      const pivot = conversation.live.at(-1)?.uuid ?? "";
      expect(await conversation.compact({ scope: { kind: "from", pivot } })).toMatchObject({
        reason: "calls_pending",
      });
      await conversation.append(createUserMessage(conversation.origin(), { content: results(response) }));
      expect(JSON.stringify(conversation.requestMessages())).toContain("RESULT-MARK");
      sameAsLive(host);
      await turns(host, 2);
    },
  );

  it.each(["claude-opus-5", "claude-opus-5-5"])(
    "a compaction between prepare and observe leaves a valid conversation (%s)",
    async (model) => {
      const host = await begin({ model });
      const { conversation } = host.agent;
      const { prepared, response } = await ask(host);
      expect(await conversation.compact()).toMatchObject({ kind: "compacted" });
      await conversation.observe(prepared, { kind: "response", response });
      await conversation.append(createUserMessage(conversation.origin(), { content: results(response) }));
      await turns(host, 3);
      sameAsLive(host);
    },
  );
});

describe("a model that binds thinking to its prefix", () => {
  it("goes on when the person types while an answer is on its way", async () => {
    const host = await begin();
    const { conversation } = host.agent;
    const { prepared, response } = await ask(host);
    await host.agent.say("typed while it answers");
    await conversation.observe(prepared, { kind: "response", response });
    await conversation.append(createUserMessage(conversation.origin(), { content: results(response) }));
    await turns(host, 3);
    sameAsLive(host);
  });

  it("goes on when a tool is added", async () => {
    let offered = tools.slice(0, 4);
    const host = await begin({ conversation: { tools: () => offered } }, 4);
    offered = tools;
    await turns(host, 3);
    sameAsLive(host);
  });

  it("goes on after a resume with another system prompt", async () => {
    const host = await begin();
    const resumed = host.resume({ system: { custom: "You are another agent today." } });
    const prepared = await resumed.prepare();
    if (prepared.kind === "held") throw new Error(prepared.message);
    const kinds: string[] = [];
    for await (const output of host.provider.stream(prepared.call)) kinds.push(output.kind);
    expect(kinds.at(-1)).toBe("message");
  });
});

describe("undo", () => {
  it.each([
    ["claude-opus-5", false],
    ["claude-opus-5-5", false],
    ["claude-opus-5", true],
  ])(
    "then resume is what lives on, and the read-state is that of before (%s, edits inside the cache: %s)",
    async (model, cacheEdits) => {
      const host = await begin(
        { model, cacheEdits, settings: { clearSizeTarget: 6000, clearSizeAtLeast: 3000 } },
        8,
      );
      const { conversation } = host.agent;
      const before = host.world.readState.snapshot();
      const { tokens } = conversation.size();
      expect(await conversation.compact()).toMatchObject({ kind: "compacted" });
      await turns(host, 2);
      await host.agent.say("No, the long version.");
      const undone = await conversation.undo();
      expect(undone).toMatchObject({ kind: "undone" });
      // What was answered since was said to a shorter context: its usage is no size of this one.
      expect(conversation.size().tokens).toBeGreaterThanOrEqual(tokens);
      expect(host.world.readState.snapshot()).toEqual(before);
      sameAsLive(host);
      await turns(host, 3);
      sameAsLive(host);
    },
  );
});

describe("the summary call shares the cache", () => {
  it("after a resume", async () => {
    const host = await begin({ model: "claude-opus-5" }, 8);
    const left = host.provider.log.since(0).at(-1)?.verdict;
    const resumed = host.resume();
    const outcome = await resumed.compact();
    if (outcome.kind === "failed") throw new Error(outcome.message);
    expect(outcome.writer).toBe("fork");
    const read = outcome.calls[0]?.usage.cache_read_input_tokens ?? 0;
    expect(read).toBeGreaterThan(0.6 * ((left?.cacheRead ?? 0) + (left?.cacheWrite5m ?? 0)));
    const whole = await host.resume({ settings: { window: WINDOW, keepRecentTokens: 0 } }).compact();
    if (whole.kind === "failed") throw new Error(whole.message);
    const all = whole.calls[0]?.usage.cache_read_input_tokens ?? 0;
    expect(all).toBeGreaterThanOrEqual(0.99 * ((left?.cacheRead ?? 0) + (left?.cacheWrite5m ?? 0)));
  });
});

describe("by hand and automatic", () => {
  it("failures by hand do not open the breaker, and switched off is off", async () => {
    const host = await begin();
    const { conversation } = host.agent;
    const tripped: unknown[] = [];
    conversation.events.on("breaker_tripped", (event) => tripped.push(event));
    for (let attempt = 0; attempt < 4; attempt += 1) {
      expect(await conversation.compact({ scope: { kind: "from", pivot: "nowhere" } })).toMatchObject({
        kind: "failed",
      });
    }
    expect(tripped).toEqual([]);
    const off = await begin({ settings: { disableCompact: true } }, 2);
    expect(await off.agent.conversation.compact()).toMatchObject({ kind: "failed", reason: "disabled" });
  });

  it("a store that fails at the swap is told as no success, changes nothing, and is not tried for ever", async () => {
    let isBroken = false;
    let events = 0;
    const told: string[] = [];
    const host = start({
      model: "claude-opus-5",
      settings: { disableClearing: true },
      append: async () => {
        if (isBroken) throw new Error("no space left");
      },
    });
    const { conversation } = host.agent;
    conversation.events.on("compact", () => (events += 1));
    conversation.events.on("compact_started", () => told.push("started"));
    conversation.events.on("compact_failed", ({ reason, message }) => told.push(`${reason}: ${message}`));
    await host.agent.say("go");
    await turns(host, 3);
    while (conversation.size().padded < conversation.size().thresholds.autoCompactAt) {
      // Answered: what waits for an answer would not be summarised.
      await conversation.append({ role: "user", content: output(events, 2000) });
      await conversation.append({ role: "assistant", content: "I see." });
    }
    await conversation.append({ role: "user", content: "Go on." });
    const { live } = conversation;
    const asked = host.provider.log.totals().requests;
    isBroken = true;
    for (let attempt = 0; attempt < 6; attempt += 1) {
      await conversation
        .prepare()
        .catch((error: unknown) => expect(String(error)).toContain("no space left"));
    }
    expect(events).toBe(0);
    const failed =
      "not_stored: The summary could not be stored; the conversation is unchanged: no space left.";
    expect(told.length).toBeGreaterThan(0);
    expect(told).toEqual(told.map((_, at) => (at % 2 === 0 ? "started" : failed)));
    expect(conversation.live).toEqual(live);
    expect(host.provider.log.totals().requests - asked).toBeLessThanOrEqual(3);
  });
  it("a failure that cannot be written down counts all the same: the same is not tried and paid for again and again", async () => {
    let isBroken = false;
    const host = start({
      settings: { disableClearing: true, compactExtractive: false, compactRetries: 0 },
      append: async () => {
        if (isBroken) throw new Error("no space left");
      },
      // Summaries that are none.
      player: worker(true),
    });
    const { conversation } = host.agent;
    let failed = 0;
    conversation.events.on("compact_failed", () => (failed += 1));
    await host.agent.say("go");
    await turns(host, 3);
    while (conversation.size().padded < conversation.size().thresholds.autoCompactAt) {
      await conversation.append({ role: "user", content: output(failed, 2000) });
      await conversation.append({ role: "assistant", content: "I see." });
    }
    await conversation.append({ role: "user", content: "Go on." });
    isBroken = true;
    const asked = host.provider.log.totals().requests;
    for (let attempt = 0; attempt < 8; attempt += 1) {
      await conversation
        .prepare()
        .catch((error: unknown) => expect(String(error)).toContain("no space left"));
    }
    expect(host.provider.log.totals().requests - asked).toBeGreaterThan(0);
    expect(failed).toBeLessThanOrEqual(3);
  });
});

describe("deletions inside the provider's cache", () => {
  it("outlive pictures that are replaced, and are made up for when the model changes", async () => {
    const host = await begin(
      {
        model: "claude-opus-5",
        cacheEdits: true,
        settings: { mediaImages: 2, clearCachedTrigger: 4, clearCachedKeep: 2 },
      },
      14,
    );
    const { conversation } = host.agent;
    const image = {
      type: "image" as const,
      source: {
        type: "base64" as const,
        media_type: "image/png",
        data: "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==",
      },
    };
    for (let picture = 0; picture < 4; picture += 1) {
      await host.agent.say([{ type: "text", text: `picture ${picture}` }, image]);
      await turns(host, 1);
      sameAsLive(host);
    }
    expect(host.agent.steps.some(({ tier }) => tier === "media")).toBe(true);
    expect(host.agent.steps.some(({ tier }) => tier === "cached")).toBe(true);
    await conversation.switchModel("claude-opus-4-8");
    await turns(host, 2);
    expect(host.provider.log.totals().rejected).toBe(0);
  });
});
