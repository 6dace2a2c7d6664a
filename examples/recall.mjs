// Recall in a loop of your own: the model finds again, word for word, what a compaction took out of its context.
import Anthropic from "@anthropic-ai/sdk";
import { createConversation } from "@palimpsest/core";
import { compaction } from "@palimpsest/core/compaction";
import { droppedHint, recallHint } from "@palimpsest/core/engine";
import { createRecall } from "palimpsest/recall";
import { createEchoPlayer, createSimulator, createSimulatorApp, withSummaries } from "palimpsest/simulator";
import { createMemoryStore } from "palimpsest/stores";
import assert from "node:assert/strict";

// The simulated API stands in for the real one, with a model that calls Recall where it is asked for the port.
const echo = createEchoPlayer();
const player = {
  answer(prompt, memory) {
    const last = JSON.stringify(prompt.messages.at(-1));
    if (!last.includes("Which port") || last.includes("tool_result")) return echo.answer(prompt, memory);
    const call = { type: "tool_use", name: "Recall", input: { query: "staging port" } };
    return { answer: { content: [call] }, memory };
  },
};
const app = createSimulatorApp({ simulator: createSimulator({ player: withSummaries(player) }) });
const client = new Anthropic({ apiKey: "any", fetch: (url, init) => app(new Request(url, init)) });

const store = createMemoryStore(); // or createJsonlStore({ directory }), or one of your own
const recall = createRecall({ store, id: "deploy" });
const conversation = createConversation({
  model: "claude-opus-5",
  maxTokens: 1000,
  compaction,
  tools: [{ definition: recall.definition }],
  recallHint, // after a cleared result: the call that shows it again
  droppedHint, // after a summary: what went, and how it is found
  writer: await store.open("deploy"),
});

async function answer() {
  for (;;) {
    const prepared = await conversation.prepare();
    assert.equal(prepared.kind, "request", prepared.message);
    const { request, betas } = prepared.call;
    const response = await client.beta.messages.create({ ...request, betas: [...betas] });
    const { message } = await conversation.observe(prepared, { kind: "response", response });
    const calls = message.message.content.filter(({ type }) => type === "tool_use");
    if (calls.length === 0) return;
    await conversation.append({ role: "user", content: await Promise.all(calls.map(runCall)) });
  }
}

/** What cannot be found is told to the model too. */
const runCall = async ({ id: tool_use_id, input }) => {
  try {
    return { type: "tool_result", tool_use_id, content: await recall.run(input) };
  } catch (error) {
    return { type: "tool_result", tool_use_id, content: error.message, is_error: true };
  }
};

const log = `${"nothing of interest\n".repeat(500)}staging listens on port 48213\n${"and more\n".repeat(500)}`;
await conversation.append({ role: "user", content: "Read the log." }, { role: "assistant", content: log });
await conversation.append({ role: "user", content: "Thank you." });
await answer();
assert.equal((await conversation.compact()).kind, "compacted");
assert.ok(!JSON.stringify(conversation.requestMessages()).includes("48213"), "it left the context");

await conversation.append({ role: "user", content: "Which port was it?" });
await answer();
assert.match(JSON.stringify(conversation.requestMessages()), /port 48213/);
console.log("found again: port 48213");
