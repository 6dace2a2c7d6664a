import { gzipSync } from "node:zlib";
import type { Random } from "../bench/random.js";

const marker = { type: "ephemeral", ttl: "1h" };
const pixel =
  "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNkYPhfDwAChwGA60e6kgAAAABJRU5ErkJggg==";

const betas = "context-management-2025-06-27,compact-2026-01-12,compact-2026-09-04";

/** Requests as agents send them; under the right headers all but the last one are accepted. */
const templates: readonly object[] = [
  { model: "claude-opus-5", max_tokens: 100, messages: [{ role: "user", content: "hello" }] },
  {
    model: "claude-sonnet-4-5",
    max_tokens: 100,
    stream: true,
    stop_sequences: ["x"],
    metadata: { user_id: "u" },
    system: [{ type: "text", text: "Be brief. ".repeat(600), cache_control: marker }],
    tools: [
      {
        name: "read",
        description: "reads",
        input_schema: { type: "object", properties: { path: { type: "string" } } },
      },
    ],
    tool_choice: { type: "auto", disable_parallel_tool_use: true },
    messages: [
      { role: "user", content: [{ type: "text", text: "read a", cache_control: { type: "ephemeral" } }] },
      {
        role: "assistant",
        content: [
          { type: "text", text: "reading" },
          { type: "tool_use", id: "toolu_1", name: "read", input: { path: "a" } },
        ],
      },
      {
        role: "user",
        content: [
          {
            type: "tool_result",
            tool_use_id: "toolu_1",
            content: [
              { type: "text", text: "content" },
              { type: "image", source: { type: "base64", media_type: "image/png", data: pixel } },
            ],
            is_error: false,
            cache_control: { type: "ephemeral", ttl: "5m" },
          },
        ],
      },
    ],
  },
  {
    model: "claude-opus-5-5",
    max_tokens: 2000,
    stream: true,
    cache_control: { type: "ephemeral" },
    thinking: { type: "adaptive" },
    output_config: { effort: "high" },
    context_management: {
      edits: [
        { type: "clear_thinking_20251015", keep: { type: "thinking_turns", value: 1 } },
        {
          type: "clear_tool_uses_20250919",
          trigger: { type: "input_tokens", value: 10 },
          keep: { type: "tool_uses", value: 0 },
        },
        { type: "compact_20260112", trigger: { type: "input_tokens", value: 50_000 } },
      ],
    },
    diagnostics: { previous_message_id: null },
    messages: [
      { role: "user", content: "one" },
      { role: "assistant", content: [{ type: "tool_use", id: "toolu_a", name: "x", input: {} }] },
      { role: "user", content: [{ type: "tool_result", tool_use_id: "toolu_a", content: "r".repeat(3000) }] },
      { role: "system", content: "a reminder" },
    ],
    tools: [{ name: "x", input_schema: { type: "object" } }],
  },
  {
    model: "claude-opus-5",
    max_tokens: 500,
    compaction: { type: "summarize", instructions: "short" },
    messages: [
      { role: "user", content: "one" },
      { role: "assistant", content: "two" },
      { role: "user", content: "three" },
    ],
  },
  {
    model: "claude-haiku-4-5",
    max_tokens: 5000,
    thinking: { type: "enabled", budget_tokens: 2000 },
    messages: [
      { role: "assistant", content: [{ type: "compaction", content: "a summary", signature: "s" }] },
      { role: "user", content: "go on" },
      {
        role: "assistant",
        content: [
          { type: "thinking", thinking: "hm", signature: "forged" },
          { type: "redacted_thinking", data: "x" },
          { type: "text", text: "ok" },
        ],
      },
      { role: "user", content: [{ type: "cache_edits", edits: [] }] },
    ],
  },
];

const oddities: readonly unknown[] = [
  null,
  true,
  false,
  0,
  -1,
  1.5,
  1e308,
  2 ** 53,
  "",
  " ",
  "x",
  "\ud800",
  "\u0000",
  "😀".repeat(50),
  "y".repeat(5000),
  [],
  {},
  [[]],
  [null],
  { type: "text" },
  { type: "text", text: "" },
  { type: "tool_use", id: "toolu_1", name: "read", input: {} },
  { type: "tool_result", tool_use_id: "nobody" },
  { type: "ephemeral", ttl: "2h" },
  { role: "user", content: "more" },
  { role: "assistant", content: [] },
  { type: "document", source: { type: "text", media_type: "text/plain", data: "d" } },
  { type: "image", source: { type: "base64", media_type: "image/png", data: "not base64 at all" } },
  "claude-opus-4-6",
  "assistant",
  "tool_use",
  1_000_000,
];

const keys = [
  "type",
  "text",
  "content",
  "role",
  "id",
  "name",
  "input",
  "cache_control",
  "stream",
  "__proto__",
  "é",
];

/** Up to four changes anywhere in a copy of a request. */
function mutate(template: object, random: Random): unknown {
  const root: { value: unknown } = { value: structuredClone(template) };
  for (let change = random.below(5); change > 0; change -= 1) {
    let holder: object = root;
    for (let depth = random.below(9); depth > 0; depth -= 1) {
      const inner = Object.values(holder).filter((value) => typeof value === "object" && value !== null);
      if (inner.length === 0) break;
      holder = random.pick(inner) as object;
    }
    if (Array.isArray(holder)) mutateList(holder, random);
    else mutateObject(holder as Record<string, unknown>, random);
  }
  return root.value;
}

function mutateList(list: unknown[], random: Random): void {
  const at = random.below(list.length + 1);
  const kind = random.below(4);
  if (kind === 0) list.splice(at, 1);
  else if (kind === 1) list.splice(at, 0, structuredClone(random.pick(oddities)));
  else if (kind === 2)
    list.splice(at, 0, structuredClone(list[random.below(Math.max(1, list.length))] ?? null));
  else list.reverse();
}

function mutateObject(object: Record<string, unknown>, random: Random): void {
  const existing = Object.keys(object);
  const key = random.below(3) === 0 || existing.length === 0 ? random.pick(keys) : random.pick(existing);
  if (random.below(4) === 0) delete object[key];
  else {
    const value = structuredClone(random.pick(oddities));
    Object.defineProperty(object, key, { value, enumerable: true, writable: true, configurable: true });
  }
}

const pieces = [
  '{"',
  '":',
  "[",
  "]",
  "{",
  "}",
  ",",
  '"',
  "null",
  "1e9",
  "\\u",
  "\\ud83d",
  "\n",
  "messages",
  "é",
  "\u0007",
];

/** What is sent as a body: text or bytes, mostly but not always a request. */
function makeBody(random: Random): string | Uint8Array {
  const kind = random.below(10);
  const text = JSON.stringify(mutate(random.pick(templates), random)) ?? "";
  if (kind < 6) return text;
  if (kind === 6) return text.slice(0, random.below(text.length + 1));
  if (kind === 7) {
    const bytes = new TextEncoder().encode(text);
    for (let flip = random.below(4); flip >= 0; flip -= 1)
      bytes[random.below(bytes.length)] = random.below(256);
    return bytes;
  }
  if (kind === 8) return Array.from({ length: random.below(40) }, () => random.pick(pieces)).join("");
  const deep = random.below(3) === 0 ? 20_000 : random.below(300);
  return `{"model":"claude-opus-5","max_tokens":5,"messages":${"[".repeat(deep)}${"]".repeat(deep)}}`;
}

/** A request to the simulated API: mostly one that an agent might send, with something wrong in it. */
export function makeRequest(random: Random): Request {
  const headers: Record<string, string> = {
    "x-api-key": `sk-${random.below(4)}`,
    "anthropic-version": random.pick([...Array<string>(9).fill("2026-10-21"), "2023-06-01", "nonsense"]),
    "anthropic-beta": random.pick([...Array<string>(8).fill(betas), "", ",,x".repeat(random.below(40))]),
  };
  if (random.below(50) === 0) delete headers["x-api-key"];
  if (random.below(50) === 0) delete headers["anthropic-version"];
  let body = makeBody(random);
  const encoding = random.below(20);
  if (encoding === 0) body = gzipSync(body);
  if (encoding <= 1) headers["content-encoding"] = "gzip";
  const path = random.pick([
    ...Array<string>(8).fill("/v1/messages"),
    "/v1/messages/count_tokens",
    "/v1/messages/count_tokens",
    "/v1/%ff/%00",
    "/__sim/faults",
    "/__sim/clock",
  ]);
  return new Request(`http://localhost${path}`, { method: "POST", headers, body });
}
