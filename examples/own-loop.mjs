// A loop of your own with the official SDK: it runs the tools, the conversation keeps itself within its window, and goes on in the next process.
import Anthropic from "@anthropic-ai/sdk";
import { accountTotal, createConversation } from "@palimpsest/core";
import { compaction } from "@palimpsest/core/compaction";
import { decodeError } from "@palimpsest/core/protocols";
import { totals } from "@palimpsest/core/totals";
import { createAnthropicProvider } from "palimpsest/providers";
import { createSimulator, createSimulatorApp, withSummaries } from "palimpsest/simulator";
import { createJsonlStore } from "palimpsest/stores";
import assert from "node:assert/strict";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";

// The simulated API stands in for the real one: leave `fetch` out, and set ANTHROPIC_API_KEY, to use that.
const window = 30_000;
const reader = {
  /** Reads five pages before it answers, again and again. */
  answer(_prompt, memory) {
    const step = typeof memory === "number" ? memory : 0;
    const call = { type: "tool_use", name: "read_page", input: { page: step } };
    return {
      answer: { content: [step % 6 === 5 ? { type: "text", text: "Read." } : call] },
      memory: step + 1,
    };
  },
};
const app = createSimulatorApp({
  simulator: createSimulator({ player: withSummaries(reader), window }),
  window,
});
const client = new Anthropic({ apiKey: "any", fetch: (url, init) => app(new Request(url, init)) });

const readPage = {
  name: "read_page",
  description: "Reads a page of the handbook.",
  input_schema: { type: "object", properties: { page: { type: "number" } }, required: ["page"] },
};

/** One call with the SDK, as a value. */
async function send({ request, betas }) {
  try {
    const response = await client.beta.messages.create({ ...request, betas: [...betas] });
    return { kind: "response", response };
  } catch (error) {
    return { kind: "failure", failure: decodeError(error) };
  }
}

/** A result for each call of an answer. */
function runTools({ message }) {
  const calls = message.content.filter(({ type }) => type === "tool_use");
  return calls.map(({ id, input }) => ({
    type: "tool_result",
    tool_use_id: id,
    content: `Page ${input.page}. ${"A rule of the house, and why it is one. ".repeat(100)}`,
  }));
}

/** What is said, until the model calls no tool any more. */
async function ask(conversation, text) {
  await conversation.append({ role: "user", content: text });
  for (;;) {
    const prepared = await conversation.prepare(); // makes room where that is needed
    if (prepared.kind === "held") throw new Error(prepared.message);
    const observed = await conversation.observe(prepared, await send(prepared.call));
    if (observed.kind === "retry") continue; // the API called it too long; there is room now
    if (observed.kind === "failed") throw new Error(observed.message);
    const results = runTools(observed.message);
    if (results.length === 0) return observed.message;
    await conversation.append({ role: "user", content: results });
  }
}

const directory = await mkdtemp(join(tmpdir(), "palimpsest-own-loop-"));
const store = createJsonlStore({ directory });
const id = "handbook";

/** As a process would that starts: what was said is there, and the first time nothing. */
async function start() {
  const writer = await store.open(id); // first: nobody else writes from here on
  const { messages } = await store.readLive(id);
  const conversation = createConversation(
    {
      model: "claude-haiku-4-5",
      maxTokens: 1000,
      system: "You know the handbook.",
      tools: [{ definition: readPage }],
      compaction,
      provider: createAnthropicProvider({ client }), // writes the summaries; without one they are extracts
      totals, // what it has cost goes on where it ended
      writer,
      settings: { window }, // leave it out: the model's own
    },
    messages,
  );
  return { conversation, writer, isNew: messages.length === 0 };
}

let compactions = 0;
let dollars = 0;
for (let process = 1; process <= 3; process += 1) {
  const { conversation, writer, isNew } = await start();
  conversation.events.on("compact", ({ tokensBefore, tokensAfter, writer: by }) => {
    compactions += 1;
    console.log(`  compacted by the ${by} writer: ${tokensBefore} → ${tokensAfter} tokens`);
    assert.equal(by, "fork");
  });
  if (isNew) await ask(conversation, "My name is Ada. Never lend out the atlas.");
  for (let question = 1; question <= 4; question += 1) await ask(conversation, `Question ${question}.`);

  const { tokens } = conversation.size();
  const total = accountTotal(conversation.account());
  console.log(`process ${process}: ${tokens} tokens in the context, $${total.dollars.toFixed(4)} so far`);
  assert.ok(total.dollars > dollars);
  assert.match(JSON.stringify(conversation.requestMessages()), /Never lend out the atlas/);
  dollars = total.dollars;
  await conversation.flush();
  await writer.close();
}
assert.ok(compactions > 0);
await rm(directory, { recursive: true });
