import type { Message } from "@palimpsest/core";
import type { Random } from "../bench/random.js";

const pixel =
  "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==";

/** Few, so that they collide; some that the API does not accept. */
const toolIds = ["toolu_a", "toolu_b", "toolu_c", "toolu_a_2", "call|fc 1", "", "ü", "x".repeat(80)];
const responseIds = ["msg_1", "msg_2", "msg_3", "", undefined];
const texts = ["hello", "a longer text", "Ünïcödé 漢字 🙂", "", " ", "\n\t", "\uFEFF", "\ud800", "x\udfffy"];
const inputs: readonly unknown[] = [
  { path: "a.ts" },
  '{"path":"a.ts"}',
  "not json",
  null,
  [1],
  { deep: { s: "\ud83d" } },
  7,
  {},
];
const extras: readonly object[] = [
  { cache_control: { type: "ephemeral" } },
  { cache_control: { type: "ephemeral", ttl: "1h" } },
  { signatureChars: 712 },
  { citations: [{ type: "char_location" }] },
  { citations: 5 },
  { is_error: "yes" },
  { caller: 1 },
  { title: null, context: undefined },
  { toolset_name: 3 },
];
const strangers: readonly unknown[] = [
  null,
  3,
  "text",
  [],
  {},
  { type: "hologram" },
  { type: 5 },
  { type: "__proto__" },
  { type: "constructor" },
];

const source = (random: Random): unknown =>
  random.pick<unknown>([
    { type: "base64", media_type: "image/png", data: pixel },
    { type: "base64", media_type: "image/jpeg", data: pixel },
    { type: "base64", media_type: "image/png", data: pixel.slice(0, 20) },
    { type: "base64", media_type: "image/png", data: "" },
    { type: "base64", media_type: "image/bmp", data: pixel },
    { type: "base64", media_type: "application/pdf", data: "JVBERi0xLjcKJSVFT0YK" },
    { type: "url", url: "https://example.com/a.png" },
    { type: "url", url: "ftp://x" },
    { type: "file", file_id: "file_1" },
    { type: "text", media_type: "text/plain", data: "plain" },
    null,
  ]);

type Make = (random: Random) => unknown;

const text: Make = (random) => ({ type: "text", text: random.pick(texts) });
const media: Make = (random) => ({ type: random.pick(["image", "document"]), source: source(random) });
const call: Make = (random) => ({
  type: "tool_use",
  id: random.pick(toolIds),
  name: random.pick(["Read", "Bash", "", "x".repeat(300)]),
  input: random.pick(inputs),
});
const inner: readonly Make[] = [text, media, searchResult, toolReference, () => null];
const result: Make = (random) => ({
  type: "tool_result",
  tool_use_id: random.pick(toolIds),
  ...(random.next() < 0.8
    ? { content: random.next() < 0.5 ? random.pick(texts) : several(random, inner, 3) }
    : {}),
  ...(random.next() < 0.3 ? { is_error: random.next() < 0.5 } : {}),
});
const thinking: Make = (random) =>
  random.next() < 0.8
    ? { type: "thinking", thinking: "because", signature: random.pick(["sig", "sig", "", undefined]) }
    : { type: "redacted_thinking", data: random.pick(["opaque", ""]) };
const serverCall: Make = (random) => ({
  type: random.pick(["server_tool_use", "mcp_tool_use"]),
  id: random.pick(["srvtoolu_1", "srvtoolu_2", "bad"]),
  name: random.pick(["web_search", "unknown"]),
  input: random.pick(inputs),
  server_name: random.pick(["srv", undefined]),
});
const serverResult: Make = (random) => ({
  type: random.pick(["web_search_tool_result", "mcp_tool_result", "code_execution_tool_result"]),
  tool_use_id: random.pick(["srvtoolu_1", "srvtoolu_2"]),
  content: random.pick<unknown>([[], { type: "web_search_tool_result_error", error_code: "x" }, "text", 4]),
});
const compaction: Make = (random) => ({
  type: "compaction",
  content: random.pick(["a summary", null]),
  ...(random.next() < 0.5 ? { signature: "signed", encrypted_content: random.pick(["enc", null]) } : {}),
});

function searchResult(random: Random): unknown {
  return {
    type: "search_result",
    source: random.pick(["https://example.com", ""]),
    title: random.pick(["a title", ""]),
    content: several(random, [text], 2),
  };
}

function toolReference(random: Random): unknown {
  return { type: "tool_reference", tool_name: random.pick(["Read", "Gone", ""]) };
}

/** What comes often stands there often. */
const blocks: readonly Make[] = [
  ...Array.from({ length: 4 }, () => [text, call, result, call, result]).flat(),
  thinking,
  thinking,
  thinking,
  media,
  media,
  serverCall,
  serverResult,
  compaction,
  searchResult,
  (random) => ({ type: "container_upload", file_id: random.pick(["f", ""]) }),
  (random) => random.pick(strangers),
];

const several = (random: Random, makes: readonly Make[], most: number): readonly unknown[] =>
  Array.from({ length: random.below(most + 1) }, () => withExtra(random.pick(makes)(random), random));

const withExtra = (value: unknown, random: Random): unknown =>
  typeof value === "object" && value !== null && !Array.isArray(value) && random.next() < 0.1
    ? { ...value, ...random.pick(extras) }
    : value;

function content(random: Random): unknown {
  const chance = random.next();
  if (chance < 0.1) return random.pick(texts);
  return chance < 0.14 ? random.pick<unknown>([undefined, null, 3, {}]) : several(random, blocks, 4);
}

function body(random: Random): object {
  const chance = random.next();
  const role = random.next() < 0.95 ? undefined : random.pick(["user", "assistant"]);
  if (chance < 0.4) return { type: "user", message: { role: role ?? "user", content: content(random) } };
  if (chance < 0.85) {
    const model = random.next() < 0.95 ? "claude-opus-5" : "<synthetic>";
    const message = {
      id: random.pick(responseIds),
      role: role ?? "assistant",
      model,
      content: content(random),
    };
    return { type: "assistant", message, ...(random.next() < 0.05 ? { isApiErrorMessage: true } : {}) };
  }
  if (chance < 0.95) {
    const type = random.pick(["file", "todo", "unheard_of", "hook_success", "nested_memory"]);
    const attachments: readonly unknown[] = [
      { type, content: random.pick(texts), path: "a.md" },
      { type, content: random.pick<unknown>([{ content: "inner" }, [], [{ a: 1 }], null, 5]) },
      { type: "queued_command", prompt: random.next() < 0.5 ? "go on" : several(random, blocks, 2) },
      null,
    ];
    return { type: "attachment", attachment: random.pick(attachments) };
  }
  return random.pick<object>([
    { type: "system", subtype: "info" },
    { type: "progress" },
    { type: "novelty" },
    { type: "user" },
    { type: "assistant" },
    { type: "attachment" },
  ]);
}

/** A list of messages, however broken: wrong order, wrong roles, ids that collide, odd blocks, anything anywhere. */
export const makeBrokenList = (random: Random): readonly Message[] =>
  Array.from({ length: random.below(15) }, (_, index) => ({
    uuid: `u${index}`,
    parentUuid: index === 0 ? null : `u${index - 1}`,
    timestamp: "2026-11-15T10:00:00.000Z",
    sessionId: "s",
    ...body(random),
  })) as unknown as readonly Message[];
