import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { createConversations } from "./conversations.js";
import { laneOf } from "./lane.js";
import { firstDifference } from "./prompt-parts.js";

const lane = { key: "lane", isSubagent: false, tenant: "local" };
const request = (...texts: readonly unknown[]) => ({
  model: "m",
  system: "s",
  messages: texts.map((content, index) => ({ role: index % 2 === 0 ? "user" : "assistant", content })),
});

describe("conversations", () => {
  it("a text is one block, and markers do not count", () => {
    const conversations = createConversations({ onForgotten: () => {} });
    const marked = [{ type: "text", text: "a", cache_control: { type: "ephemeral" } }];
    const first = conversations.place(request(marked), lane);
    const second = conversations.place(request("a", "b", "c"), lane);
    expect(second.line).toBe(first.line);
    expect([first.isNewConversation, second.isNewConversation]).toEqual([true, false]);
    const result = (content: unknown) => [{ type: "tool_result", tool_use_id: "t", content }];
    const third = conversations.place(request("a", "b", "c", "d", result("r")), lane);
    const blocks = [{ type: "text", text: "r", cache_control: { type: "ephemeral" } }];
    const fourth = conversations.place(request("a", "b", "c", "d", result(blocks), "e", "f"), lane);
    expect(fourth.line).toBe(third.line);
  });

  it("are remembered within bounds; the one that was longest not heard of goes first", () => {
    const gone: string[] = [];
    const conversations = createConversations({ onForgotten: (line) => gone.push(line), maxCharacters: 850 });
    const large = (name: string): string => name.repeat(250);
    const a = conversations.place(request(large("a")), lane).line;
    const b = conversations.place(request(large("b")), lane).line;
    conversations.place(request(large("a"), "x", "y"), lane);
    expect(gone).toEqual([]);
    conversations.place(request(large("c")), lane);
    expect(gone).toEqual([b.id]);
    expect(conversations.place(request(large("a"), "x", "y", "z", "w"), lane).line).toBe(a);
    // One that is larger than all of it is still compared with its next request.
    const huge = conversations.place(request("huge".repeat(1000)), lane).line;
    expect(gone).toHaveLength(3);
    expect(conversations.place(request("huge".repeat(1000), "1", "2"), lane).line).toBe(huge);
  });

  it("what is sent with every request counts once for all that have it, and bounds too", () => {
    const gone: string[] = [];
    const conversations = createConversations({
      onForgotten: (line) => gone.push(line),
      maxCharacters: 5000,
    });
    const place = (text: string, system: string) =>
      conversations.place({ ...request(text), system: system.repeat(2000) }, { ...lane, key: text });
    for (let number = 0; number < 20; number += 1) place(`question ${number}`, "s");
    expect(gone).toEqual([]);
    place("another", "t");
    expect(gone).toEqual([]);
    place("a third", "u");
    expect(gone).toHaveLength(20);
  });

  it("of lists that begin alike in one lane a number is compared; what a list costs does not follow the number of others", () => {
    let gone = 0;
    const conversations = createConversations({ onForgotten: () => (gone += 1) });
    const first = conversations.place(request("a question"), lane);
    for (let number = 0; number < 1000; number += 1) conversations.place(request(`question ${number}`), lane);
    expect(gone).toBe(0);
    for (let number = 0; number < 1000; number += 1) {
      conversations.place(request("alike", "yes", `question ${number}`), lane);
    }
    expect(gone).toBe(1000 - 64);
    expect(conversations.place(request("a question", "answered", "more"), lane).line).toBe(first.line);
  });

  it("so many lines are remembered, and with each request is said how many are gone", () => {
    const gone: string[] = [];
    const conversations = createConversations({ onForgotten: (line) => gone.push(line), maxLines: 10 });
    const said = Array.from(
      { length: 25 },
      (_, number) => conversations.place(request(`question ${number}`), lane).forgotten,
    );
    expect(said).toEqual([...Array(10).fill(0), ...Array(15).fill(1)]);
    expect(gone).toEqual(Array.from({ length: 15 }, (_, number) => `line-${number + 1}`));
    const again = conversations.place(request("question 3", "a", "b"), lane);
    expect([again.isNewConversation, again.line.conversation]).toEqual([true, "conversation-26"]);
  });

  it("the same list under one session after another: each is a conversation, and what the next costs does not follow their number", () => {
    let gone = 0;
    const conversations = createConversations({ onForgotten: () => (gone += 1), maxLines: 5000 });
    const texts = ["the same", "words", "each time"];
    for (let number = 0; number < 6000; number += 1) {
      const placed = conversations.place(request(...texts), { ...lane, key: `session ${number}` });
      expect(placed.isNewConversation).toBe(true);
    }
    expect(gone).toBe(1000);
    const again = conversations.place(request(...texts, "and", "on"), { ...lane, key: "session 5999" });
    expect(again).toMatchObject({ isNewConversation: false, isNewLane: false });
  });

  it("names go on from those that another process has given", () => {
    const conversations = createConversations({
      onForgotten: () => {},
      conversationsBefore: 7,
      lanesBefore: 4,
    });
    expect(conversations.place(request("a"), lane)).toMatchObject({
      line: { conversation: "conversation-8" },
      lane: "lane-5",
    });
    expect(conversations.place(request("a"), { ...lane, key: "another", isSubagent: true })).toMatchObject({
      lane: "subagent-6",
    });
  });

  it("what is equal to what is remembered is that, whatever moves its markers and however a text is spelled", () => {
    const conversations = createConversations({ onForgotten: () => {} });
    const copy = <T>(value: T): T => structuredClone(value);
    const marked = (text: string) => [{ type: "text", text, cache_control: { type: "ephemeral" } }];
    const tools = [{ name: "read", description: "reads" }];
    const messagesOf = ({ request: placed }: ReturnType<typeof conversations.place>): readonly unknown[] =>
      placed["messages"] as readonly unknown[];
    const ask = (...texts: readonly unknown[]) =>
      conversations.place(copy({ ...request(...texts), tools }), lane);
    const first = ask("a", "b", marked("c"));
    const second = ask("a", "b", "c", "d", marked("e"));
    const third = ask("a", "b", "c", "d", "e", "f", marked("g"));
    expect(second.request["tools"]).toBe(first.request["tools"]);
    for (const at of [0, 1]) expect(messagesOf(second)[at]).toBe(messagesOf(first)[at]);
    for (const at of [0, 1, 2, 3]) expect(messagesOf(third)[at]).toBe(messagesOf(second)[at]);
    expect(third.request).toEqual({ ...request("a", "b", "c", "d", "e", "f", marked("g")), tools });
    const moved = ask("a", "b", "c", "d", marked("e"));
    expect(messagesOf(moved).at(-1)).toEqual({ role: "user", content: marked("e") });
  });

  it("whatever lists come with whatever markers, the request is what it was", () => {
    const block = fc.record(
      {
        type: fc.constant("text"),
        text: fc.constantFrom("a", "b"),
        cache_control: fc.constant({ type: "e" }),
      },
      { requiredKeys: ["type", "text"] },
    );
    const result = fc.record({
      type: fc.constant("tool_result"),
      content: fc.oneof(fc.constantFrom("a", "b"), fc.array(block, { maxLength: 2 })),
    });
    const content = fc.oneof(
      fc.constantFrom("a", "b"),
      fc.array(fc.oneof(block, result, fc.jsonValue()), { maxLength: 3 }),
      fc.jsonValue(),
    );
    const list = fc.array(content, { maxLength: 4 });
    fc.assert(
      fc.property(
        fc.array(list, { maxLength: 12 }),
        fc.integer({ min: 1, max: 2000 }),
        (lists, maxCharacters) => {
          const conversations = createConversations({ onForgotten: () => {}, maxCharacters, maxLines: 3 });
          for (const contents of lists) {
            const text = JSON.stringify(request(...contents));
            const placed = conversations.place(JSON.parse(text) as Record<string, unknown>, lane);
            expect(JSON.stringify(placed.request)).toBe(text);
          }
        },
      ),
    );
  });

  it("tenants share nothing, and the same words in two lanes are two conversations", () => {
    const conversations = createConversations({ onForgotten: () => {} });
    const placed = [lane, { ...lane, key: "other" }, { ...lane, key: "third", tenant: "else" }].map((each) =>
      conversations.place(request("a", "b", "c"), each),
    );
    expect(placed.map(({ isNewConversation }) => isNewConversation)).toEqual([true, true, true]);
    expect(new Set(placed.map(({ line }) => line.conversation)).size).toBe(3);
  });
});

describe("lanes", () => {
  it("are what a client says of itself, the first place that says it", () => {
    const key = (headers: Record<string, string>, body: object = {}): unknown =>
      JSON.parse(laneOf(headers, body as Record<string, unknown>).key);
    expect(key({ "x-claude-code-session-id": "s", "x-claude-code-agent-id": "a" })).toEqual(["s", "a"]);
    expect(key({ "x-session-affinity": "affinity", "x-session-id": "id" })).toEqual(["id", ""]);
    expect(key({}, { metadata: { user_id: '{"device_id":"d","session_id":"in json"}' } })).toEqual([
      "in json",
      "",
    ]);
    expect(key({}, { metadata: { user_id: "user_1_account__session_0a-1b" } })).toEqual(["0a-1b", ""]);
    expect(key({}, { prompt_cache_key: "k" })).toEqual(["k", ""]);
    expect(key({}, { metadata: { user_id: 7 } })).toEqual(["", ""]);
    expect(laneOf({ "x-claude-code-agent-id": "a" }, {}).isSubagent).toBe(true);
  });
});

describe("where two prompts part", () => {
  const partsOf = (given: Readonly<Record<string, unknown>>) =>
    createConversations({ onForgotten: () => {} })
      .place(given, lane)
      .now();
  const parts = (more: object) => partsOf({ ...request("a", "b"), ...more });
  const tool = (name: string, description = "") => ({ name, description });

  it("nowhere where the later one goes on; else at the first part, with the byte in it", () => {
    expect(firstDifference(parts({}), partsOf(request("a", "b", "c")))).toBeUndefined();
    const two = { tools: [tool("one"), tool("two")] };
    expect(firstDifference(parts(two), parts({ tools: [tool("one"), tool("two", "é!")] }))).toEqual({
      owner: { kind: "tool", index: 1, name: "two" },
      byte: '{"name":"two","description":"'.length,
    });
    expect(firstDifference(parts(two), parts({ tools: [tool("one")] }))).toMatchObject({
      owner: { kind: "tool", index: 1, name: "two" },
      byte: 0,
    });
    expect(firstDifference(parts({ system: "ää1" }), parts({ system: "ää2" }))).toMatchObject({
      owner: { kind: "system", index: 0 },
      byte: Buffer.byteLength('{"type":"text","text":"ää'),
    });
  });
});
