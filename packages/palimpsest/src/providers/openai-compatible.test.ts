import type { ModelCall, ModelOutput } from "@palimpsest/core";
import { modelProviderContract, type CreateProviderHarness } from "@palimpsest/core/testing";
import { describe, expect, it } from "vitest";
import { createOpenAiCompatibleProvider, type OpenAiCompatibleProviderOptions } from "./openai-compatible.js";
import { startChatServer, type ChatServer, type ChatServerOptions } from "./testing/chat-server.js";
import { quickRetries } from "./testing/simulator-harness.js";

const model = "chat-model";
const request: ModelCall["request"] = {
  model,
  max_tokens: 100,
  system: "be brief",
  messages: [{ role: "user", content: [{ type: "text", text: "hi", cache_control: { type: "ephemeral" } }] }],
};

const harness =
  (dialect: ChatServerOptions["dialect"]): CreateProviderHarness =>
  async (script) => {
    const server = await startChatServer({ script, ...(dialect === undefined ? {} : { dialect }) });
    const provider = createOpenAiCompatibleProvider({ baseUrl: server.baseUrl, ...quickRetries });
    return { provider, model, requests: () => server.received.length, close: () => server.close() };
  };

describe.each(["openai", "terse"] as const)("model provider contract: a chat server, %s", (dialect) => {
  for (const requirement of modelProviderContract) {
    it(requirement.name, () => requirement.run(harness(dialect)));
  }
});

type Settings = Partial<OpenAiCompatibleProviderOptions> & Partial<ChatServerOptions>;

/** Calls a server with one answer, or with one of its own, and gives what came and what it got. */
async function called(
  { script = [{ text: "Done." }], answer, dialect, ...options }: Settings = {},
  call: Partial<ModelCall> = {},
): Promise<{ readonly outputs: readonly ModelOutput[]; readonly server: ChatServer }> {
  const server = await startChatServer({
    script,
    ...(answer === undefined ? {} : { answer }),
    ...(dialect === undefined ? {} : { dialect }),
  });
  try {
    const provider = createOpenAiCompatibleProvider({ baseUrl: server.baseUrl, ...quickRetries, ...options });
    const outputs: ModelOutput[] = [];
    for await (const output of provider.stream({ request, ...call })) outputs.push(output);
    return { outputs, server };
  } finally {
    await server.close();
  }
}

describe("createOpenAiCompatibleProvider", () => {
  it("posts the encoded request with the key, and maps the usage", async () => {
    const { outputs, server } = await called({ apiKey: " sk-1 ", headers: { "X-Title": "t" } });
    expect(server.received).toMatchObject([
      {
        method: "POST",
        url: "/v1/chat/completions",
        headers: { authorization: "Bearer sk-1", "x-title": "t", "content-type": "application/json" },
        body: {
          model,
          max_tokens: 100,
          messages: [
            { role: "system", content: "be brief" },
            { role: "user", content: "hi" },
          ],
          stream: true,
          stream_options: { include_usage: true },
        },
      },
    ]);
    expect(JSON.stringify(server.received[0]?.body)).not.toContain("cache_control");
    const last = outputs.at(-1);
    expect(last).toMatchObject({ kind: "message", message: { content: [{ type: "text", text: "Done." }] } });
    const usage = last?.kind === "message" ? last.message.usage : undefined;
    expect(usage?.cache_read_input_tokens).toBeGreaterThan(0);
    expect(usage?.input_tokens).toBeGreaterThan(0);
  });

  it("sends what it is told to: no key, other headers, settings of the encoding, the query of its address", async () => {
    const bare = await called();
    expect(bare.server.received[0]?.headers).not.toHaveProperty("authorization");
    const told = await called(
      {
        apiKey: "sk-1",
        headers: { Authorization: "Basic eA==", "x-a": "1" },
        systemRole: "developer",
        maxTokensField: "max_completion_tokens",
        promptCacheKey: "c1",
      },
      { headers: { "X-A": "2" }, betas: ["b"] },
    );
    expect(told.server.received[0]).toMatchObject({
      headers: { authorization: "Basic eA==", "x-a": "2" },
      body: { messages: [{ role: "developer" }, {}], max_completion_tokens: 100, prompt_cache_key: "c1" },
    });
    const server = await startChatServer({ script: [{ text: "a" }] });
    const provider = createOpenAiCompatibleProvider({ baseUrl: `${server.baseUrl}//?api-version=1#x` });
    for await (const _output of provider.stream({ request }));
    expect(server.received[0]?.url).toBe("/v1/chat/completions?api-version=1");
    await server.close();
  });

  it.each([
    ["https://api.openai.com/v1", "max_completion_tokens"],
    ["https://x.openai.azure.com/openai/v1", "max_completion_tokens"],
    ["http://localhost:11434/v1", "max_tokens"],
  ])("asks %s for %s", async (baseUrl, field) => {
    let sent: unknown;
    const fetch = ((url: URL, init: RequestInit) => {
      sent = { url: url.href, body: JSON.parse(init.body as string) as unknown };
      return Promise.resolve(new Response("", { status: 400 }));
    }) as unknown as typeof globalThis.fetch;
    const provider = createOpenAiCompatibleProvider({ baseUrl, fetch });
    for await (const _output of provider.stream({ request }));
    expect(sent).toMatchObject({ url: `${baseUrl}/chat/completions`, body: { [field]: 100 } });
  });

  it.each(["", "localhost:1234", "ftp://example.com", "file:///etc/passwd", "/v1", "javascript:alert(1)"])(
    "does not take %j for a base URL",
    (baseUrl) => {
      expect(() => createOpenAiCompatibleProvider({ baseUrl })).toThrow(
        "the base URL has to be a whole address that begins with https:// or http://",
      );
    },
  );

  it("does not take a base URL with a password, and does not repeat it", () => {
    const create = (): unknown =>
      createOpenAiCompatibleProvider({ baseUrl: "https://user:hunter2@example.com/v1" });
    expect(create).toThrow(/must not hold a user or a password/);
    expect(create).not.toThrow(/hunter2/);
  });

  it("knows what a chat server can do, and what it is told", () => {
    const baseUrl = "http://localhost/v1";
    expect(createOpenAiCompatibleProvider({ baseUrl }).capabilities("any")).toMatchObject({
      caching: "automatic",
      maxMarkers: 0,
    });
    const told = createOpenAiCompatibleProvider({ baseUrl, capabilities: { caching: "none" } });
    expect(told.capabilities("any").caching).toBe("none");
  });

  it("reads a whole answer of a server that does not stream", async () => {
    const { outputs } = await called({
      answer(_request, outgoing) {
        outgoing.writeHead(200, { "content-type": "application/json; charset=utf-8" });
        const tool_calls = [{ type: "function", function: { name: "read", arguments: "{}" } }];
        const message = { role: "assistant", content: "I look", tool_calls };
        outgoing.end(JSON.stringify({ choices: [{ index: 0, message, finish_reason: "tool_calls" }] }));
        return true;
      },
    });
    expect(outputs.map(({ kind }) => kind).join(" ")).toBe(
      "start block-start text block block-start tool-input block message",
    );
    expect(outputs.at(-1)).toMatchObject({
      message: { model, stop_reason: "tool_use", content: [{ text: "I look" }, { name: "read", input: {} }] },
    });
    const last = outputs.at(-1);
    expect(last?.kind === "message" && last.message.id).toMatch(/^chat-[0-9a-f-]{36}$/);
  });

  it("reads a stream whatever its type, and an error behind a status of success", async () => {
    const body = 'data: {"choices":[{"delta":{"content":"a"},"finish_reason":"stop"}]}\n\n';
    const plain = await called({
      answer(_request, outgoing) {
        outgoing.writeHead(200, { "content-type": "text/plain" }).end(body);
        return true;
      },
    });
    expect(plain.outputs.at(-1)).toMatchObject({ kind: "message", message: { content: [{ text: "a" }] } });
    const failed = await called({
      answer(_request, outgoing) {
        outgoing.writeHead(200, { "content-type": "application/json" });
        outgoing.end('{"error":{"message":"the request exceeds the available context size","code":400}}');
        return true;
      },
    });
    expect(failed.outputs).toMatchObject([{ kind: "error", failure: { kind: "context-overflow" } }]);
  });

  it("gives a failure its figures and its facts", async () => {
    const { outputs } = await called({ script: [{ fault: "overflow" }] });
    expect(outputs).toMatchObject([
      {
        kind: "error",
        failure: { kind: "context-overflow", status: 400, actualTokens: 128_001, maximumTokens: 128_000 },
      },
    ]);
  });

  it("keeps keys out of every failure", async () => {
    const secrets = ["sk-secret-1", "sk-secret-2", "sk-secret-3"];
    const { outputs } = await called(
      {
        apiKey: "sk-secret-1",
        headers: { "api-key": "sk-secret-2" },
        answer({ headers }, outgoing) {
          const message = `Incorrect API key provided: ${headers.authorization}, ${String(headers["api-key"])}, ${String(headers["x-token"])}`;
          outgoing.writeHead(401, { "content-type": "application/json", "x-request-id": "sk-secret-1" });
          outgoing.end(JSON.stringify({ error: { message, type: "sk-secret-2", code: "sk-secret-1" } }));
          return true;
        },
      },
      { headers: { "x-token": "sk-secret-3" } },
    );
    expect(outputs).toMatchObject([{ kind: "error", failure: { kind: "authentication" } }]);
    for (const secret of secrets) expect(JSON.stringify(outputs)).not.toContain(secret);
  });

  it("does not leak a key in the query of its address, but still names the version", async () => {
    const fetch: typeof globalThis.fetch = (url) => {
      const message = `bad url ${url instanceof URL ? url.href : "none"}, key=sk/secret`;
      return Promise.resolve(Response.json({ error: { message } }, { status: 400 }));
    };
    const query = "key=sk%2Fsecret&api-version=2024-10-21";
    const { outputs } = await called({ baseUrl: `http://x.invalid/v1?${query}`, fetch });
    expect(outputs).toMatchObject([
      {
        failure: {
          message:
            "bad url http://x.invalid/v1/chat/completions?key=[secret]&api-version=2024-10-21, key=[secret]",
        },
      },
    ]);
  });

  const unsayable = { type: "tool_use", id: "t", name: "secret", input: { big: 1n } } as const;

  it.each<readonly [string, Settings, Partial<ModelCall>]>([
    ["a key of two lines", { apiKey: "sk-\nsecret" }, {}],
    ["a header of a bad name", { headers: { "bad name": "secret" } }, {}],
    ["a header of two lines", {}, { headers: { "x-a": "secret\r\nx-b: c" } }],
    [
      "what is no JSON",
      {},
      { request: { ...request, messages: [{ role: "assistant", content: [unsayable] }] } },
    ],
  ])("does not send %s, nor repeat it", async (_what, options, call) => {
    const { outputs, server } = await called(options, call);
    expect(outputs).toMatchObject([
      { kind: "error", failure: { kind: "invalid-request", retryable: false } },
    ]);
    expect(JSON.stringify(outputs)).not.toContain("secret");
    expect(server.received).toHaveLength(0);
  });

  it("does not follow to another address", async () => {
    const { outputs, server } = await called({
      apiKey: "sk-1",
      answer(_request, outgoing) {
        outgoing.writeHead(307, { location: "/elsewhere" }).end();
        return true;
      },
    });
    expect(outputs).toMatchObject([
      { kind: "error", failure: { kind: "invalid-request", retryable: false } },
    ]);
    expect(server.received).toHaveLength(1);
  });

  it("says when nobody is there", async () => {
    const server = await startChatServer({ script: [] });
    await server.close();
    const provider = createOpenAiCompatibleProvider({ baseUrl: server.baseUrl, ...quickRetries });
    const outputs: ModelOutput[] = [];
    for await (const output of provider.stream({ request })) outputs.push(output);
    expect(outputs).toMatchObject([{ kind: "error", failure: { kind: "connection", retryable: true } }]);
  });

  it("closes the connection when it is called off, and when nothing comes for too long", async () => {
    const controller = new AbortController();
    const server = await startChatServer({
      script: [{ fault: "hang" }, { fault: "hang" }],
      // Not before it has arrived.
      answer() {
        setTimeout(() => controller.abort(), 1);
        return false;
      },
    });
    const options = { baseUrl: server.baseUrl, ...quickRetries };
    const kinds: string[] = [];
    const stream = createOpenAiCompatibleProvider(options).stream({ request }, { signal: controller.signal });
    for await (const output of stream)
      kinds.push(output.kind === "error" ? output.failure.kind : output.kind);
    expect(kinds).toEqual(["aborted"]);
    await expect.poll(() => server.abandoned()).toBe(1);

    const impatient = createOpenAiCompatibleProvider({ ...options, idleTimeoutMs: 1000, maxRetries: 0 });
    const late: ModelOutput[] = [];
    for await (const output of impatient.stream({ request })) late.push(output);
    expect(late).toMatchObject([{ kind: "error", failure: { kind: "timeout" } }]);
    await expect.poll(() => server.abandoned()).toBe(2);
    await server.close();
  });

  it("does not lose patience with a server that only sends comments", async () => {
    const { outputs } = await called({
      idleTimeoutMs: 1000,
      maxRetries: 0,
      answer(_request, outgoing) {
        outgoing.writeHead(200, { "content-type": "text/event-stream" });
        let comments = 0;
        const timer = setInterval(() => {
          comments += 1;
          outgoing.write(": processing\n\n");
          if (comments < 10) return;
          clearInterval(timer);
          outgoing.end('data: {"choices":[{"delta":{"content":"a"},"finish_reason":"stop"}]}\n\n');
        }, 120);
        return true;
      },
    });
    expect(outputs.at(-1)).toMatchObject({ kind: "message" });
  });
});
