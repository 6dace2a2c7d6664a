import { normalise } from "@palimpsest/core";
import { liveMessages } from "@palimpsest/core/engine";
import { describe, expect, it } from "vitest";
import { parseRecording } from "./read-recording.js";
import type { Recording } from "./recording.js";

const encode = (text: string): Uint8Array => new TextEncoder().encode(text);

const chat = [
  { role: "developer", content: "Be brief." },
  { role: "user", content: "Read a.ts." },
  {
    role: "assistant",
    content: null,
    tool_calls: [{ id: "c1", type: "function", function: { name: "Read", arguments: '{"path":"a.ts"}' } }],
  },
  { role: "tool", tool_call_id: "c1", content: "let a" },
  { role: "assistant", content: "It says let a." },
];

const sketch = ({ messages }: Recording): readonly string[] =>
  normalise(liveMessages(messages)).messages.map(
    ({ role, content }) => `${role}: ${JSON.stringify(content)}`,
  );

const expected = [
  'user: [{"type":"text","text":"Read a.ts."}]',
  'assistant: [{"type":"tool_use","id":"c1","name":"Read","input":{"path":"a.ts"}}]',
  'user: [{"type":"tool_result","tool_use_id":"c1","content":"let a"}]',
  'assistant: [{"type":"text","text":"It says let a."}]',
  'user: [{"type":"text","text":"Continue."}]',
];

describe("a plain list of messages", () => {
  it.each([
    ["on one line", JSON.stringify(chat)],
    ["over many lines", JSON.stringify(chat, null, 2)],
    ["over many lines, and a line break at its end", `${JSON.stringify(chat, null, 2)}\n`],
    ["a message a line, in a list", `[\n${chat.map((message) => JSON.stringify(message)).join(",\n")}\n]`],
    ["a message a line", `${chat.map((message) => JSON.stringify(message)).join("\n")}\n`],
    ["in the body of a request", JSON.stringify({ model: "gpt-5.5", messages: chat })],
  ])("%s", (_, text) => {
    const recording = parseRecording(encode(text));
    expect(recording).toMatchObject({
      format: "message-list",
      counts: { apiResponses: 2, humanTurns: 1, toolCalls: 1 },
      damaged: [],
    });
    expect(recording.torn).toBeUndefined();
    expect(recording.messages[0]).toMatchObject({ subtype: "system_prompt", content: "Be brief." });
    expect(sketch(recording)).toEqual(expected);
  });

  it("with one message alone", () => {
    const recording = parseRecording(encode('[\n{ "role": "user", "content": "hi" }\n]'));
    expect(recording.counts).toMatchObject({ messages: 1, humanTurns: 1 });
  });

  it("takes the system prompt and the model of a request's body along", () => {
    const body = {
      model: "claude-opus-5",
      system: [{ type: "text", text: "Be kind." }],
      messages: [
        { role: "user", content: "hi" },
        { role: "assistant", content: "ho" },
      ],
    };
    const { messages } = parseRecording(encode(JSON.stringify(body)));
    expect(messages[0]).toMatchObject({ subtype: "system_prompt", content: "Be kind." });
    expect(messages[2]).toMatchObject({ message: { model: "claude-opus-5", stop_reason: "end_turn" } });
  });

  it.each([
    [
      "a role that nobody knows",
      [{ role: "critic", content: "x" }],
      'cannot be read: message 0 has the role "critic"',
    ],
    ["objects of another kind", [{ name: "a" }], "is not a transcript of a known format"],
    ["a list of nothing", [], "is not a transcript of a known format"],
    ["a body without messages", { messages: "none" }, "is not a transcript of a known format"],
  ])("says what is wrong with %s", (_, list, text) => {
    expect(() => parseRecording(encode(JSON.stringify(list)))).toThrow(text);
  });
});
