/**
 * A conversation as crashes, retries and other tools leave them: judged as it is, repaired, judged again.
 * Run it with `npm start`.
 */
import assert from "node:assert/strict";
import { normalise } from "@palimpsest/core";
import { countRepairs } from "@palimpsest/core/engine";
import { findProblems } from "@palimpsest/core/validity";

const model = "claude-opus-5";
const at = { parentUuid: null, sessionId: "demo", timestamp: "2026-11-15T10:00:00.000Z" };
const user = (uuid, content) => ({ type: "user", uuid, ...at, message: { role: "user", content } });
const assistant = (uuid, id, content) => ({
  type: "assistant",
  uuid,
  ...at,
  message: { id, role: "assistant", model, content },
});
const call = (id, name, input) => ({ type: "tool_use", id, name, input });
const result = (id, content) => ({ type: "tool_result", tool_use_id: id, content });

const broken = [
  user("1", "Find out why the build fails."),
  assistant("2", "msg_a", [{ type: "thinking", thinking: "Look at the log first.", signature: "c2ln" }]),
  assistant("3", "msg_a", [call("toolu_1", "Bash", { command: "npm run build" })]),
  {
    type: "attachment",
    uuid: "4",
    ...at,
    attachment: { type: "file", path: "AGENTS.md", content: "Use pnpm." },
  },
  assistant("5", "msg_a", [call("toolu_2", "Read", '{"path":"tsconfig.json"}')]),
  user("6", [{ type: "text", text: "hurry up" }, result("toolu_1", "error TS2322")]),
  assistant("7", "msg_b", [{ type: "text", text: "" }, call("toolu_1", "Read", { path: "src/a.ts" })]),
  user("8", [result("toolu_1", "export const a: string = 1;"), result("toolu_7", "nobody asked for this")]),
  assistant("9", "msg_c", [{ type: "thinking", thinking: "So the type is wro", signature: "" }]),
];

const sent = broken
  .filter((message) => message.type !== "attachment")
  .map(({ message }) => ({ role: message.role, content: message.content }));
const before = findProblems({ model, max_tokens: 1024, messages: sent });
const { messages, repairs } = normalise(broken);
const after = findProblems({ model, max_tokens: 1024, messages });

const show = (block) => {
  if (block.type === "tool_use") return `call ${block.id} ${block.name} ${JSON.stringify(block.input)}`;
  if (block.type === "tool_result") return `result ${block.tool_use_id} ${JSON.stringify(block.content)}`;
  return `${block.type} ${JSON.stringify(block.text ?? block.thinking)}`;
};

console.log(
  `A broken conversation of ${broken.length} messages. Sent as it is, the Messages API would refuse it:\n`,
);
for (const problem of before) console.log(`  ✗ ${problem.message}`);
console.log("\nRepaired:\n");
for (const [kind, count] of Object.entries(countRepairs(repairs)))
  if (count > 0) console.log(`  ${count} × ${kind}`);
console.log("\nWhat is sent instead:\n");
for (const message of messages) {
  for (const [index, block] of message.content.entries()) {
    console.log(`  ${(index === 0 ? message.role : "").padEnd(10)}${show(block)}`);
  }
}
console.log(`\nJudged again: ${after.length === 0 ? "✓ valid" : after[0].message}`);

assert.notEqual(before.length, 0);
assert.deepEqual(after, []);
