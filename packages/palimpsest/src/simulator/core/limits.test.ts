import { describe, expect, it } from "vitest";
import { assistant, cannedPlayer, createClient, prose, text, user } from "../testing/client.js";

const body = (change: object = {}) => ({
  model: "claude-opus-5",
  max_tokens: 100,
  messages: [user(text("hello"))],
  ...change,
});

const call = { type: "tool_use", id: "t1", name: "Read", input: {} };
const result = { type: "tool_result", tool_use_id: "t1", content: "ok" };
const marker = (ttl?: string) => ({ cache_control: { type: "ephemeral", ...(ttl && { ttl }) } });

const GIF = "R0lGODlhAQABAAAAOw==";
const media = (type: string, mediaType: string, data: string) => ({
  type,
  source: { type: "base64", media_type: mediaType, data },
});

describe("the texts of refusals", () => {
  it.each<[string, object, string, object?]>([
    [
      "a missing result",
      { messages: [user(text("q")), assistant(call), user(text("no"))] },
      "messages.1: `tool_use` ids were found without `tool_result` blocks immediately after: t1. Each `tool_use` block must have a corresponding `tool_result` block in the next message.",
    ],
    [
      "text before the result",
      { messages: [user(text("q")), assistant(call), user(text("first"), result)] },
      "messages.1: `tool_use` ids were found without `tool_result` blocks immediately after: t1. Each `tool_use` block must have a corresponding `tool_result` block in the next message.",
    ],
    [
      "an orphan",
      { messages: [user(result)] },
      "messages.0.content.0: unexpected `tool_use_id` found in `tool_result` blocks: t1. Each `tool_result` block must have a corresponding `tool_use` block in the previous message.",
    ],
    [
      "a duplicate",
      { messages: [user(text("q")), assistant(call), user(result, result)] },
      "messages.2.content.1: each tool_use must have a single result. Found multiple `tool_result` blocks with id: t1",
    ],
    [
      "five markers",
      { messages: [user(...Array.from({ length: 5 }, (_, n) => text(`t${n}`, marker())))] },
      "A maximum of 4 blocks with cache_control may be provided. Found 5.",
    ],
    [
      "1h after 5m",
      { messages: [user(text("a", marker("5m")), text("b", marker("1h")))] },
      "messages.0.content.1.cache_control.ttl: a ttl='1h' cache_control block must not come after a ttl='5m' cache_control block. Note that blocks are processed in the following order: `tools`, `system`, `messages`.",
    ],
    ["empty text", { messages: [user(text(""))] }, "messages: text content blocks must be non-empty"],
    [
      "an empty message",
      { messages: [user(), assistant(text("a")), user(text("b"))] },
      "messages.0: all messages must have non-empty content except for the optional final assistant message",
    ],
    [
      "the assistant first",
      { messages: [assistant(text("a")), user(text("b"))] },
      'messages: first message must use the "user" role',
    ],
    [
      "an image that is not base64",
      { messages: [user(media("image", "image/gif", `${GIF}\n`))] },
      "messages.0.content.0.image.source.base64: invalid base64 data",
    ],
    [
      "an image without data",
      { messages: [user(media("image", "image/gif", ""))] },
      "messages.0.content.0.image.source.base64: image cannot be empty",
    ],
    [
      "an image of another kind",
      { messages: [user(media("image", "image/png", GIF))] },
      "messages.0.content.0.image.source.base64: The image was specified using the image/png media type, but the image appears to be a image/gif image",
    ],
    [
      "an image that is none",
      { messages: [user(media("image", "image/png", "PGh0bWw+"))] },
      "Could not process image",
    ],
    [
      "a PDF that is none",
      { messages: [user(media("document", "application/pdf", "PGh0bWw+"))] },
      "messages.0.content.0.pdf.source.base64.data: The PDF specified was not valid.",
    ],
    [
      "prefill",
      { messages: [user(text("q")), assistant(text("a"))] },
      "This model does not support assistant message prefill. The conversation must end with a user message.",
    ],
    [
      "max_tokens over the cap",
      { max_tokens: 200_000 },
      "max_tokens: 200000 > 128000, which is the maximum allowed number of output tokens for claude-opus-5",
    ],
    [
      "ids used twice",
      { messages: [user(text("q")), assistant(call), user(result), assistant(call), user(result)] },
      "`tool_use` ids must be unique",
    ],
    [
      "a marker on empty text",
      { messages: [user(text("", marker()), text("a"))] },
      "messages.0.content.0.text: cache_control cannot be set for empty text blocks",
    ],
    [
      "no thinking first, with a thinking budget",
      {
        model: "claude-opus-4-5",
        max_tokens: 4000,
        thinking: { type: "enabled", budget_tokens: 1024 },
        messages: [user(text("q")), assistant(call), user(result)],
      },
      "Expected `thinking` or `redacted_thinking`, but found `tool_use`. When `thinking` is enabled, a final `assistant` message must start with a thinking block",
    ],
    [
      "thinking without a signature",
      {
        messages: [
          user(text("q")),
          assistant({ type: "thinking", thinking: "hm", signature: "" }, text("a")),
          user(text("b")),
        ],
      },
      "messages.1.content.0: Invalid `signature` in `thinking` block",
    ],
    [
      "a forced tool",
      {
        model: "claude-sonnet-5-5",
        tools: [{ name: "Read", input_schema: { type: "object" } }],
        tool_choice: { type: "any" },
      },
      'tool_choice: type "tool" and "any" are not supported for this model.',
    ],
    [
      "edits without their header",
      { context_management: { edits: [] } },
      "context_management: Extra inputs are not permitted",
    ],
    [
      "private cache edits",
      { messages: [user({ type: "cache_edits", edits: [] })] },
      "messages.0.content.0: Extra inputs are not permitted",
    ],
    [
      "clear_thinking without thinking",
      { context_management: { edits: [{ type: "clear_thinking_20251015", keep: "all" }] } },
      "`clear_thinking_20251015` strategy requires `thinking` to be enabled or adaptive",
      { betas: ["context-management-2025-06-27"] },
    ],
  ])("%s", (_, change, message, sent) => {
    expect(createClient().refusal(body(change), sent)).toMatchObject({
      status: 400,
      type: "invalid_request_error",
      message: expect.stringContaining(message),
    });
  });

  it("an unknown model is not found", () => {
    expect(createClient().refusal(body({ model: "claude-nobody" }))).toEqual({
      kind: "error",
      status: 404,
      type: "not_found_error",
      message: "model: claude-nobody",
    });
  });

  it.each([null, 5, "x", [], {}, { model: 1 }, { messages: "no" }])(
    "%j is refused, not crashed on",
    (value) => {
      expect(createClient().call(value as object)).toMatchObject({ kind: "error", status: 400 });
    },
  );
});

describe("the window", () => {
  it("refuses what is longer, with both numbers", () => {
    const client = createClient({ window: 5000 });
    const long = body({ messages: [user(text(prose("long", 8000)))] });
    const counted = client.count(long);
    const tokens = counted.kind === "count" ? counted.body["input_tokens"] : 0;
    expect(client.refusal(long).message).toBe(`prompt is too long: ${String(tokens)} tokens > 5000 maximum`);
  });

  it("cuts an answer off at max_tokens, and at the window", () => {
    const answer = { content: [{ type: "text" as const, text: prose("answer", 3000) }] };
    const capped = createClient({ player: cannedPlayer(answer) }).message(body({ max_tokens: 50 }));
    expect(capped.stop_reason).toBe("max_tokens");
    expect(capped.usage.output_tokens).toBe(50);
    const client = createClient({ player: cannedPlayer(answer), window: 2000 });
    const full = client.message(body({ max_tokens: 4000, messages: [user(text(prose("long", 1500)))] }));
    expect(full.stop_reason).toBe("model_context_window_exceeded");
  });

  it("ends at a stop sequence", () => {
    const client = createClient({
      player: cannedPlayer({ content: [{ type: "text", text: "one STOP two" }] }),
    });
    expect(client.message(body({ stop_sequences: ["STOP"] }))).toMatchObject({
      content: [{ type: "text", text: "one " }],
      stop_reason: "stop_sequence",
      stop_sequence: "STOP",
    });
  });

  it("what stands behind a stop sequence is not billed", () => {
    const answer = { content: [{ type: "text" as const, text: `one STOP ${prose("more", 1000)}` }] };
    const message = createClient({ player: cannedPlayer(answer) }).message(
      body({ stop_sequences: ["STOP"], max_tokens: 500 }),
    );
    expect(message).toMatchObject({ stop_reason: "stop_sequence", content: [{ text: "one " }] });
    expect(message.usage.output_tokens).toBeLessThan(10);
  });

  it("ids of calls differ also after a reset", () => {
    const calls = { content: [{ type: "tool_use" as const, name: "Read", input: {} }] };
    const client = createClient({ player: cannedPlayer(calls, calls) });
    const tools = [{ name: "Read", input_schema: { type: "object" } }];
    const [first] = client.message(body({ tools })).content;
    client.simulator.reset();
    const [second] = client.message(body({ tools, messages: [user(text("other"))] })).content;
    expect((first as { id: string }).id).not.toBe((second as { id: string }).id);
  });

  it("never calls a tool that was not offered", () => {
    const calls = { content: [{ type: "tool_use" as const, name: "Read", input: {} }] };
    expect(createClient({ player: cannedPlayer(calls) }).message(body()).content).toEqual([]);
  });
});

describe("tokens", () => {
  const count = (content: object[], model = "claude-opus-5"): number => {
    const counted = createClient().count(body({ model, messages: [user(...content)] }));
    return counted.kind === "count" ? Number(counted.body["input_tokens"]) : Number.NaN;
  };

  it("the same text costs more on newer models", () => {
    const long = [text(prose("text", 5000))];
    expect(count(long) / count(long, "claude-opus-4-6")).toBeGreaterThan(1.1);
  });

  it("images cost their patches, up to the model's cap", () => {
    const png = (width: number, height: number): object => {
      const header = Buffer.alloc(45);
      Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]).copy(header);
      header.writeUInt32BE(13, 8);
      header.write("IHDR", 12);
      header.writeUInt32BE(width, 16);
      header.writeUInt32BE(height, 20);
      header.write("IEND", 37);
      return {
        type: "image",
        source: { type: "base64", media_type: "image/png", data: header.toString("base64") },
      };
    };
    expect(count([png(280, 280)]) - count([text("x")])).toBeCloseTo(100 - 2, -1);
    expect(count([png(2576, 2576)])).toBeLessThanOrEqual(4784 + 10);
    expect(count([png(2000, 2000)], "claude-opus-4-6")).toBeLessThanOrEqual(1568 + 10);
  });

  it("one long word takes no time", () => {
    expect(count([text("a".repeat(400_000))])).toBeGreaterThan(10_000);
  });

  it("long runs of white space take no time", () => {
    for (const run of [" ", "\n", "\u3000"]) {
      expect(count([text(`x${run.repeat(200_000)}y`)])).toBeGreaterThan(400);
    }
  });

  it("special tokens in a text are text", () => {
    expect(count([text("<|endoftext|> <|im_start|>")])).toBeGreaterThan(5);
  });
});
