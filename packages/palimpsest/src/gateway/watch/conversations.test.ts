import { describe, expect, it } from "vitest";
import { createConversations } from "./conversations.js";
import { laneOf } from "./lane.js";
import { firstDifference, promptParts } from "./prompt-parts.js";

const lane = { key: "lane", isSubagent: false };
const request = (...texts: readonly unknown[]) => ({
  model: "m",
  system: "s",
  messages: texts.map((content, index) => ({ role: index % 2 === 0 ? "user" : "assistant", content })),
});

describe("conversations", () => {
  it("a text is one block, and markers do not count", () => {
    const conversations = createConversations(() => {});
    const marked = [{ type: "text", text: "a", cache_control: { type: "ephemeral" } }];
    const first = conversations.place(request(marked), lane, 1);
    const second = conversations.place(request("a", "b", "c"), lane, 1);
    expect(second.line).toBe(first.line);
    expect([first.isNewConversation, second.isNewConversation]).toEqual([true, false]);
    const result = (content: unknown) => [{ type: "tool_result", tool_use_id: "t", content }];
    const third = conversations.place(request("a", "b", "c", "d", result("r")), lane, 1);
    const blocks = [{ type: "text", text: "r", cache_control: { type: "ephemeral" } }];
    const fourth = conversations.place(request("a", "b", "c", "d", result(blocks), "e", "f"), lane, 1);
    expect(fourth.line).toBe(third.line);
  });

  it("are remembered within bounds; the one that was longest not heard of goes first", () => {
    const gone: string[] = [];
    const conversations = createConversations((line) => gone.push(line));
    const large = 30 * 1024 * 1024;
    const a = conversations.place(request("a"), lane, large).line;
    const b = conversations.place(request("b"), lane, large).line;
    conversations.place(request("a", "x", "y"), lane, large);
    expect(gone).toEqual([]);
    conversations.place(request("c"), lane, large);
    expect(gone).toEqual([b.id]);
    expect(conversations.place(request("a", "x", "y", "z", "w"), lane, large).line).toBe(a);
    // One that is larger than all of it is still compared with its next request.
    const huge = conversations.place(request("huge"), lane, 10 * large).line;
    expect(gone).toHaveLength(3);
    expect(conversations.place(request("huge", "1", "2"), lane, 10 * large).line).toBe(huge);
  });

  it("of one lane a number of lines is compared, so that a program of single questions costs what it costs", () => {
    let gone = 0;
    const conversations = createConversations(() => (gone += 1));
    for (let number = 0; number < 1000; number += 1)
      conversations.place(request(`question ${number}`), lane, 10);
    expect(gone).toBe(1000 - 64);
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
  const parts = (more: object) => promptParts({ ...request("a", "b"), ...more });
  const tool = (name: string, description = "") => ({ name, description });

  it("nowhere where the later one goes on; else at the first part, with the byte in it", () => {
    expect(firstDifference(parts({}), promptParts(request("a", "b", "c")))).toBeUndefined();
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
