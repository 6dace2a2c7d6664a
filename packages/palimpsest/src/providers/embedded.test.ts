import type { CallOptions, ModelCall, ModelOutput, ModelProvider, ModelResponse } from "@palimpsest/core";
import { describe, expect, it } from "vitest";
import { createSimulator } from "../simulator/core/create-simulator.js";
import type { Player } from "../simulator/player.js";
import { createEchoPlayer } from "../simulator/players/echo-player.js";
import { createEmbeddedProvider } from "./embedded.js";

const said = (text: string) => ({ role: "user" as const, content: [{ type: "text" as const, text }] });
const request = { model: "claude-opus-5", max_tokens: 4000, messages: [said("hello")] };

async function collect(
  provider: ModelProvider,
  call: Partial<ModelCall> = {},
  options?: CallOptions,
): Promise<ModelOutput[]> {
  const outputs: ModelOutput[] = [];
  for await (const output of provider.stream({ request, ...call }, options)) outputs.push(output);
  return outputs;
}

async function answer(provider: ModelProvider, call?: Partial<ModelCall>): Promise<ModelResponse> {
  const last = (await collect(provider, call)).at(-1);
  if (last?.kind !== "message") throw new Error(JSON.stringify(last));
  return last.message;
}

const slowPlayer: Player = {
  answer: (_prompt, memory) => ({
    answer: { content: [{ type: "text", text: "words ".repeat(500) }], delivery: { eventDelayMs: 20 } },
    memory,
  }),
};

describe("the embedded provider", () => {
  it("echoes by itself, and writes summaries when it is asked for one", async () => {
    const provider = createEmbeddedProvider();
    expect((await answer(provider)).content).toEqual([{ type: "text", text: "You said: hello" }]);
    const instruction =
      "Your task is to create a detailed summary of the conversation so far. Write it in <summary> tags.";
    const messages = [said("hello"), { role: "assistant" as const, content: "hi" }, said(instruction)];
    const summary = await answer(provider, {
      request: { ...request, messages: messages as ModelCall["request"]["messages"] },
    });
    expect(JSON.stringify(summary.content)).toContain("<summary>");
  });

  it("gives answers ids of its own, so that two processes can answer one conversation", async () => {
    const ids = await Promise.all([1, 2, 3].map(async () => (await answer(createEmbeddedProvider())).id));
    expect(new Set(ids).size).toBe(3);
    const manual = (): Promise<ModelResponse> => answer(createEmbeddedProvider({ clock: "manual" }));
    expect((await manual()).id).toBe((await manual()).id);
  });

  it("shows what the simulator saw", async () => {
    const provider = createEmbeddedProvider({ clock: "manual" });
    const system = [
      { type: "text" as const, text: "Rules. ".repeat(800), cache_control: { type: "ephemeral" as const } },
    ];
    await answer(provider, { request: { ...request, system }, betas: ["some-beta"] });
    const second = await answer(provider, { request: { ...request, system } });
    expect(second.usage.cache_read_input_tokens).toBeGreaterThan(1000);
    provider.simulator.advance(301_000);
    await answer(provider, { request: { ...request, system } });
    expect(provider.log.since(0)).toMatchObject([
      { status: 200, stream: true, betas: ["some-beta"], journey: "complete", verdict: { cacheRead: 0 } },
      { journey: "complete", verdict: { hit: expect.anything() } },
      { journey: "complete", verdict: { misses: [{ reason: "expired" }] } },
    ]);
    expect(provider.log.totals().requests).toBe(3);
  });

  it("time passes by itself, or only by hand", async () => {
    const before = Date.now();
    const live = createEmbeddedProvider();
    expect(live.simulator.now()).toBeGreaterThanOrEqual(before);
    expect(live.simulator.now()).toBeLessThanOrEqual(Date.now());
    const manual = createEmbeddedProvider({ clock: "manual", startTime: 1000 });
    await answer(manual);
    expect(manual.simulator.now()).toBe(1000);
  });

  it("plays a simulator that exists already", async () => {
    const simulator = createSimulator({ player: createEchoPlayer(), startTime: 5 });
    const [one, two] = [createEmbeddedProvider({ simulator }), createEmbeddedProvider({ simulator })];
    expect(one.simulator).toBe(simulator);
    const marked = {
      ...request,
      system: [
        { type: "text" as const, text: "Rules. ".repeat(800), cache_control: { type: "ephemeral" as const } },
      ],
    };
    await answer(one, { request: marked });
    expect((await answer(two, { request: marked })).usage.cache_read_input_tokens).toBeGreaterThan(0);
  });

  it("accepts private cache edits where it was told to, and says so", async () => {
    const messages = [
      said("begin"),
      { role: "assistant", content: [{ type: "tool_use", id: "t0", name: "read", input: {} }] },
      {
        role: "user",
        content: [{ type: "tool_result", tool_use_id: "t0", content: "x", cache_reference: "t0" }],
      },
    ] as unknown as ModelCall["request"]["messages"];
    const call = {
      request: { ...request, messages, tools: [{ name: "read", input_schema: { type: "object" } as const }] },
    };
    const [plain, editing] = [createEmbeddedProvider(), createEmbeddedProvider({ cacheEdits: true })];
    expect(plain.capabilities("claude-opus-5").cacheEdits).toBe(false);
    expect(editing.capabilities("claude-opus-5").cacheEdits).toBe(true);
    expect((await collect(plain, call)).at(-1)).toMatchObject({ failure: { kind: "invalid-request" } });
    expect((await answer(editing, call)).type).toBe("message");
  });

  it("a prompt beyond the window is an overflow", async () => {
    const provider = createEmbeddedProvider({ window: 5000 });
    const outputs = await collect(provider, {
      request: { ...request, messages: [said("many words ".repeat(5000))] },
    });
    expect(outputs).toMatchObject([
      { kind: "error", failure: { kind: "context-overflow", maximumTokens: 5000, retryable: false } },
    ]);
    expect(provider.log.since(0)).toHaveLength(1);
  });

  it("a request for no tokens warms the cache", async () => {
    const provider = createEmbeddedProvider();
    const outputs = await collect(provider, { request: { ...request, max_tokens: 0 } });
    expect(outputs.map(({ kind }) => kind)).toEqual(["start", "message"]);
    expect(provider.log.since(0)).toMatchObject([{ status: 200, stream: false, journey: "complete" }]);
  });

  it("whoever stops reading, or calls it off, is gone for the simulator too", async () => {
    const provider = createEmbeddedProvider({ player: slowPlayer });
    for await (const { kind } of provider.stream({ request })) if (kind === "text") break;
    const controller = new AbortController();
    const reading = collect(provider, {}, { signal: controller.signal });
    await expect.poll(() => provider.log.since(1).length).toBe(1);
    controller.abort();
    expect((await reading).at(-1)).toMatchObject({ failure: { kind: "aborted" } });
    await expect
      .poll(() => provider.log.since(0).map(({ journey }) => journey))
      .toEqual(["aborted", "aborted"]);
  });

  it("a call that is called off during a delay ends at once", async () => {
    const player: Player = {
      answer: (_prompt, memory) => ({
        answer: { content: [{ type: "text", text: "late" }], delivery: { delayMs: 600_000 } },
        memory,
      }),
    };
    const provider = createEmbeddedProvider({ player });
    const outputs = await collect(provider, {}, { signal: AbortSignal.timeout(30) });
    expect(outputs).toMatchObject([{ kind: "error", failure: { kind: "aborted" } }]);
    await expect.poll(() => provider.log.since(0)[0]?.journey).toBe("aborted");
  });

  it("what is set between provider and simulator sees requests and may answer them", async () => {
    const bodies: unknown[] = [];
    const provider = createEmbeddedProvider({
      wrap: (app) => async (incoming) => {
        bodies.push(await incoming.clone().json());
        return bodies.length === 1 ? Response.json({}, { status: 500 }) : app(incoming);
      },
      baseMs: 1,
    });
    expect((await answer(provider)).type).toBe("message");
    expect(bodies).toEqual([
      { ...request, stream: true },
      { ...request, stream: true },
    ]);
  });

  it("a big request and a big answer go through whole", async () => {
    const text = "ä漢👩‍👩‍👧‍👦 ".repeat(100_000);
    const player: Player = {
      answer: (_prompt, memory) => ({ answer: { content: [{ type: "text", text }] }, memory }),
    };
    const provider = createEmbeddedProvider({
      player,
      counter: { count: (counted: string) => Math.ceil(counted.length / 1000) },
    });
    const message = await answer(provider, {
      request: { ...request, max_tokens: 100_000, messages: [said(text)] },
    });
    expect(message.content).toEqual([{ type: "text", text }]);
  });
});
