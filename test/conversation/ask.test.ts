import {
  accountTotal,
  createConversation,
  createUserMessage,
  isPalimpsestError,
  messagesApiCapabilities,
  PalimpsestError,
  TranscriptError,
  type AskEvent,
  type ConversationOptions,
  type ConversationTool,
  type Message,
  type ModelCall,
  type ModelOutput,
  type ModelProvider,
} from "@palimpsest/core";
import { compaction } from "@palimpsest/core/compaction";
import { messagesFromAnthropic } from "@palimpsest/core/import";
import { writeDiffs } from "@palimpsest/core/engine";
import { createMemoryNotesStore, keepNotes } from "@palimpsest/core/notes";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { createAnthropicProvider } from "../../packages/palimpsest/src/providers/anthropic.js";
import { createEmbeddedProvider } from "../../packages/palimpsest/src/providers/embedded.js";
import { createSimulator } from "../../packages/palimpsest/src/simulator/core/create-simulator.js";
import { createSimulatorApp } from "../../packages/palimpsest/src/simulator/http/app.js";
import { startSimulatorServer } from "../../packages/palimpsest/src/simulator/http/node-server.js";
import type { AnswerBlock, Player } from "../../packages/palimpsest/src/simulator/player.js";
import { createEchoPlayer } from "../../packages/palimpsest/src/simulator/players/echo-player.js";
import { withSummaries } from "../../packages/palimpsest/src/simulator/players/summaries-player.js";

/** Answers one after another, the last one for ever. */
const playerOf = (...answers: readonly (readonly AnswerBlock[])[]): Player => ({
  answer: (_prompt, memory) => {
    const at = typeof memory === "number" ? memory : 0;
    return { answer: { content: answers[Math.min(at, answers.length - 1)] ?? [] }, memory: at + 1 };
  },
});

const text = (words: string): AnswerBlock => ({ type: "text", text: words });
const call = (name: string, input: Readonly<Record<string, unknown>> = {}): AnswerBlock => ({
  type: "tool_use",
  name,
  input,
});

const tool = (name: string, run?: ConversationTool["run"]): ConversationTool => ({
  definition: { name, description: `It is ${name}.`, input_schema: { type: "object" } },
  ...(run === undefined ? {} : { run }),
});

function start(player: Player = createEchoPlayer(), given: Partial<ConversationOptions> = {}) {
  const provider = createEmbeddedProvider({ player: withSummaries(player), maxRetries: 0 });
  const stored: Message[] = [];
  const writer = {
    // What requests begin with is stored too: other tests are about that.
    append: async (messages: readonly Message[]) =>
      void stored.push(...messages.filter((message) => !("requestState" in message))),
    close: async () => {},
  };
  const options = { model: "claude-opus-5", maxTokens: 1000, compaction, provider, writer, ...given };
  return { provider, stored, conversation: createConversation(options), options };
}

async function thrownBy(work: Promise<unknown>): Promise<PalimpsestError> {
  const error: unknown = await work.then(
    () => undefined,
    (thrown: unknown) => thrown,
  );
  if (!isPalimpsestError(error)) throw new Error("nothing of ours was thrown", { cause: error });
  return error;
}

async function collect(events: AsyncIterable<AskEvent>): Promise<readonly AskEvent[]> {
  const list: AskEvent[] = [];
  for await (const event of events) list.push(event);
  return list;
}

describe("ask", () => {
  it("says something and gives the answer; both are stored, with ids, times and a session of their own", async () => {
    const { conversation, stored } = start(playerOf([text("Hello, Ada.")]));
    const answer = await conversation.ask("I am Ada.");
    expect(answer).toMatchObject({
      text: "Hello, Ada.",
      calls: [],
      stopReason: "end_turn",
      steps: [],
      turns: 1,
    });
    expect(answer.usage.output_tokens).toBeGreaterThan(0);
    expect(answer.message).toBe(stored[1]);
    expect(stored.map(({ type }) => type)).toEqual(["user", "assistant"]);
    expect(new Set(stored.map(({ uuid }) => uuid)).size).toBe(2);
    expect(new Set(stored.map(({ sessionId }) => sessionId)).size).toBe(1);
    expect(stored[1]?.parentUuid).toBe(stored[0]?.uuid);
    expect(Math.abs(Date.now() - Date.parse(stored[0]?.timestamp ?? ""))).toBeLessThan(60_000);
  });

  it("takes blocks, and goes on without content", async () => {
    const { conversation } = start(playerOf([text("One.")], [text("Two.")]));
    expect((await conversation.ask([{ type: "text", text: "Count." }])).text).toBe("One.");
    await conversation.append({ role: "user", content: "On." });
    expect((await conversation.ask()).text).toBe("Two.");
  });

  it("makes room where that is needed, and says so", async () => {
    const window = 30_000;
    const provider = createEmbeddedProvider({ window });
    const settings = { window, reserve: 4000, autoCompactBuffer: 2000 };
    const { conversation } = start(undefined, { provider, settings });
    const tiers: string[] = [];
    for (let turn = 0; turn < 25; turn += 1) {
      const { steps } = await conversation.ask(`Step ${turn}: ${"think of it. ".repeat(400)}`);
      tiers.push(...steps.map(({ tier }) => tier));
    }
    expect(tiers).toContain("full");
  });

  it("asks again where the API calls it too long and there is room now", async () => {
    const provider = createEmbeddedProvider({ window: 30_000 });
    const { conversation } = start(undefined, { provider, settings: { window: 400_000 } });
    let retried = 0;
    for (let turn = 0; turn < 12; turn += 1) {
      retried += (await conversation.ask(`Step ${turn}: ${"think of it. ".repeat(1000)}`)).steps.length;
    }
    expect(retried).toBeGreaterThan(0);
  });
});

describe("inputs that do not fit their tools", () => {
  const schema = {
    type: "object",
    properties: { limit: { type: "integer" }, deep: { type: "array", items: { type: "boolean" } } },
    additionalProperties: false,
  };
  const limited = (run: ConversationTool["run"]): ConversationTool => ({
    definition: { name: "list", description: "Lists.", input_schema: schema },
    ...(run === undefined ? {} : { run }),
  });
  const wrong = { limit: "5", deep: ["true", false], junk: 1 };
  const right = { limit: 5, deep: [true, false] };

  it.each([
    ["claude-sonnet-4-5", [], right],
    ["a-model-of-somebody", [], right],
    ["a-model-of-somebody", [{ type: "thinking" as const, thinking: "Hm.", signature: "s" }], wrong],
    ["claude-fable-5-1", [], wrong],
  ] as const)("are fitted once, where nothing is bound to them: %s", async (model, thinking, input) => {
    const made: unknown[] = [];
    const block = { type: "tool_use" as const, id: "t1", name: "list", input: wrong };
    const provider = scripted(
      { content: [...thinking, block], stop_reason: "tool_use" },
      { content: [text("Done.") as never], stop_reason: "end_turn" },
    );
    const tools = () => [limited(async (given) => (made.push(given), "Listed."))];
    const { conversation, stored } = start(undefined, { provider, tools, model });
    await conversation.ask("List five.");
    expect(made).toEqual([input]);
    expect(JSON.stringify(stored)).toContain(JSON.stringify(input));
    // The request, and so the cache, holds what is stored, also in a conversation that goes on with it.
    const again = start(undefined, { provider, tools: () => [limited(undefined)], model }).options;
    const next = createConversation(again, stored);
    await next.append({ role: "user", content: "On." });
    const prepared = await next.prepare();
    expect(prepared).toMatchObject({ kind: "request" });
    const sent = JSON.stringify(prepared.kind === "request" ? prepared.call.request.messages : []);
    expect(sent).toContain(JSON.stringify(input));
    // With other tools it stays as it is.
    expect(wrong).toEqual({ limit: "5", deep: ["true", false], junk: 1 });
  });
});

describe("tools that have a run", () => {
  it("are run until there are no calls, side by side, and the model is told", async () => {
    const calls = [
      { type: "tool_use" as const, id: "t1", name: "add", input: { a: 1, b: 2 } },
      { type: "tool_use" as const, id: "t2", name: "fail", input: {} },
      { type: "tool_use" as const, id: "t3", name: "none", input: {} },
    ];
    const provider = scripted(
      { content: calls, stop_reason: "tool_use" },
      { content: [{ type: "text", text: "Three." }], stop_reason: "end_turn" },
    );
    const seen: unknown[] = [];
    const { conversation, stored } = start(undefined, {
      provider,
      tools: [
        tool("add", (input, { id }) => {
          seen.push(input, id);
          return String(Number(input["a"]) + Number(input["b"]));
        }),
        tool("fail", () => {
          throw new Error("no such luck");
        }),
      ],
    });
    const answer = await conversation.ask("Add.");
    expect(answer).toMatchObject({ text: "Three.", calls: [], turns: 2 });
    const results = stored[2]?.type === "user" ? stored[2].message.content : [];
    expect(results).toMatchObject([
      { type: "tool_result", tool_use_id: seen[1], content: "3" },
      { content: "no such luck", is_error: true },
      { content: "There is no tool none.", is_error: true },
    ]);
    expect(seen[0]).toEqual({ a: 1, b: 2 });
    expect(answer.usage).toMatchObject({ input_tokens: 20, output_tokens: 10 });
  });

  it("beside one without: all calls are the host's to make, which asks with their results", async () => {
    const player = playerOf([call("ours"), call("theirs")], [text("Done.")]);
    const runs: string[] = [];
    const tools = () => [tool("ours", () => (runs.push("ours"), "")), tool("theirs")];
    const { conversation } = start(player, { tools });
    const { calls, stopReason } = await conversation.ask("Go.");
    expect(calls.map(({ name }) => name)).toEqual(["ours", "theirs"]);
    expect([stopReason, ...runs]).toEqual(["tool_use"]);
    const results = calls.map(({ id }) => ({ type: "tool_result" as const, tool_use_id: id, content: "x" }));
    expect((await conversation.ask(results)).text).toBe("Done.");
  });

  it("are not run for ever; what was done is kept, and ask goes on", async () => {
    const { conversation, stored } = start(playerOf([call("more")]), { tools: [tool("more", () => "more")] });
    expect(await thrownBy(conversation.ask("Go.", { maxTurns: 3 }))).toMatchObject({ code: "max-turns" });
    expect(stored.map(({ type }) => type).join(" ")).toBe(
      "user assistant user assistant user assistant user",
    );
    expect(await thrownBy(conversation.ask(undefined, { maxTurns: 1 }))).toMatchObject({ code: "max-turns" });
    expect(stored).toHaveLength(9);
  });

  it("are not run for a call that the limit of tokens has cut off", async () => {
    const provider: ModelProvider = scripted(
      { content: [{ type: "tool_use", id: "t", name: "rm", input: {} }], stop_reason: "max_tokens" },
      { content: [{ type: "text", text: "Sorry." }], stop_reason: "end_turn" },
    );
    let runs = 0;
    const { conversation, stored } = start(undefined, {
      provider,
      tools: [tool("rm", () => `${(runs += 1)}`)],
    });
    expect((await conversation.ask("Go.")).text).toBe("Sorry.");
    expect(runs).toBe(0);
    expect(JSON.stringify(stored[2])).toContain("cut off");
  });

  it("that are interrupted leave a conversation that can be gone on with", async () => {
    const controller = new AbortController();
    const tools = [
      tool("quick", () => "quick"),
      tool("slow", () => {
        controller.abort();
        return new Promise(() => {});
      }),
    ];
    const player = playerOf([call("quick"), call("slow")], [text("All right.")]);
    const { conversation, stored } = start(player, { tools });
    const error = await thrownBy(conversation.ask("Go.", { signal: controller.signal }));
    expect(error).toMatchObject({ code: "aborted", name: "AbortError" });
    expect(stored.at(-1)).toMatchObject({ message: { content: [{}, { is_error: true }] } });
    expect((await conversation.ask("Go on.")).text).toBe("All right.");
  });
});

describe("what is thrown", () => {
  it("for a wrong key: authentication, with the failure as its cause and no key in it", async () => {
    const app = createSimulatorApp({
      simulator: createSimulator({ player: createEchoPlayer() }),
      apiKeys: ["sk-right"],
    });
    const server = await startSimulatorServer({ app });
    try {
      const askWith = (apiKey: string) =>
        start(undefined, {
          provider: createAnthropicProvider({ apiKey, baseUrl: server.url, maxRetries: 0 }),
        });
      const error = await thrownBy(askWith("sk-wrong").conversation.ask("Hello?"));
      expect(error).toMatchObject({ code: "authentication", cause: { kind: "authentication", status: 401 } });
      expect(error.message).toMatch(/^The API refused the credentials: .*\.$/);
      expect(JSON.stringify([error.message, error.cause])).not.toContain("sk-wrong");
      expect((await askWith("sk-right").conversation.ask("Hello?")).text).not.toBe("");
    } finally {
      await server.close();
    }
  });

  it("for a conversation that is held: its reason and its sentence", async () => {
    const settings = { window: 20_000, reserve: 1000, disableAutoCompact: true };
    const { conversation } = start(undefined, { settings });
    const error = await thrownBy(conversation.ask("word ".repeat(40_000)));
    expect(error).toMatchObject({ code: "window-full", cause: { kind: "held" } });
    expect(error.message).toMatch(/^[A-Z].*\.$/);
    expect(await thrownBy(start().conversation.ask())).toMatchObject({ code: "no-messages" });
  });

  it("for an abort: before anything was said, and in the middle of an answer", async () => {
    const { conversation, stored, provider } = start();
    const signal = AbortSignal.abort();
    expect(await thrownBy(conversation.ask("Hello?", { signal }))).toMatchObject({ code: "aborted" });
    expect([stored.length, provider.log.totals().requests]).toEqual([0, 0]);
    const controller = new AbortController();
    const midway = (async () => {
      for await (const { kind } of conversation.stream("Hello?", { signal: controller.signal })) {
        if (kind === "text") controller.abort();
      }
    })();
    expect(await thrownBy(midway)).toMatchObject({ code: "aborted", name: "AbortError" });
    expect((await conversation.ask()).turns).toBe(1);
  });

  it("for nobody to ask, a second question meanwhile, and what others throw", async () => {
    const { provider: _none, ...options } = start().options;
    expect(await thrownBy(createConversation(options).ask("Hello?"))).toMatchObject({ code: "no-provider" });
    const { conversation } = start();
    const first = conversation.ask("One?");
    expect(await thrownBy(conversation.ask("Two?"))).toMatchObject({ code: "busy" });
    expect((await first).turns).toBe(1);
    const full = new TranscriptError("io", "The disk is full.");
    const writer = { append: () => Promise.reject(full), close: async () => {} };
    expect(await thrownBy(start(undefined, { writer }).conversation.ask("Hello?"))).toBe(full);
    const broken = {
      ...scripted(),
      stream: () => {
        throw new RangeError("broken");
      },
    };
    const error = await thrownBy(start(undefined, { provider: broken }).conversation.ask("Hello?"));
    expect(error).toMatchObject({ code: "unexpected", message: "broken" });
    expect(error.cause).toBeInstanceOf(RangeError);
    const silent: ModelProvider = { ...scripted(), async *stream() {} };
    expect(await thrownBy(start(undefined, { provider: silent }).conversation.ask("Hello?"))).toMatchObject({
      code: "api",
    });
  });

  it("is known by a guard, by its code too, whatever its class", () => {
    const error = new TranscriptError("locked", "Somebody else has it.");
    expect([
      isPalimpsestError(error),
      isPalimpsestError(error, "locked"),
      isPalimpsestError(error, "io"),
    ]).toEqual([true, true, false]);
    expect(
      isPalimpsestError(new Error("x")) || isPalimpsestError({ code: "io" }) || isPalimpsestError(null),
    ).toBe(false);
    expect(error).toBeInstanceOf(PalimpsestError);
    expect([error.name, new PalimpsestError("aborted", "").name]).toEqual(["TranscriptError", "AbortError"]);
    expect(() => messagesFromAnthropic([5 as never])).toThrow(PalimpsestError);
    expect(() => createConversation({} as never)).toThrow(PalimpsestError);
  });
});

describe("stream", () => {
  it("tells what happens in order: what was said, pieces, the message, the answer", async () => {
    const { conversation, stored } = start(playerOf([text("Hello, Ada.")]));
    const events = await collect(conversation.stream("I am Ada."));
    const kinds = events.map(({ kind }) => kind);
    expect([kinds[0], kinds[1], ...kinds.slice(-2)]).toEqual(["message", "start", "message", "answer"]);
    const pieces = events.flatMap((event) => (event.kind === "text" ? [event.text] : []));
    expect(pieces.join("")).toBe("Hello, Ada.");
    expect(events.flatMap((event) => (event.kind === "message" ? [event.message] : []))).toEqual(stored);
    expect(events.at(-1)).toMatchObject({ kind: "answer", answer: { text: "Hello, Ada." } });
  });

  it("tells of a retry before it waits, and charges what was cut off when nobody listens any more", async () => {
    const { conversation, provider, stored } = start(playerOf([text("word ".repeat(200))]));
    for await (const event of conversation.stream("Talk.")) if (event.kind === "text") break;
    await expect.poll(() => accountTotal(conversation.account()).calls).toBe(1);
    await conversation.flush();
    expect(provider.log.totals().requests).toBe(1);
    expect(stored.map(({ type }) => type)).toEqual(["user", "system"]);
    const waits: ModelProvider = {
      ...scripted(),
      async *stream(_call, options): AsyncGenerator<ModelOutput> {
        const failure = { kind: "overloaded", message: "busy", retryable: true } as const;
        options?.onRetry?.({ attempt: 1, failure, waitMs: 5 });
        await new Promise((resolve) => void (go = resolve));
        yield { kind: "error", failure };
      },
    };
    let go: (value: unknown) => void = () => {};
    const events = conversation.stream("Talk.", { provider: waits });
    await events.next();
    expect((await events.next()).value).toMatchObject({ kind: "retry", attempt: 1, waitMs: 5 });
    go(undefined);
    expect(await thrownBy(events.next())).toMatchObject({ code: "overloaded" });
  });
});

describe("plain messages", () => {
  const words = fc.string({ minLength: 1 }).filter((given) => given.trim() !== "");
  const plain = fc.record({ role: fc.constantFrom("user" as const, "assistant" as const), content: words });

  it("give the request that messages of ours give, appended or begun with, and are stored once", async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(plain, { minLength: 1, maxLength: 6 }), fc.nat(6), async (list, cut) => {
        const { options, stored, conversation } = start();
        await conversation.append(...list);
        const ours = createConversation({ model: "claude-opus-5", maxTokens: 1000, compaction: "none" });
        await ours.append(...messagesFromAnthropic(list, ours.origin()).messages);
        const begun = list.slice(0, cut);
        const other: Message[] = [];
        const writer = {
          ...options.writer,
          append: async (more: readonly Message[]) => void other.push(...more),
        };
        const resumed = createConversation({ ...options, writer }, begun);
        expect(resumed.live).toHaveLength(begun.length);
        if (cut < list.length) await resumed.append(...list.slice(cut));
        await resumed.flush();
        const sent = JSON.stringify(ours.requestMessages());
        expect(JSON.stringify(conversation.requestMessages())).toBe(sent);
        expect(JSON.stringify(resumed.requestMessages())).toBe(sent);
        for (const messages of [stored, other]) {
          expect(messages).toHaveLength(list.length);
          expect(messages.map(({ parentUuid }) => parentUuid)).toEqual([
            null,
            ...messages.slice(0, -1).map(({ uuid }) => uuid),
          ]);
        }
        const again = createConversation(options, other);
        expect(JSON.stringify(again.requestMessages())).toBe(sent);
        expect(again.origin().sessionId).toBe(other[0]?.sessionId);
      }),
      { numRuns: 50 },
    );
  });

  it("that no store took are stored with the next that it takes", async () => {
    const stored: Message[] = [];
    let isFull = true;
    const writer = {
      async append(messages: readonly Message[]) {
        if (isFull) throw new TranscriptError("io", "The disk is full.");
        stored.push(...messages);
      },
      close: async () => {},
    };
    const conversation = createConversation({ model: "m", maxTokens: 10, compaction: "none", writer }, [
      { role: "user", content: "a" },
    ]);
    expect(await thrownBy(conversation.flush())).toMatchObject({ code: "io" });
    expect(await thrownBy(conversation.append({ role: "user", content: "b" }))).toMatchObject({ code: "io" });
    isFull = false;
    await conversation.append({ role: "user", content: "c" });
    await conversation.flush();
    expect(stored).toEqual([...conversation.live]);
    expect(stored).toHaveLength(2);
  });
});

describe("flush", () => {
  it("resolves when appends are stored, notes are written and what the watch found is kept", async () => {
    const kept: string[] = [];
    let stop = (): void => {};
    const slow = new Promise<void>((resolve) => (stop = resolve));
    const diffs = writeDiffs({ save: async ({ text }) => void (await slow.then(() => kept.push(text))) });
    const store = createMemoryNotesStore();
    let custom = "You are an agent. ".repeat(500);
    const { conversation, stored } = start(undefined, {
      diffs,
      notes: keepNotes({ store }),
      settings: {
        notes: true,
        notesFirstTokens: 0,
        notesTokensBetweenUpdates: 0,
        cacheBreakDiffs: 5,
        cacheBreakTokens: 1,
      },
      system: {
        get custom() {
          return custom;
        },
      },
    });
    await conversation.ask("One.");
    await conversation.ask("Two.");
    custom = "You are another. ".repeat(500);
    await conversation.ask("Three.");
    const appending = conversation.append(createUserMessage(conversation.origin(), { content: "Four." }));
    let isFlushed = false;
    const flushing = conversation.flush().then(() => (isFlushed = true));
    await appending;
    await new Promise((resolve) => setTimeout(resolve, 20));
    expect(isFlushed).toBe(false);
    stop();
    await flushing;
    expect(kept.length).toBeGreaterThan(0);
    expect(await store.read()).toBeDefined();
    const before = stored.length;
    await conversation.notes?.idle();
    expect(stored).toHaveLength(before);
  });
});

/** Answers as they stand here. */
function scripted(
  ...answers: readonly Pick<Extract<ModelOutput, { kind: "message" }>["message"], "content" | "stop_reason">[]
): ModelProvider {
  let at = 0;
  return {
    name: "scripted",
    capabilities: () => messagesApiCapabilities,
    async *stream({ request }: ModelCall) {
      const answer = answers[at++];
      if (answer === undefined) throw new Error("nothing is left to say");
      const usage = { input_tokens: 10, output_tokens: 5 };
      const message = {
        id: `msg_${at}`,
        type: "message",
        role: "assistant",
        model: request.model,
        stop_sequence: null,
        usage,
        ...answer,
      } as const;
      yield { kind: "message", message };
    },
  };
}
