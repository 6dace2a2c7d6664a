// The official client and this library in one loop, in strict TypeScript: what one gives fits the other as it is.
import Anthropic from "@anthropic-ai/sdk";
import { createConversation, createUserMessage, type Outcome } from "@palimpsest/core";
import { compaction } from "@palimpsest/core/compaction";
import { fit } from "@palimpsest/core/fit";
import { messagesFromOpenAiChat } from "@palimpsest/core/import";
import { decodeError } from "@palimpsest/core/protocols";
import {
  createEchoPlayer,
  createSimulator,
  createSimulatorApp,
  startSimulatorServer,
  withSummaries,
} from "palimpsest/simulator";
import assert from "node:assert/strict";
import { randomUUID } from "node:crypto";

// The simulated API stands in for the real one: leave `baseURL` out, and set ANTHROPIC_API_KEY, to use that.
const window = 30_000;
const player = withSummaries(createEchoPlayer());
const app = createSimulatorApp({ simulator: createSimulator({ player, window }), window });
const server = await startSimulatorServer({ app });
const client = new Anthropic({ apiKey: "any", baseURL: server.url });

const model = "claude-opus-5";
const settings = { window, reserve: 4000, autoCompactBuffer: 2000 };
const tools: Anthropic.Tool[] = [
  { name: "Read", description: "Reads a file.", input_schema: { type: "object", properties: {} } },
];
const system: Anthropic.TextBlockParam[] = [{ type: "text", text: "You are a careful assistant." }];

// 1. A conversation: its requests go to the client, the client's messages come back.
const conversation = createConversation({
  model,
  maxTokens: 1000,
  sessionId: randomUUID(),
  clock: { now: () => Date.now() },
  ids: { next: () => randomUUID() },
  compaction,
  settings,
  system: { custom: "You are a careful assistant." },
  tools: () => tools.map((definition) => ({ definition })),
});

/** What came of a call, as a value. */
async function outcomeOf(answer: Promise<Anthropic.Message>): Promise<Outcome> {
  try {
    return { kind: "response", response: await answer };
  } catch (error) {
    if (!(error instanceof Anthropic.APIError)) throw error;
    const { status = 0, headers, error: body } = error;
    return { kind: "failure", failure: decodeError({ status, headers, body }) };
  }
}

let compactions = 0;
for (let turn = 0; turn < 40; turn += 1) {
  const text = `Message ${turn}: ${"something that the model should think about at some length. ".repeat(40)}`;
  await conversation.append(createUserMessage(conversation.origin(), { content: text }));
  for (;;) {
    const prepared = await conversation.prepare();
    assert(prepared.kind === "request");
    compactions += prepared.steps.filter(({ tier }) => tier === "full").length;
    const { request } = prepared.call;
    const isStreamed = turn % 2 === 1;
    const outcome = await outcomeOf(
      isStreamed ? client.messages.stream(request).finalMessage() : client.messages.create(request),
    );
    const observed = await conversation.observe(prepared, outcome);
    if (observed.kind === "retry") continue;
    assert(observed.kind === "accepted");
    break;
  }
}
assert(compactions > 0);
console.log(`40 messages with the client, ${compactions} compactions, ${conversation.size().tokens} tokens`);

// 2. A list of your own, of the client's own type, that always fits.
let messages: Anthropic.MessageParam[] = [];
for (let turn = 0; turn < 40; turn += 1) {
  messages.push({ role: "user", content: `Message ${turn}: ${"and some more to think about. ".repeat(80)}` });
  const fitted = await fit(messages, { model, system, tools, settings, maxTokens: 1000 });
  const answer = await client.messages.create({
    model,
    max_tokens: 1000,
    system,
    tools,
    messages: fitted.messages,
  });
  messages = [...fitted.messages, { role: answer.role, content: answer.content }];
}
console.log(`a list of 40 messages is one of ${messages.length} that fit`);
assert(JSON.stringify(messages).includes("Message 0:"));

// 3. A list of another shape.
const imported = messagesFromOpenAiChat([
  { role: "developer", content: "Be brief." },
  { role: "user", content: "Hello." },
]);
const { messages: asked, system: said = "" } = await fit(imported, { model });
const answer = await client.messages.create({ model, max_tokens: 1000, system: said, messages: asked });
assert.equal(said, "Be brief.");
assert.equal(answer.stop_reason, "end_turn");
await server.close();
