import { expect, it } from "vitest";
import type {
  AssistantBlock,
  AssistantMessage,
  Message,
  RequestMessage,
  ToolDefinition,
} from "@palimpsest/core";
import type { AnswerBlock } from "../player.js";
import { createRecordingPlayer, responsesOf } from "./recording-player.js";

let count = 0;
const base = () => ({
  uuid: `u${(count += 1)}`,
  parentUuid: null,
  timestamp: "2026-01-01T00:00:00Z",
  sessionId: "s",
});
const said = (
  id: string,
  content: readonly AssistantBlock[],
  more: Partial<AssistantMessage> = {},
): Message => ({
  ...base(),
  type: "assistant",
  message: { id, role: "assistant", model: "claude-opus-4-5", content },
  ...more,
});
const human = (text: string): Message => ({
  ...base(),
  type: "user",
  message: { role: "user", content: text },
});
const call = (id: string, name: string, input: Record<string, unknown>): AssistantBlock => ({
  type: "tool_use",
  id,
  name,
  input,
});

const recording: readonly Message[] = [
  human("Fix it."),
  said("m1", [{ type: "thinking", thinking: "Hm.", signature: "sig" }]),
  said("m1", [{ type: "text", text: "I look." }]),
  said("m1", [call("t1", "Bash", { command: "ls", description: "List" })]),
  human("(results between the pieces)"),
  said("m1", [call("t2", "Read", { file_path: "/a.ts" })]),
  said("side", [{ type: "text", text: "a subagent" }], { isSidechain: true }),
  said("err", [{ type: "text", text: "API Error" }], { isApiErrorMessage: true }),
  said("m2", [{ type: "redacted_thinking", data: "x" }]),
  said("m3", [call("t3", "TodoWrite", { todos: [] })]),
  said("m4", [{ type: "text", text: "Done." }]),
];

const path = { type: "object", properties: { path: { type: "string" } }, required: ["path"] };
const command = { type: "object", properties: { command: { type: "string" } }, required: ["command"] };
const pi: readonly ToolDefinition[] = [
  { name: "bash", input_schema: command },
  { name: "read", input_schema: path },
];

function play(tools: readonly ToolDefinition[], turns: number): readonly (readonly AnswerBlock[])[] {
  const player = createRecordingPlayer(recording);
  let memory: unknown;
  const messages: RequestMessage[] = [{ role: "user", content: [{ type: "text", text: "Fix it." }] }];
  return Array.from({ length: turns }, (_, sequence) => {
    const request = { model: "m", max_tokens: 10, messages, tools };
    const played = player.answer({ request, messages, kind: "message", now: 0, sequence }, memory);
    memory = played.memory;
    const { content } = played.answer;
    messages.push({
      role: "assistant",
      content: content.flatMap((block): readonly AssistantBlock[] =>
        block.type === "thinking" ? [] : block.type === "text" ? [block] : [{ ...block, id: block.id ?? "" }],
      ),
    });
    messages.push({ role: "user", content: [{ type: "text", text: "on" }] });
    return content.map(({ ...block }) => block);
  });
}

it("merges the pieces of a response and leaves out what the model did not say", () => {
  expect(responsesOf(recording).map(({ blocks }) => blocks.map(({ type }) => type))).toEqual([
    ["thinking", "text", "call", "call"],
    ["call"],
    ["text"],
  ]);
});

it("plays response by response, the calls in the client's terms", () => {
  const [first, second, third, fourth] = play(pi, 4);
  expect(first).toMatchObject([
    { type: "thinking", thinking: "Hm." },
    { type: "text", text: "I look." },
    { type: "tool_use", name: "bash", input: { command: "ls" } },
    { type: "tool_use", name: "read", input: { path: "/a.ts" } },
  ]);
  expect(second).toMatchObject([
    { type: "tool_use", name: "bash", input: { command: "echo 'not offered here: TodoWrite'" } },
  ]);
  expect(third).toEqual([{ type: "text", text: "Done." }]);
  expect(fourth).toEqual([{ type: "text", text: "That was the whole recording." }]);
});

it("says so where nothing can stand in", () => {
  expect(play([{ name: "dig", input_schema: path }], 2)[1]).toEqual([
    { type: "text", text: "[simulator] The client offers no tool for TodoWrite." },
  ]);
});
