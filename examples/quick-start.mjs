import assert from "node:assert/strict";
import { createAssistantMessage, createNormaliser, createUserMessage } from "@palimpsest/core";
import { findProblems } from "@palimpsest/core/validity";

let count = 0;
const origin = {
  clock: Date,
  ids: { next: () => `id-${(count += 1)}` },
  sessionId: "demo",
  parentUuid: null,
};
const model = "claude-opus-5";
const call = { type: "tool_use", id: "t1", name: "Read", input: { path: "a.ts" } };
const result = { type: "tool_result", tool_use_id: "t1", content: "export {}" };

const conversation = createNormaliser();
const first = conversation.append([
  createUserMessage(origin, { content: "Read a.ts" }),
  createAssistantMessage(origin, { id: "msg_1", model, content: [call] }),
]);
assert.equal(first.repairs[0].kind, "missing_result"); // not answered yet: a placeholder stands in

const second = conversation.append([createUserMessage(origin, { content: [result] })]);
assert.deepEqual(second.repairs, []); // now it is, and nothing needs mending
assert.equal(second.messages[0], first.messages[0]); // what has not changed is the same object
assert.deepEqual(findProblems({ model, max_tokens: 1024, messages: second.messages }), []);
console.log(`${second.messages.length} messages, valid`);
