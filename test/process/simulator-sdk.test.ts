import Anthropic from "@anthropic-ai/sdk";
import { betaTool } from "@anthropic-ai/sdk/helpers/beta/json-schema";
import { afterEach, describe, expect, it } from "vitest";
import { createSimulator } from "../../packages/palimpsest/src/simulator/core/create-simulator.js";
import { createSimulatorApp } from "../../packages/palimpsest/src/simulator/http/app.js";
import { createFaultPlan } from "../../packages/palimpsest/src/simulator/http/faults.js";
import {
  startSimulatorServer,
  type SimulatorServer,
} from "../../packages/palimpsest/src/simulator/http/node-server.js";
import { parseFaults } from "../../packages/palimpsest/src/simulator/http/parse-faults.js";
import type { RequestRecord } from "../../packages/palimpsest/src/simulator/http/request-log.js";
import type { Answer, Player } from "../../packages/palimpsest/src/simulator/player.js";
import { createEchoPlayer } from "../../packages/palimpsest/src/simulator/players/echo-player.js";

/** The official client against the simulator, over a socket on this machine. */

let server: SimulatorServer | undefined;
afterEach(async () => {
  await server?.close();
  server = undefined;
});

interface Setup {
  readonly client: Anthropic;
  readonly url: string;
  readonly requests: () => Promise<readonly RequestRecord[]>;
}

interface SetupOptions {
  readonly player?: Player;
  readonly faults?: string;
  readonly maxRetries?: number;
  readonly maxBodyBytes?: number;
  readonly apiKeys?: readonly string[];
}

async function setUp(options: SetupOptions = {}): Promise<Setup> {
  const { player = createEchoPlayer(), faults = "", maxRetries = 2, maxBodyBytes, apiKeys } = options;
  const parsed = parseFaults(faults);
  if (parsed.kind === "problem") throw new Error(parsed.problem);
  server = await startSimulatorServer({
    app: createSimulatorApp({
      simulator: createSimulator({ player }),
      faults: createFaultPlan(parsed.rules),
      ...(maxBodyBytes === undefined ? {} : { maxBodyBytes }),
      ...(apiKeys === undefined ? {} : { apiKeys }),
    }),
  });
  const { url } = server;
  return {
    url,
    client: new Anthropic({ apiKey: "sk-test", baseURL: url, maxRetries }),
    async requests() {
      const { requests } = (await (await fetch(`${url}/__sim/requests`)).json()) as {
        requests: RequestRecord[];
      };
      return requests;
    },
  };
}

/** Says these answers, one after the other, whatever it is asked. */
const playing = (...answers: readonly Answer[]): Player => ({
  answer(_, memory) {
    const next = typeof memory === "number" ? memory : 0;
    return { answer: answers[next] ?? { content: [{ type: "text", text: "over" }] }, memory: next + 1 };
  },
});

const question = {
  model: "claude-opus-5",
  max_tokens: 10_000,
  messages: [{ role: "user" as const, content: "What is a palimpsest?" }],
};

/** What a promise is rejected with. */
async function failureOf(promise: Promise<unknown>): Promise<unknown> {
  try {
    await promise;
  } catch (error) {
    return error;
  }
  throw new Error("it did not fail");
}

describe("the official client", () => {
  it("create", async () => {
    const { client } = await setUp();
    const message = await client.messages.create(question);
    expect(message).toMatchObject({
      type: "message",
      role: "assistant",
      model: "claude-opus-5",
      stop_reason: "end_turn",
      content: [{ type: "text", text: "You said: What is a palimpsest?" }],
      usage: { input_tokens: expect.any(Number), output_tokens: expect.any(Number) },
    });
    expect(message._request_id).toMatch(/^req_/);
  });

  it("stream: the events make the message that create gives", async () => {
    const { client } = await setUp({
      player: playing(
        ...[0, 1].map((): Answer => ({
          content: [
            { type: "thinking", thinking: "Let me think about it." },
            { type: "text", text: "héllo 😀 ".repeat(300) },
            { type: "tool_use", id: "toolu_1", name: "read", input: { path: "a/b", lines: [1, 2] } },
            { type: "tool_use", id: "toolu_2", name: "list", input: {} },
          ],
        })),
      ),
    });
    const tools = ["read", "list"].map((name) => ({ name, input_schema: { type: "object" as const } }));
    const request = { ...question, tools, thinking: { type: "adaptive" as const } };
    const whole = await client.messages.create(request);
    const stream = client.messages.stream(request);
    const types = new Set<string>();
    let text = "";
    stream.on("streamEvent", ({ type }) => types.add(type));
    stream.on("text", (delta) => (text += delta));
    const message = await stream.finalMessage();
    expect(message.stop_reason).toBe("tool_use");
    expect(message.content.map(({ type }) => type)).toEqual(["thinking", "text", "tool_use", "tool_use"]);
    const comparable = ({ content, usage, stop_reason }: Anthropic.Message): unknown => [
      content.map((block) => (block.type === "thinking" ? { ...block, signature: "" } : block)),
      usage,
      stop_reason,
    ];
    expect(JSON.parse(JSON.stringify(comparable(message)))).toEqual(
      JSON.parse(JSON.stringify(comparable(whole))),
    );
    expect(text).toBe("héllo 😀 ".repeat(300));
    expect([...types].toSorted()).toEqual([
      "content_block_delta",
      "content_block_start",
      "content_block_stop",
      "message_delta",
      "message_start",
      "message_stop",
    ]);
  });

  it("the tool runner runs tools until the model is done, streaming and not", async () => {
    for (const stream of [false, true] as const) {
      const { client, requests } = await setUp({
        player: playing(
          {
            content: [
              { type: "text", text: "I add." },
              { type: "tool_use", name: "add", input: { a: 1, b: 2 } },
              { type: "tool_use", name: "add", input: { a: 3, b: 4 } },
            ],
          },
          { content: [{ type: "text", text: "It is 3, and 7." }] },
        ),
      });
      const sums: number[] = [];
      const add = betaTool({
        name: "add",
        description: "adds",
        inputSchema: {
          type: "object",
          properties: { a: { type: "number" }, b: { type: "number" } },
          required: ["a", "b"],
        } as const,
        run: ({ a, b }) => {
          sums.push(a + b);
          return String(a + b);
        },
      });
      const runner = client.beta.messages.toolRunner({ ...question, tools: [add], thread: false, stream });
      const message = await runner;
      expect(message.content).toMatchObject([{ type: "text", text: "It is 3, and 7." }]);
      expect(sums).toEqual([3, 7]);
      expect(await requests()).toMatchObject([
        { status: 200, stream },
        { status: 200, stream },
      ]);
      await server?.close();
    }
  });

  it("the prompt cache: a written prefix is read, on the same key only", async () => {
    const { client, url, requests } = await setUp();
    const request = {
      ...question,
      system: [
        {
          type: "text" as const,
          text: "Rules of the house. ".repeat(400),
          cache_control: { type: "ephemeral" as const },
        },
      ],
    };
    const first = await client.messages.create(request);
    const second = await client.messages.create(request);
    expect(first.usage.cache_creation_input_tokens).toBeGreaterThan(512);
    expect(second.usage.cache_read_input_tokens).toBe(first.usage.cache_creation_input_tokens);
    const other = await new Anthropic({ apiKey: "sk-other", baseURL: url }).messages.create(request);
    expect(other.usage.cache_read_input_tokens).toBe(0);
    expect((await requests()).map(({ verdict }) => verdict?.hit === null)).toEqual([true, false, true]);
    const advance = (advanceMs: number): Promise<Response> =>
      fetch(`${url}/__sim/clock`, { method: "POST", body: JSON.stringify({ advanceMs }) });
    await advance(301_000);
    const late = await client.messages.create(request);
    expect(late.usage.cache_read_input_tokens).toBe(0);
    expect((await requests()).at(-1)?.verdict?.misses).toMatchObject([{ reason: "expired" }]);
  });

  it("countTokens, of the stable and of the beta API", async () => {
    const { client } = await setUp();
    const { max_tokens: _, ...counted } = question;
    const { input_tokens: tokens } = await client.messages.countTokens(counted);
    const { usage } = await client.messages.create(question);
    expect(tokens).toBe(usage.input_tokens);
    const beta = await client.beta.messages.countTokens({
      ...counted,
      betas: ["context-management-2025-06-27"],
      context_management: { edits: [{ type: "clear_tool_uses_20250919" }] },
    });
    expect(beta).toMatchObject({
      input_tokens: tokens,
      context_management: { original_input_tokens: tokens },
    });
  });

  it("models.list and models.retrieve", async () => {
    const { client } = await setUp();
    const ids: string[] = [];
    for await (const { id } of client.models.list({ limit: 3 })) ids.push(id);
    expect(ids).toContain("claude-haiku-4-5");
    expect(new Set(ids).size).toBe(ids.length);
    expect(await client.models.retrieve("claude-opus-4-8")).toMatchObject({
      type: "model",
      display_name: "Claude Opus 4.8",
      max_input_tokens: 1_000_000,
      max_tokens: 128_000,
    });
    expect(await failureOf(client.models.retrieve("claude-nonsense"))).toBeInstanceOf(
      Anthropic.NotFoundError,
    );
  });

  it("context management: edits are applied and reported, streaming and not", async () => {
    const { client } = await setUp();
    const rounds = Array.from({ length: 6 }, (_, index) => [
      {
        role: "assistant" as const,
        content: [{ type: "tool_use" as const, id: `toolu_${index}`, name: "read", input: { index } }],
      },
      {
        role: "user" as const,
        content: [
          {
            type: "tool_result" as const,
            tool_use_id: `toolu_${index}`,
            content: "line of a file\n".repeat(500),
          },
        ],
      },
    ]).flat();
    const request = {
      ...question,
      tools: [{ name: "read", input_schema: { type: "object" as const } }],
      messages: [...question.messages, ...rounds],
      betas: ["context-management-2025-06-27" as const],
      context_management: {
        edits: [
          {
            type: "clear_tool_uses_20250919" as const,
            trigger: { type: "input_tokens" as const, value: 5000 },
            keep: { type: "tool_uses" as const, value: 2 },
          },
        ],
      },
    };
    const applied = [{ type: "clear_tool_uses_20250919", cleared_tool_uses: 4 }];
    const whole = await client.beta.messages.create(request);
    expect(whole.context_management?.applied_edits).toMatchObject(applied);
    const streamed = await client.beta.messages.stream(request).finalMessage();
    expect(streamed.context_management?.applied_edits).toMatchObject(applied);
    const { betas: _, ...without } = request;
    expect(await failureOf(client.messages.create(without as never))).toMatchObject({
      status: 400,
      apiMessage: "context_management: Extra inputs are not permitted",
    });
  });
});

describe("errors of the official client", () => {
  it("400, with the API's words", async () => {
    const { client, requests } = await setUp();
    const error = await failureOf(
      client.messages.create({
        ...question,
        messages: [
          ...question.messages,
          { role: "assistant", content: [{ type: "tool_use", id: "toolu_x", name: "read", input: {} }] },
          { role: "user", content: "and?" },
        ],
      }),
    );
    expect(error).toBeInstanceOf(Anthropic.BadRequestError);
    expect(error).toMatchObject({
      status: 400,
      type: "invalid_request_error",
      requestID: expect.stringMatching(/^req_/),
      apiMessage: expect.stringContaining("`tool_use` ids were found without `tool_result` blocks"),
    });
    expect(await requests()).toHaveLength(1);
  });

  it("401", async () => {
    const { client, requests } = await setUp({ apiKeys: ["sk-another"] });
    const error = await failureOf(client.messages.create(question));
    expect(error).toBeInstanceOf(Anthropic.AuthenticationError);
    expect(error).toMatchObject({ status: 401, type: "authentication_error" });
    expect(await requests()).toHaveLength(1);
  });

  it("404", async () => {
    const { client } = await setUp();
    const error = await failureOf(client.messages.create({ ...question, model: "claude-nonsense" }));
    expect(error).toBeInstanceOf(Anthropic.NotFoundError);
    expect(error).toMatchObject({ type: "not_found_error", apiMessage: "model: claude-nonsense" });
  });

  it("413, of a body that is really sent", async () => {
    const { client, requests } = await setUp();
    const content = "x".repeat(33 * 1024 * 1024);
    const error = await failureOf(
      client.messages.create({ ...question, messages: [{ role: "user", content }] }),
    );
    expect(error).toMatchObject({
      status: 413,
      type: "request_too_large",
      apiMessage: "Request exceeds the maximum size",
    });
    expect(await requests()).toHaveLength(1);
  });

  it("429: the client waits as long as it is told, and then succeeds", async () => {
    const { client, requests } = await setUp({ faults: "429@1:1s" });
    const started = performance.now();
    expect((await client.messages.create(question)).type).toBe("message");
    expect(performance.now() - started).toBeGreaterThanOrEqual(990);
    expect((await requests()).map(({ status }) => status)).toEqual([429, 200]);
  });

  it("429, 500 and 529 without end: three attempts, then the error's class", async () => {
    for (const [faults, expected, type] of [
      ["429@1-:1s", Anthropic.RateLimitError, "rate_limit_error"],
      ["500@1-", Anthropic.InternalServerError, "api_error"],
      ["529@1-", Anthropic.InternalServerError, "overloaded_error"],
    ] as const) {
      const { client, requests } = await setUp({ faults });
      const error = await failureOf(client.messages.create(question));
      expect(error).toBeInstanceOf(expected);
      expect(error).toMatchObject({ status: Number(faults.slice(0, 3)), type });
      expect((await requests()).map(({ status }) => status)).toEqual(
        Array(3).fill(Number(faults.slice(0, 3))),
      );
      await server?.close();
    }
  });

  it("a connection cut before the response: retried, and then an APIConnectionError", async () => {
    const once = await setUp({ faults: "cut@1" });
    expect((await once.client.messages.create(question)).type).toBe("message");
    expect((await once.requests()).map(({ journey }) => journey)).toEqual(["cut", "complete"]);
    await server?.close();
    const { client, requests } = await setUp({ faults: "cut@1-", maxRetries: 1 });
    const error = await failureOf(client.messages.create(question));
    expect(error).toBeInstanceOf(Anthropic.APIConnectionError);
    expect(error).toMatchObject({ status: undefined });
    expect(await requests()).toHaveLength(2);
    const streamed = await failureOf(client.messages.stream(question).finalMessage());
    expect(streamed).toBeInstanceOf(Anthropic.APIConnectionError);
  });

  it("a connection cut in the stream: an error after the events before it, not retried", async () => {
    const { client, requests } = await setUp({ faults: "cut@1:3" });
    const events: string[] = [];
    const error = await failureOf(
      (async () => {
        for await (const event of await client.messages.create({ ...question, stream: true })) {
          events.push(event.type);
        }
      })(),
    );
    expect(String(error)).toMatch(/terminated|closed|aborted|connection/i);
    expect(events).toEqual(["message_start", "content_block_start", "content_block_delta"]);
    expect(await requests()).toMatchObject([{ journey: "cut" }]);
  });

  it("an error in the stream: an APIError without status, not retried", async () => {
    const { client, requests } = await setUp({ faults: "error@1:3" });
    const error = await failureOf(client.messages.stream(question).finalMessage());
    expect(error).toBeInstanceOf(Anthropic.APIError);
    expect(error).toMatchObject({ status: undefined, type: "overloaded_error", apiMessage: "Overloaded" });
    expect(await requests()).toMatchObject([{ status: 200, journey: "error-event" }]);
  });

  it("a slow first byte: the client's timeout", async () => {
    const { client, requests } = await setUp({ faults: "delay@1-:5s", maxRetries: 0 });
    const error = await failureOf(client.messages.create(question, { timeout: 100 }));
    expect(error).toBeInstanceOf(Anthropic.APIConnectionTimeoutError);
    await expect.poll(async () => (await requests())[0]?.journey).toBe("aborted");
  });

  it("a client that aborts a slow stream ends it on the server", async () => {
    const { client, requests } = await setUp({ faults: "slow@1:5s" });
    const stream = client.messages.stream(question);
    stream.on("streamEvent", () => stream.abort());
    expect(await failureOf(stream.finalMessage())).toBeInstanceOf(Anthropic.APIUserAbortError);
    await expect.poll(async () => (await requests())[0]?.journey).toBe("aborted");
  });
});

describe("clients of old", () => {
  it("x-api-key and an older version work as well, and share the cache with the new style", async () => {
    const { client, url } = await setUp();
    const request = {
      ...question,
      system: [
        {
          type: "text" as const,
          text: "Rules. ".repeat(800),
          cache_control: { type: "ephemeral" as const },
        },
      ],
    };
    const response = await fetch(`${url}/v1/messages?beta=true`, {
      method: "POST",
      headers: {
        "x-api-key": "sk-test",
        "anthropic-version": "2023-06-01",
        "content-type": "application/json",
      },
      body: JSON.stringify(request),
    });
    const first = (await response.json()) as Anthropic.Message;
    expect(first.usage.cache_creation_input_tokens).toBeGreaterThan(0);
    const second = await client.messages.create(request);
    expect(second.usage.cache_read_input_tokens).toBe(first.usage.cache_creation_input_tokens);
  });

  it("a body whose length nobody said is read up to the limit, and no further", async () => {
    const { url } = await setUp({ maxBodyBytes: 1_000_000 });
    let sent = 0;
    const body = new ReadableStream<Uint8Array>({
      pull(controller) {
        sent += 65_536;
        if (sent > 30_000_000) controller.close();
        else controller.enqueue(new Uint8Array(65_536).fill(32));
      },
    });
    const headers = { "x-api-key": "k", "anthropic-version": "2023-06-01" };
    const init = { method: "POST", headers, body, duplex: "half" as const };
    const response = await fetch(`${url}/v1/messages`, init);
    expect(response.status).toBe(413);
    expect(await response.json()).toMatchObject({ error: { type: "request_too_large" } });
  });

  it("without a key, without a version, with the wrong method, at the wrong place", async () => {
    const { url } = await setUp();
    const statusOf = async (path: string, init: RequestInit): Promise<number> =>
      (await fetch(`${url}${path}`, init)).status;
    const body = JSON.stringify(question);
    const key = { "x-api-key": "k" };
    expect(await statusOf("/v1/messages", { method: "POST", body })).toBe(401);
    expect(await statusOf("/v1/messages", { method: "POST", body, headers: key })).toBe(400);
    expect(await statusOf("/v1/messages", { headers: key })).toBe(405);
    expect(await statusOf("/v2/messages", { headers: key })).toBe(404);
    expect(await statusOf("/__sim/stats", { headers: { origin: "http://localhost" } })).toBe(403);
  });
});
