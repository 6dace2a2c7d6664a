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

  it("of one lane a number of lines is compared, so that a program of single questions costs what it costs", () => {
    let gone = 0;
    const conversations = createConversations({ onForgotten: () => (gone += 1) });
    for (let number = 0; number < 1000; number += 1) conversations.place(request(`question ${number}`), lane);
    expect(gone).toBe(1000 - 64);
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
