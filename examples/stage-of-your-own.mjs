// A stage of your own: once the tests are green, what earlier runs of them said is of no use any more.
import { createAssistantMessage, createConversation, createUserMessage } from "@palimpsest/core";
import assert from "node:assert/strict";
import { randomUUID } from "node:crypto";

/** Every result of `Bash` before the last one, once that says that all tests pass. */
const forgetOldTestRuns = {
  name: "forget-old-test-runs",
  perform({ live }) {
    const results = live.flatMap((message) =>
      message.type === "user" && Array.isArray(message.message.content)
        ? message.message.content.filter((block) => block.type === "tool_result")
        : [],
    );
    const last = results.at(-1);
    if (last === undefined || !String(last.content).endsWith("all tests pass")) return undefined;
    return { clear: results.slice(0, -1).map((block) => block.tool_use_id) };
  },
};

const conversation = createConversation({
  model: "claude-opus-5",
  maxTokens: 1000,
  sessionId: randomUUID(),
  clock: { now: () => Date.now() },
  ids: { next: () => randomUUID() },
  compaction: "none",
  stages: [forgetOldTestRuns],
});

await conversation.append(createUserMessage(conversation.origin(), { content: "Make the tests pass." }));
for (const [run, said] of ["3 tests fail", "1 test fails", "all tests pass"].entries()) {
  const call = { type: "tool_use", id: `toolu_${run}`, name: "Bash", input: { command: "npm test" } };
  const answer = { id: `msg_${run}`, model: "claude-opus-5", content: [call], stopReason: "tool_use" };
  await conversation.append(createAssistantMessage(conversation.origin(), answer));
  const content = `${"a long line of the test runner\n".repeat(200)}${said}`;
  const result = { type: "tool_result", tool_use_id: call.id, content };
  await conversation.append(createUserMessage(conversation.origin(), { content: [result] }));
}

const prepared = await conversation.prepare();
for (const { text } of prepared.steps) console.log(text);
assert.equal(prepared.steps.length, 1);
const sent = JSON.stringify(prepared.call.request);
assert.ok(sent.includes("all tests pass") && !sent.includes("3 tests fail"));
