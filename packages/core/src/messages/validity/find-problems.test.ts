import { describe, expect, it } from "vitest";
import { findProblems } from "./find-problems.js";
import type { JudgeOptions } from "./problem.js";
import { rules, type Rule } from "./rules.js";

interface Case {
  readonly rule: Rule;
  readonly request: unknown;
  readonly options?: JudgeOptions;
  readonly message: string;
  readonly errorCode?: string;
}

const user = (content: unknown) => ({ role: "user", content });
const assistant = (content: unknown) => ({ role: "assistant", content });
const text = (value: string, more: object = {}) => ({ type: "text", text: value, ...more });
const call = (id: string, more: object = {}) => ({ type: "tool_use", id, name: "read", input: {}, ...more });
const result = (id: string, more: object = {}) => ({
  type: "tool_result",
  tool_use_id: id,
  content: "ok",
  ...more,
});
const search = (id: string) => ({ type: "server_tool_use", id, name: "web_search", input: { query: "x" } });
const found = (id: string) => ({ type: "web_search_tool_result", tool_use_id: id, content: [] });
const thought = { type: "thinking", thinking: "", signature: "sig" };
const marker = (ttl?: "5m" | "1h") => ({ cache_control: { type: "ephemeral", ...(ttl && { ttl }) } });
const tool = (name: string, more: object = {}) => ({ name, input_schema: { type: "object" }, ...more });
const gif = (width: number, height: number): string => {
  const bytes = [71, 73, 70, 56, 57, 97, width & 255, width >> 8, height & 255, height >> 8, 0, 0];
  return btoa(String.fromCharCode(...bytes));
};
const image = (data: string) => ({
  type: "image",
  source: { type: "base64", media_type: "image/gif", data },
});
const paper = (data: string) => ({
  type: "document",
  source: { type: "base64", media_type: "application/pdf", data },
});
const ask = (more: object = {}) => ({
  model: "claude-opus-4-5",
  max_tokens: 4096,
  messages: [user("hello")],
  ...more,
});
const say = (...messages: readonly unknown[]) => ask({ messages });
const on = (model: string, more: object = {}) => ask({ model, ...more });
const manual = { thinking: { type: "enabled", budget_tokens: 2048 } };
const summarise = { compaction: { type: "summarize" } };
const deep = (levels: number): unknown => {
  let value: unknown = 1;
  for (let level = 0; level < levels; level += 1) value = { value };
  return value;
};

const shapeCases: readonly Case[] = [
  {
    rule: "unpaired-surrogate",
    request: say(user([text("half \ud83d of a pair")])),
    message: "The request body is not valid JSON: no low surrogate in string",
  },
  {
    rule: "unpaired-surrogate",
    request: ask({ system: "\udc00" }),
    message: "The request body is not valid JSON: no low surrogate in string",
  },
  {
    rule: "nesting-too-deep",
    request: say(user("hi"), assistant([call("a", { input: deep(100_000) })]), user([result("a")])),
    message: "The request body is not valid JSON: nesting deeper than 200 levels",
  },
  {
    rule: "not-an-object",
    request: null,
    message: "Input should be a valid dictionary or object to extract fields from",
  },
  {
    rule: "not-an-object",
    request: say(user(["text"])),
    message: "messages.0.content.0: Input should be a valid dictionary or object to extract fields from",
  },
  {
    rule: "field-required",
    request: { max_tokens: 1, messages: [user("x")] },
    message: "model: Field required",
  },
  { rule: "field-required", request: { model: "m", max_tokens: 1 }, message: "messages: Field required" },
  { rule: "field-required", request: say({ role: "user" }), message: "messages.0.content: Field required" },
  {
    rule: "field-required",
    request: say(user([{ type: "text" }])),
    message: "messages.0.content.0.text.text: Field required",
  },
  {
    rule: "field-required",
    request: ask({ tools: [{ name: "a", input_schema: {} }] }),
    message: "tools.0.custom.input_schema.type: Field required",
  },
  {
    rule: "extra-field",
    request: say(user("hi"), assistant([{ ...thought, ...marker() }, text("x")]), user("y")),
    message: "messages.1.content.0.thinking.cache_control: Extra inputs are not permitted",
  },
  {
    rule: "extra-field",
    request: ask({ context_management: { edits: [] } }),
    options: { betas: [] },
    message: "context_management: Extra inputs are not permitted",
  },
  { rule: "extra-field", request: ask({ betas: [] }), message: "betas: Extra inputs are not permitted" },
  {
    rule: "extra-field",
    request: ask({ temperature: 0 }),
    message: "temperature: Extra inputs are not permitted",
  },
  {
    rule: "extra-field",
    request: say({ ...user("hi"), uuid: "1" }),
    message: "messages.0.uuid: Extra inputs are not permitted",
  },
  {
    rule: "extra-field",
    request: say(user("hi"), assistant([call("a")]), user([result("a", { cache_reference: "a" })])),
    message: "messages.2.content.0.tool_result.cache_reference: Extra inputs are not permitted",
  },
  {
    rule: "extra-field",
    request: say(user([{ type: "cache_edits", edits: [] }])),
    message: "messages.0.content.0: Extra inputs are not permitted",
  },
  { rule: "wrong-type", request: say(user(7)), message: "messages.0.content: Input should be a valid list" },
  {
    rule: "wrong-type",
    request: ask({ max_tokens: 1.5 }),
    message: "max_tokens: Input should be a valid integer, got a number with a fractional part",
  },
  {
    rule: "wrong-type",
    request: say(user("hi"), assistant([call("a", { input: "x" })]), user([result("a")])),
    message: "messages.1.content.0.tool_use.input: Input should be a valid dictionary",
  },
  {
    rule: "invalid-value",
    request: say({ role: "tool", content: "x" }),
    message: "messages.0.role: Input should be 'user', 'assistant' or 'system'",
  },
  {
    rule: "invalid-value",
    request: say(user([text("x", { cache_control: { type: "ephemeral", ttl: "2h" } })])),
    message: "messages.0.content.0.text.cache_control.ephemeral.ttl: Input should be '5m' or '1h'",
  },
  {
    rule: "unknown-type",
    request: ask({ thinking: { type: "on" } }),
    message:
      "thinking: Input tag 'on' found using 'type' does not match any of the expected tags: 'adaptive', 'between_tools', 'disabled', 'enabled'",
  },
  {
    rule: "pattern-mismatch",
    request: say(user("hi"), assistant([call("a b")]), user([result("a b")])),
    message: "messages.1.content.0.tool_use.id: String should match pattern '^[a-zA-Z0-9_-]+$'",
  },
  {
    rule: "pattern-mismatch",
    request: ask({ tools: [tool("a.b")] }),
    message: "tools.0.custom.name: String should match pattern '^[a-zA-Z0-9_-]{1,128}$'",
  },
  {
    rule: "too-short",
    request: say(user("hi"), assistant([{ type: "redacted_thinking", data: "" }, text("x")]), user("y")),
    message: "messages.1.content.0.redacted_thinking.data: String should have at least 1 character",
  },
  {
    rule: "too-long",
    request: ask({ compaction: { type: "summarize", instructions: "x".repeat(16_385) } }),
    message: "compaction.summarize.instructions: String should have at most 16384 characters",
  },
  {
    rule: "out-of-range",
    request: ask({ thinking: { type: "enabled", budget_tokens: 512 } }),
    message: "thinking.enabled.budget_tokens: Input should be greater than or equal to 1024",
  },
  {
    rule: "out-of-range",
    request: ask({
      context_management: {
        edits: [{ type: "compact_20260112", trigger: { type: "input_tokens", value: 1000 } }],
      },
    }),
    message:
      "context_management.edits.0.compact_20260112.trigger.input_tokens.value: Input should be greater than or equal to 50000",
  },
];

const contentCases: readonly Case[] = [
  {
    rule: "block-in-wrong-role",
    request: say(user([call("a")])),
    message: "messages.0: `tool_use` blocks can only be in `assistant` messages",
  },
  {
    rule: "block-in-wrong-role",
    request: say(
      user("hi"),
      assistant([{ type: "document", source: { type: "url", url: "https://x" } }]),
      user("y"),
    ),
    message: "messages.1: `document` blocks can only be in `user` messages",
  },
  {
    rule: "empty-text",
    request: say(user([text("")])),
    message: "messages: text content blocks must be non-empty",
  },
  {
    rule: "empty-text",
    request: ask({ system: [text("")] }),
    message: "system: text content blocks must be non-empty",
  },
  {
    rule: "whitespace-text",
    request: say(user(" \n")),
    message: "messages: text content blocks must contain non-whitespace text",
  },
  {
    rule: "marked-empty-text",
    request: say(user([text("", marker())])),
    message: "messages.0.content.0.text: cache_control cannot be set for empty text blocks",
  },
  {
    rule: "error-result-not-text",
    request: say(
      user("hi"),
      assistant([call("a")]),
      user([result("a", { is_error: true, content: [image(gif(1, 1))] })]),
    ),
    message: 'messages.2.content.0.tool_result: all content must be type "text" if "is_error" is true',
  },
  {
    rule: "invalid-base64",
    request: say(user([image("not base64!")])),
    message: "messages.0.content.0.image.source.base64: invalid base64 data",
  },
  {
    rule: "invalid-base64",
    request: say(user([image(`${gif(1, 1)}\n`)])),
    message: "messages.0.content.0.image.source.base64: invalid base64 data",
  },
  {
    rule: "invalid-base64",
    request: say(user([paper("JVBERi0xLjcK-_8")])),
    message: "messages.0.content.0.document.source.base64: invalid base64 data",
  },
  {
    rule: "empty-data",
    request: say(user([image("")])),
    message: "messages.0.content.0.image.source.base64: image cannot be empty",
  },
  {
    rule: "empty-data",
    request: say(user([paper("")])),
    message: "messages.0.content.0.document.source.base64: PDF cannot be empty",
  },
  {
    rule: "empty-data",
    request: say(user([{ type: "document", source: { type: "text", media_type: "text/plain", data: "" } }])),
    message: "messages.0.content.0.document.source.text.data: document cannot be empty",
  },
  {
    rule: "empty-data",
    request: say(user([{ type: "document", source: { type: "content", content: "" } }])),
    message: "messages.0.content.0.document.source.content.content: document cannot be empty",
  },
  {
    rule: "too-short",
    request: say(user([{ type: "document", source: { type: "content", content: [] } }])),
    message:
      "messages.0.content.0.document.source.content.content: List should have at least 1 item after validation, not 0",
  },
  {
    rule: "unreadable-image",
    request: say(user([image(btoa("<html>404</html>"))])),
    message: "Could not process image",
  },
  {
    rule: "unreadable-image",
    request: say(user([image(gif(0, 5))])),
    message: "Could not process image",
  },
  {
    rule: "unreadable-image",
    request: say(user([image(btoa("\u0089PNG\r\n\u001a\n\0\0\0\rIHDR\0\0\0\u0001\0\0\0\u0001"))])),
    message: "Could not process image",
  },
  {
    rule: "image-type-mismatch",
    request: say(
      user("hi"),
      assistant([call("a")]),
      user([
        result("a", {
          content: [{ type: "image", source: { type: "base64", media_type: "image/jpeg", data: gif(1, 1) } }],
        }),
      ]),
    ),
    message:
      "messages.2.content.0.tool_result.content.0.image.source.base64: The image was specified using the image/jpeg media type, but the image appears to be a image/gif image",
  },
  {
    rule: "invalid-pdf",
    request: say(user([paper(btoa("<html>404</html>"))])),
    message: "messages.0.content.0.pdf.source.base64.data: The PDF specified was not valid.",
  },
  {
    rule: "invalid-url",
    request: say(user([{ type: "document", source: { type: "url", url: "https:///a b" } }])),
    message: "messages.0.content.0.document.source.url.url: Input should be a valid URL",
  },
  {
    rule: "invalid-url",
    request: say(user([{ type: "image", source: { type: "url", url: "file:///etc/passwd" } }])),
    message: "messages.0.content.0.image.source.url.url: URL scheme should be 'http' or 'https'",
  },
  {
    rule: "invalid-signature",
    request: say(user("hi"), assistant([{ ...thought, signature: "" }, text("x")]), user("y")),
    message: "messages.1.content.0: Invalid `signature` in `thinking` block",
  },
  {
    rule: "citations-on-user-text",
    request: say(user([text("x", { citations: [{ type: "char_location" }] })])),
    message:
      "messages.0.content.0.text.citations: citations are only permitted on `text` blocks in `assistant` messages",
  },
  {
    rule: "empty-system-message",
    request: on("claude-opus-5", { messages: [user("hi"), { role: "system" }] }),
    message: "messages.1: system messages must have content or output_config",
  },
  {
    rule: "image-too-large",
    request: say(user([image(gif(1, 1) + "A".repeat(10 * 1_048_576 - 12))])),
    message:
      "messages.0.content.0.image.source.base64: image exceeds 10 MB maximum: 10485764 bytes > 10485760 bytes",
  },
  {
    rule: "document-too-large",
    request: say(user([paper("JVBERi0x" + "A".repeat(32 * 1_048_576 - 4))])),
    message:
      "messages.0.content.0.document.source.base64.data: document exceeds 32 MB maximum: 33554436 bytes > 33554432 bytes",
  },
];

const settingCases: readonly Case[] = [
  {
    rule: "max-tokens-over-cap",
    request: ask({ max_tokens: 64_001 }),
    message:
      "max_tokens: 64001 > 64000, which is the maximum allowed number of output tokens for claude-opus-4-5",
  },
  {
    rule: "prewarm-combination",
    request: ask({ max_tokens: 0, stream: true }),
    message: "max_tokens: 0 cannot be combined with `stream`",
  },
  { rule: "no-messages", request: say(), message: "messages: at least one message is required" },
  {
    rule: "too-many-messages",
    request: ask({ messages: Array.from({ length: 100_001 }, () => user("x")) }),
    message: "messages: List should have at most 100000 items after validation, not 100001",
  },
  {
    rule: "blank-stop-sequence",
    request: ask({ stop_sequences: [" "] }),
    message: "stop_sequences.0: each stop sequence must contain non-whitespace",
  },
  {
    rule: "duplicate-tool-name",
    request: ask({ tools: [tool("a"), tool("a")] }),
    message: "tools: Tool names must be unique.",
  },
  {
    rule: "tool-choice-without-tools",
    request: ask({ tool_choice: { type: "auto" } }),
    message: "tool_choice may only be specified while providing tools.",
  },
  {
    rule: "tool-choice-unknown-tool",
    request: ask({ tools: [tool("a")], tool_choice: { type: "tool", name: "b" } }),
    message: "Tool 'b' not found in provided tools",
  },
  {
    rule: "forced-tool-unsupported",
    request: on("claude-sonnet-5-5", { tools: [tool("a")], tool_choice: { type: "any" } }),
    message: 'tool_choice: type "tool" and "any" are not supported for this model.',
  },
  {
    rule: "forced-tool-with-thinking",
    request: ask({ ...manual, tools: [tool("a")], tool_choice: { type: "any" } }),
    message: "Thinking may not be enabled when tool_choice forces tool use.",
  },
  {
    rule: "thinking-type-unsupported",
    request: on("claude-opus-4-7", manual),
    message:
      '"thinking.type.enabled" is not supported for this model. Use "thinking.type.adaptive" and "output_config.effort" to control thinking behavior.',
  },
  {
    rule: "thinking-type-unsupported",
    request: on("claude-haiku-4-5", { thinking: { type: "adaptive" } }),
    message: "adaptive thinking is not supported on this model",
  },
  {
    rule: "thinking-type-unsupported",
    request: on("claude-opus-5-5", { thinking: { type: "disabled" } }),
    message:
      '"thinking.type.disabled" is not supported for this model. Use "thinking.type.between_tools" instead.',
  },
  {
    rule: "thinking-type-unsupported",
    request: on("claude-opus-5", { thinking: { type: "disabled" }, output_config: { effort: "max" } }),
    message:
      '"thinking.type.disabled" is not supported for this model when "output_config.effort" is above "high".',
  },
  {
    rule: "thinking-budget-over-max-tokens",
    request: ask({ thinking: { type: "enabled", budget_tokens: 4096 } }),
    message:
      "`max_tokens` must be greater than `thinking.budget_tokens`. Please consult our documentation at https://docs.claude.com/en/docs/build-with-claude/extended-thinking#max-tokens-and-context-window-size",
  },
  {
    rule: "context-edit-order",
    request: ask({
      ...manual,
      context_management: {
        edits: [{ type: "clear_tool_uses_20250919" }, { type: "clear_thinking_20251015" }],
      },
    }),
    message: "context_management.edits.1: `clear_thinking_20251015` must be the first edit",
  },
  {
    rule: "clear-thinking-without-thinking",
    request: ask({ context_management: { edits: [{ type: "clear_thinking_20251015" }] } }),
    message: "`clear_thinking_20251015` strategy requires `thinking` to be enabled or adaptive",
  },
];

const orderCases: readonly Case[] = [
  {
    rule: "first-role",
    request: say(assistant("hi"), user("x")),
    message: 'messages: first message must use the "user" role',
  },
  {
    rule: "system-role-unsupported",
    request: on("claude-sonnet-5", { messages: [user("x"), { role: "system", content: "y" }] }),
    message:
      'messages: Unexpected role "system". The Messages API accepts a top-level `system` parameter, not "system" as an input message role.',
  },
  {
    rule: "system-role-position",
    request: on("claude-opus-5", { messages: [{ role: "system", content: "y" }, assistant("x"), user("z")] }),
    message: 'messages.0: a "system" message cannot be the first message',
  },
  {
    rule: "system-role-position",
    request: on("claude-opus-5", {
      messages: [user("x"), assistant("x"), { role: "system", content: "y" }, assistant("x"), user("z")],
    }),
    message:
      'messages.2: a "system" message must follow a "user" message, or an "assistant" message that ends with a server tool result',
  },
  {
    rule: "system-role-position",
    request: on("claude-opus-5", { messages: [user("x"), { role: "system", content: "y" }, user("z")] }),
    message:
      'messages.1: a "system" message must be the last message or be followed by an "assistant" message',
  },
  {
    rule: "empty-message",
    request: say(user("x"), assistant([]), user("y")),
    message:
      "messages.1: all messages must have non-empty content except for the optional final assistant message",
  },
  {
    rule: "empty-message",
    request: on("claude-opus-5", { messages: [user("x"), { role: "system", content: [] }] }),
    message:
      "messages.1: all messages must have non-empty content except for the optional final assistant message",
  },
  {
    rule: "empty-message",
    request: say(user("")),
    message:
      "messages.0: all messages must have non-empty content except for the optional final assistant message",
  },
  {
    rule: "prefill-unsupported",
    request: on("claude-sonnet-4-6", { messages: [user("x"), assistant("{")] }),
    message:
      "This model does not support assistant message prefill. The conversation must end with a user message.",
  },
  {
    rule: "prefill-trailing-whitespace",
    request: say(user("x"), assistant("so: ")),
    message: "messages: final assistant content cannot end with trailing whitespace",
  },
];

const missing = (index: number, ids: string): string =>
  `messages.${index}: \`tool_use\` ids were found without \`tool_result\` blocks immediately after: ${ids}. Each \`tool_use\` block must have a corresponding \`tool_result\` block in the next message.`;

const toolCases: readonly Case[] = [
  {
    rule: "tool-result-missing",
    request: say(user("x"), assistant([call("a"), call("b"), call("c")]), user([result("b"), text("y")])),
    message: missing(1, "a, c"),
  },
  {
    rule: "tool-result-missing",
    request: say(user("x"), assistant([call("a")]), user([text("first"), result("a")])),
    message: missing(1, "a"),
  },
  {
    rule: "tool-result-missing",
    request: say(user("x"), assistant([call("a")]), user("first"), user([result("a")])),
    message: missing(1, "a"),
  },
  { rule: "tool-result-missing", request: say(user("x"), assistant([call("a")])), message: missing(1, "a") },
  {
    rule: "tool-result-orphan",
    request: say(user("x"), assistant("y"), user([result("a")])),
    message:
      "messages.2.content.0: unexpected `tool_use_id` found in `tool_result` blocks: a. Each `tool_result` block must have a corresponding `tool_use` block in the previous message.",
  },
  {
    rule: "tool-result-duplicate",
    request: say(user("x"), assistant([call("a")]), user([result("a")]), user([result("a")])),
    message:
      "messages.3.content.0: each tool_use must have a single result. Found multiple `tool_result` blocks with id: a",
  },
  {
    rule: "tool-use-id-duplicate",
    request: say(
      user("x"),
      assistant([call("a")]),
      user([result("a")]),
      assistant([call("a")]),
      user([result("a")]),
    ),
    message: "messages.3.content.0: `tool_use` ids must be unique",
  },
  {
    rule: "server-result-missing",
    request: say(user("x"), assistant([search("srvtoolu_1")]), user("y")),
    message:
      "messages.1: `web_search` tool use with id `srvtoolu_1` was found without a corresponding `web_search_tool_result` block",
  },
  {
    rule: "server-result-missing",
    request: say(user("x"), assistant([search("srvtoolu_1"), text("no more")])),
    message:
      "messages.1: `web_search` tool use with id `srvtoolu_1` was found without a corresponding `web_search_tool_result` block",
  },
  {
    rule: "server-result-missing",
    request: say(user("x"), assistant([search("srvtoolu_1"), call("a")]), user([result("a"), text("and?")])),
    message:
      "messages.1: `web_search` tool use with id `srvtoolu_1` was found without a corresponding `web_search_tool_result` block",
  },
  {
    rule: "server-result-orphan",
    request: say(user("x"), assistant([found("srvtoolu_1")]), user("y")),
    message:
      "messages.1.content.0: unexpected `tool_use_id` found in `web_search_tool_result` blocks: srvtoolu_1. Each `web_search_tool_result` block must have a corresponding `server_tool_use` block before it.",
  },
  {
    rule: "tool-reference-unknown",
    request: ask({
      tools: [tool("read")],
      messages: [
        user("x"),
        assistant([call("a")]),
        user([result("a", { content: [{ type: "tool_reference", tool_name: "write" }] })]),
      ],
    }),
    message: "Tool reference 'write' not found in available tools",
  },
];

const lastTurnCases: readonly Case[] = [
  {
    rule: "thinking-block-missing",
    request: ask({ ...manual, messages: [user("x"), assistant([call("a")]), user([result("a")])] }),
    message:
      "messages.1.content.0.type: Expected `thinking` or `redacted_thinking`, but found `tool_use`. When `thinking` is enabled, a final `assistant` message must start with a thinking block (preceeding the lastmost set of `tool_use` and `tool_result` blocks). We recommend you include thinking blocks from previous turns. To avoid this requirement, disable `thinking`. Please consult our documentation at https://docs.claude.com/en/docs/build-with-claude/extended-thinking",
  },
  {
    rule: "thinking-block-last",
    request: say(user("x"), assistant([thought])),
    message: "messages.1: The final block in an assistant message cannot be `thinking`.",
  },
];

const ttlOrder =
  "a ttl='1h' cache_control block must not come after a ttl='5m' cache_control block. Note that blocks are processed in the following order: `tools`, `system`, `messages`.";

const markerCases: readonly Case[] = [
  {
    rule: "too-many-markers",
    request: ask({
      cache_control: { type: "ephemeral" },
      tools: [tool("a", marker())],
      system: [text("s", marker())],
      messages: [
        user([text("x", marker())]),
        assistant([call("a")]),
        user([result("a", { content: [text("y", marker())] })]),
      ],
    }),
    message: "A maximum of 4 blocks with cache_control may be provided. Found 5.",
  },
  {
    rule: "marker-ttl-order",
    request: ask({ system: [text("s", marker())], messages: [user([text("x", marker("1h"))])] }),
    message: `messages.0.content.0.cache_control.ttl: ${ttlOrder}`,
  },
  {
    rule: "marker-ttl-order",
    request: ask({ system: [text("s", marker("1h"))], tools: [tool("a", marker("5m"))] }),
    message: `system.0.cache_control.ttl: ${ttlOrder}`,
  },
  {
    rule: "automatic-marker-conflict",
    request: ask({ ...marker("1h"), messages: [user([text("x", marker("5m"))])] }),
    message:
      "cache_control: the last cacheable block already has a cache_control with ttl='5m', which conflicts with the top-level ttl='1h'",
  },
];

const imageCases: readonly Case[] = [
  {
    rule: "image-dimensions",
    request: say(user([image(gif(8001, 10))])),
    message:
      "messages.0.content.0.image.source.base64.data: At least one of the image dimensions exceed max allowed size: 8000 pixels",
  },
  {
    rule: "image-dimensions-many",
    request: say(user([...Array.from({ length: 20 }, () => image(gif(9, 9))), image(gif(10, 2001))])),
    message:
      "messages.0.content.20.image.source.base64.data: At least one of the image dimensions exceed max allowed size for many-image requests: 2000 pixels",
  },
  {
    rule: "too-many-images",
    request: say(user(Array.from({ length: 101 }, () => image(gif(9, 9))))),
    message: "too many images and documents: 101 + 0 > 100",
  },
];

const summary = (more: object = {}) => ({ type: "compaction", content: "so far", signature: "sig", ...more });

const compactionCases: readonly Case[] = [
  {
    rule: "compaction-combination",
    request: ask({ ...summarise, stop_sequences: ["x"] }),
    message: "compaction: `compaction` cannot be combined with `stop_sequences`",
  },
  {
    rule: "compaction-incomplete-turn",
    request: ask({ ...summarise, messages: [user("x"), assistant([call("a")])] }),
    message: "messages.1: the conversation ends on an `assistant` turn that is not finished",
    errorCode: "compaction_incomplete_turn",
  },
  {
    rule: "compaction-nothing-to-summarize",
    request: ask({ ...summarise, messages: [assistant([])] }),
    message: "messages: `messages` holds no `user` or `assistant` content to summarize",
    errorCode: "compaction_nothing_to_summarize",
  },
  {
    rule: "compaction-block-misplaced",
    request: say(user("x"), assistant([summary()]), user("y")),
    message: "messages.1.content.0: a signed `compaction` block must be the first block of the conversation",
    errorCode: "compaction_block_misplaced",
  },
  {
    rule: "compaction-block-ambiguous",
    request: say(assistant([summary(), summary()]), user("y")),
    message: "messages.0.content.1: `messages` holds more than one signed `compaction` block",
    errorCode: "compaction_block_ambiguous",
  },
];

const cases = [
  ...shapeCases,
  ...contentCases,
  ...settingCases,
  ...orderCases,
  ...toolCases,
  ...lastTurnCases,
  ...markerCases,
  ...imageCases,
  ...compactionCases,
];

describe("findProblems", () => {
  it.each(cases)("refuses by $rule: $message", ({ rule, request, options, message, errorCode }) => {
    const [first] = findProblems(request, options);
    expect(first).toMatchObject({ rule, message, ...(errorCode === undefined ? {} : { errorCode }) });
  });

  it("has a case for every rule", () => {
    const covered = new Set<Rule>(cases.map((each) => each.rule));
    expect(rules.filter((rule) => !covered.has(rule))).toEqual([]);
  });

  it("returns all problems, with the place of each", () => {
    const problems = findProblems(say(user([text("")]), assistant([{ type: "text" }, call("")]), user("x")));
    expect(problems.map(({ path, rule }) => `${path} ${rule}`)).toEqual([
      "messages.0.content.0 empty-text",
      "messages.1.content.0.text field-required",
      "messages.1.content.1.id pattern-mismatch",
      "messages.1 tool-result-missing",
    ]);
  });

  it("accepts under the old version what the new one refuses", () => {
    const request = ask({
      temperature: 0.5,
      top_p: 0.9,
      top_k: 5,
      messages: [
        user([text("x", { citations: [{ type: "char_location" }] })]),
        assistant([{ type: "document", source: { type: "text", media_type: "text/plain", data: "d" } }]),
        user("y"),
      ],
    });
    expect(findProblems(request, { apiVersion: "2023-06-01" })).toEqual([]);
    expect(findProblems(request).length).toBe(5);
  });

  it("accepts the private extension only on request", () => {
    const request = say(
      user("x"),
      assistant([call("a")]),
      user([
        result("a", { cache_reference: "a" }),
        { type: "cache_edits", edits: [{ type: "delete", cache_reference: "a" }] },
      ]),
    );
    expect(findProblems(request, { cacheEdits: true })).toEqual([]);
    expect(findProblems(request).map((problem) => problem.rule)).toEqual(["extra-field", "extra-field"]);
  });

  it("asks for beta headers only where the headers are known", () => {
    const request = say(assistant([summary()]), user("y"));
    expect(findProblems(request)).toEqual([]);
    expect(findProblems(request, { betas: ["compact-2026-09-04"] })).toEqual([]);
    expect(findProblems(request, { betas: ["compact-2026-01-12"] })[0]?.message).toBe(
      "messages.0.content.0.compaction.signature: Extra inputs are not permitted",
    );
    expect(findProblems(request, { betas: [] })[0]?.rule).toBe("unknown-type");
  });

  it("skips rules that depend on a model it does not know", () => {
    const request = on("some-other-model", { ...manual, max_tokens: 1_000_000, messages: [user("x")] });
    expect(findProblems(request)).toEqual([]);
  });
});
