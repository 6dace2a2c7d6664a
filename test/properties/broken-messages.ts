import fc from "fast-check";
import type { Message } from "@palimpsest/core";
import { documentBlock, imageBlock } from "./media-samples.js";

/** Few ids, so that they collide: orphans, duplicates, reuse. Some that the API does not accept. */
const toolId = fc.constantFrom("toolu_a", "toolu_b", "toolu_c", "toolu_d", "call|fc 1", "toolu_a_2", "");
const responseId = fc.constantFrom("msg_1", "msg_2", "msg_3", "", undefined);
const text = fc.oneof(
  { weight: 6, arbitrary: fc.constantFrom("hello", "a longer text", "Ünïcödé 漢字 🙂") },
  { weight: 3, arbitrary: fc.constantFrom("", " ", "\n\n\t", "\uFEFF", "\ud800", "x\udfffy") },
  { weight: 1, arbitrary: fc.string() },
);
const extras = fc.oneof(
  { weight: 8, arbitrary: fc.constant({}) },
  {
    weight: 1,
    arbitrary: fc.constantFrom(
      { cache_control: { type: "ephemeral" } },
      { cache_control: { type: "ephemeral", ttl: "1h" } },
      { signatureChars: 712 },
      { citations: [{ type: "char_location" }] },
      { citations: 5 },
      { is_error: "yes" },
      { caller: { type: "direct" } },
      { caller: 1 },
      { title: null, context: undefined },
      { toolset_name: 3 },
    ),
  },
);

const textBlock = fc.record({ type: fc.constant("text"), text });
const searchResult = fc.record({
  type: fc.constant("search_result"),
  source: fc.constantFrom("https://example.com", ""),
  title: fc.constantFrom("a title", ""),
  content: fc.oneof(fc.array(textBlock, { maxLength: 2 }), fc.constant("text")),
});
const toolReference = fc.record({
  type: fc.constant("tool_reference"),
  tool_name: fc.constantFrom("Read", ""),
});
const inner = fc.oneof(textBlock, imageBlock, documentBlock, searchResult, toolReference, fc.constant(null));
const toolResult = fc.record(
  {
    type: fc.constant("tool_result"),
    tool_use_id: toolId,
    content: fc.oneof(text, fc.array(inner, { maxLength: 3 }), fc.constant(7)),
    is_error: fc.boolean(),
  },
  { requiredKeys: ["type", "tool_use_id"] },
);
const toolUse = fc.record({
  type: fc.constant("tool_use"),
  id: toolId,
  name: fc.constantFrom("Read", "Bash", "", "x".repeat(300)),
  input: fc.oneof(
    fc.constantFrom<unknown>({ path: "a.ts" }, '{"path":"a.ts"}', "not json", null, [1], {
      deep: { s: "\ud83d" },
    }),
    fc.dictionary(fc.string(), fc.jsonValue(), { maxKeys: 2 }),
  ),
});
const thinking = fc.oneof(
  fc.record({
    type: fc.constant("thinking"),
    thinking: fc.constantFrom("", "because"),
    signature: fc.constantFrom("sig", "", undefined),
  }),
  fc.record({ type: fc.constant("redacted_thinking"), data: fc.constantFrom("opaque", "") }),
);
const serverBlock = fc.oneof(
  fc.record({
    type: fc.constantFrom("server_tool_use", "mcp_tool_use"),
    id: fc.constantFrom("srvtoolu_1", "srvtoolu_2", "bad"),
    name: fc.constantFrom("web_search", "unknown"),
    input: fc.constantFrom<unknown>({ query: "q" }, "q"),
    server_name: fc.constantFrom("srv", undefined),
  }),
  fc.record({
    type: fc.constantFrom("web_search_tool_result", "mcp_tool_result", "code_execution_tool_result"),
    tool_use_id: fc.constantFrom("srvtoolu_1", "srvtoolu_2"),
    content: fc.constantFrom<unknown>(
      [],
      { type: "web_search_tool_result_error", error_code: "x" },
      "text",
      4,
    ),
  }),
);
const compaction = fc.record(
  {
    type: fc.constant("compaction"),
    content: fc.constantFrom("a summary", null),
    encrypted_content: fc.constantFrom("enc", null),
    signature: fc.constant("signed"),
  },
  { requiredKeys: ["type", "content"] },
);
const stranger = fc.constantFrom<unknown>(
  null,
  3,
  "text",
  [],
  {},
  { type: "hologram" },
  { type: 5 },
  { type: "__proto__" },
);

const block = fc
  .tuple(
    fc.oneof(
      { weight: 5, arbitrary: textBlock },
      { weight: 5, arbitrary: toolUse },
      { weight: 5, arbitrary: toolResult },
      { weight: 3, arbitrary: thinking },
      { weight: 3, arbitrary: imageBlock },
      { weight: 2, arbitrary: documentBlock },
      { weight: 1, arbitrary: searchResult },
      { weight: 1, arbitrary: serverBlock },
      { weight: 1, arbitrary: compaction },
      {
        weight: 1,
        arbitrary: fc.record({ type: fc.constant("container_upload"), file_id: fc.constantFrom("f", "") }),
      },
      { weight: 1, arbitrary: stranger },
    ),
    extras,
  )
  .map(([value, extra]): unknown =>
    typeof value === "object" && value !== null && !Array.isArray(value) ? { ...value, ...extra } : value,
  );

const content = fc.oneof(
  { weight: 8, arbitrary: fc.array(block, { maxLength: 4 }) },
  { weight: 2, arbitrary: text },
  { weight: 1, arbitrary: fc.constantFrom<unknown>(undefined, null, 3, {}) },
);

const attachment = fc.oneof(
  fc.record({
    type: fc.constantFrom(
      "file",
      "nested_memory",
      "todo",
      "unheard_of",
      "hook_success",
      "command_permissions",
    ),
    content: fc.oneof(text, fc.constantFrom<unknown>({ content: "inner" }, [], [{ a: 1 }], null, 5)),
    path: fc.constantFrom("a.md", undefined),
  }),
  fc.record({
    type: fc.constant("queued_command"),
    prompt: fc.oneof(text, fc.array(block, { maxLength: 2 })),
  }),
  fc.constantFrom<unknown>(null, {}, "x"),
);

const body = fc.oneof(
  {
    weight: 6,
    arbitrary: fc.record({
      type: fc.constant("user"),
      message: fc.record({ role: fc.constantFrom("user", "assistant"), content }),
      isMeta: fc.constantFrom(true, undefined),
    }),
  },
  {
    weight: 6,
    arbitrary: fc.record({
      type: fc.constant("assistant"),
      message: fc.record({
        id: responseId,
        role: fc.constantFrom("assistant", "user"),
        model: fc.constantFrom("claude-opus-5", "<synthetic>"),
        content,
      }),
      isApiErrorMessage: fc.constantFrom(true, undefined),
    }),
  },
  { weight: 2, arbitrary: fc.record({ type: fc.constant("attachment"), attachment }) },
  {
    weight: 1,
    arbitrary: fc.record({
      type: fc.constantFrom("system", "progress", "novelty"),
      subtype: fc.constant("info"),
    }),
  },
  {
    weight: 1,
    arbitrary: fc.constantFrom<object>({ type: "user" }, { type: "assistant" }, { type: "attachment" }),
  },
);

/** Lists of messages, however broken: wrong order, wrong roles, colliding ids, odd blocks, anything anywhere. */
export const brokenMessages: fc.Arbitrary<readonly Message[]> = fc
  .array(body, { maxLength: 14 })
  .map((bodies) =>
    bodies.map(
      (value, index) =>
        ({
          uuid: `u${index}`,
          parentUuid: index === 0 ? null : `u${index - 1}`,
          timestamp: "2026-11-15T10:00:00.000Z",
          sessionId: "s",
          ...value,
        }) as unknown as Message,
    ),
  );
