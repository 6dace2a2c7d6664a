// A loop of your own with the official SDK: the conversation keeps itself within its window.
import Anthropic from "@anthropic-ai/sdk";
import { createConversation } from "@palimpsest/core";
import { compaction } from "@palimpsest/core/compaction";
import { decodeError } from "@palimpsest/core/protocols";
import { createEchoPlayer, createSimulator, createSimulatorApp, withSummaries } from "palimpsest/simulator";
import assert from "node:assert/strict";

// The simulated API stands in for the real one: leave `fetch` out, and set ANTHROPIC_API_KEY, to use that.
const window = 30_000;
const player = withSummaries(createEchoPlayer());
const app = createSimulatorApp({ simulator: createSimulator({ player, window }), window });
const client = new Anthropic({
  apiKey: "any",
  maxRetries: 2,
  fetch: (url, init) => app(new Request(url, init)),
});

const conversation = createConversation({
  model: "claude-opus-5",
  maxTokens: 1000,
  compaction,
  settings: { window, reserve: 4000, autoCompactBuffer: 2000 },
  system: { custom: "You are a careful assistant." },
});
conversation.events.on("compact", ({ tokensBefore, tokensAfter, writer }) =>
  console.log(`compacted by the ${writer} writer: ${tokensBefore} → ${tokensAfter} tokens`),
);

/** One call with the SDK, as a value. */
async function send({ request, betas }) {
  try {
    const response = await client.beta.messages.create({ ...request, betas: [...betas] });
    return { kind: "response", response };
  } catch (error) {
    return { kind: "failure", failure: decodeError(error) };
  }
}

let compactions = 0;
for (let turn = 0; turn < 60; turn += 1) {
  const text = `Message ${turn}: ${"something that the model should think about at some length. ".repeat(40)}`;
  await conversation.append({ role: "user", content: text });
  for (;;) {
    const prepared = await conversation.prepare();
    assert.equal(prepared.kind, "request", prepared.message);
    compactions += prepared.steps.filter(({ tier }) => tier === "full").length;
    const observed = await conversation.observe(prepared, await send(prepared.call));
    if (observed.kind === "retry") continue;
    assert.equal(observed.kind, "accepted", observed.message);
    break;
  }
}
const { tokens, percentLeft } = conversation.size();
console.log(`60 messages, ${compactions} compactions, ${tokens} tokens in the context, ${percentLeft}% left`);
assert.ok(compactions > 0);
assert.ok(
  JSON.stringify(conversation.requestMessages()).includes("Message 0:"),
  "the first words are still there",
);
