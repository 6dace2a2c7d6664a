import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { ModelRequest } from "../../messages/call/request.js";
import type { RequestMessage } from "../../messages/content.js";
import { isFields, type Fields } from "../../messages/fields.js";
import { encodeChatRequest, type EncodeChatRequestOptions } from "./request.js";

const asked: ModelRequest = {
  model: "gpt-5",
  max_tokens: 10,
  messages: [{ role: "user", content: [{ type: "text", text: "hi" }] }],
};

function sent(request: Partial<ModelRequest>, options?: EncodeChatRequestOptions): Fields {
  const body: unknown = JSON.parse(encodeChatRequest({ ...asked, ...request }, options).body);
  if (!isFields(body)) throw new Error("no object");
  return body;
}

const messagesOf = (
  messages: readonly RequestMessage[],
  options?: EncodeChatRequestOptions,
): readonly unknown[] => sent({ messages }, options)["messages"] as readonly unknown[];

const text = fc.oneof(fc.string(), fc.constantFrom("a😀", "\ud83d", "\u2028"));
const id = fc.string({ minLength: 1 });
const marked = { cache_control: fc.option(fc.constant({ type: "ephemeral" as const }), { nil: null }) };
const image = fc.record({
  type: fc.constant("image"),
  source: fc.oneof(
    fc.record({ type: fc.constant("base64"), media_type: fc.constant("image/png"), data: text }),
    fc.record({ type: fc.constant("url"), url: fc.webUrl() }),
    fc.record({ type: fc.constant("file"), file_id: id }),
  ),
  ...marked,
});
const textBlock = fc.record({ type: fc.constant("text"), text, ...marked });
const result = fc.record(
  {
    type: fc.constant("tool_result"),
    tool_use_id: id,
    content: fc.oneof(text, fc.array(fc.oneof(textBlock, image), { maxLength: 3 })),
    is_error: fc.boolean(),
  },
  { requiredKeys: ["type", "tool_use_id"] },
);
const user = fc.record({
  role: fc.constant("user"),
  content: fc.array(fc.oneof(textBlock, image, result), { maxLength: 5 }),
});
const assistant = fc.record({
  role: fc.constant("assistant"),
  content: fc.array(
    fc.oneof(
      textBlock,
      fc.record({ type: fc.constant("thinking"), thinking: text, signature: text }),
      fc.record({
        type: fc.constant("tool_use"),
        id,
        name: id,
        input: fc.dictionary(fc.string(), fc.jsonValue()),
        ...marked,
      }),
      fc.record({ type: fc.constant("compaction"), content: fc.option(text, { nil: null }) }),
      fc.record({ type: fc.constant("kind_of_tomorrow"), value: fc.jsonValue() }),
    ),
    { maxLength: 5 },
  ),
});
const conversation = fc.array(fc.oneof(user, assistant), { maxLength: 8 }) as unknown as fc.Arbitrary<
  readonly RequestMessage[]
>;
const options = fc.record(
  {
    systemRole: fc.constantFrom("system" as const, "developer" as const),
    reasoningField: fc.constant("reasoning_content" as const),
  },
  { requiredKeys: [] },
);

describe("a conversation that grows", () => {
  it("begins with the same bytes, from the same objects and from equal ones", () => {
    fc.assert(
      fc.property(conversation, conversation, options, (before, added, settings) => {
        const bytes = (messages: readonly RequestMessage[]): string =>
          JSON.stringify(messagesOf(messages, settings));
        const first = bytes(before);
        const second = bytes([...before, ...added]);
        expect(second.startsWith(first.slice(0, -1))).toBe(true);
        expect(bytes(structuredClone(before))).toBe(first);
        expect(encodeChatRequest({ ...asked, messages: before }, settings)).toEqual(
          encodeChatRequest({ ...asked, messages: structuredClone(before) }, settings),
        );
      }),
      { numRuns: 500 },
    );
  });

  it("is sent without markers, and stays as it was", () => {
    fc.assert(
      fc.property(conversation, options, (messages, settings) => {
        const before = JSON.stringify(messages);
        const { body } = encodeChatRequest({ ...asked, messages }, settings);
        expect(body).not.toContain('"cache_control"');
        expect(JSON.stringify(messages)).toBe(before);
      }),
      { numRuns: 500 },
    );
  });

  it("answers every call before anything else is said", () => {
    fc.assert(
      fc.property(conversation, (messages) => {
        for (const message of messages) {
          const roles = messagesOf([message]).map((sentMessage) => (sentMessage as Fields)["role"]);
          expect(roles).toEqual(roles.toSorted((a, b) => Number(b === "tool") - Number(a === "tool")));
          expect(roles.filter((role) => role !== "tool").length).toBeLessThanOrEqual(1);
        }
      }),
    );
  });

  it("costs what is new", () => {
    const messages = Array.from({ length: 200 }, (_, index): RequestMessage => ({
      role: index % 2 === 0 ? "user" : "assistant",
      content: [{ type: "text", text: `${index}` }],
    }));
    const reads = new Map<object, number>();
    const watched = messages.map((message) =>
      Object.defineProperty({ ...message }, "content", {
        get() {
          reads.set(message, (reads.get(message) ?? 0) + 1);
          return message.content;
        },
      }),
    );
    encodeChatRequest({ ...asked, messages: watched });
    const once = new Map(reads);
    encodeChatRequest({ ...asked, messages: watched });
    expect(reads).toEqual(once);
  });
});
