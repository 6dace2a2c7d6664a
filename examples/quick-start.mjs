import { createConversation, createUserMessage } from "@palimpsest/core";
import { compaction } from "@palimpsest/core/compaction";
import { createEmbeddedProvider } from "palimpsest/providers";
import assert from "node:assert/strict";

const [model, window] = ["claude-opus-5", 60_000];
const provider = createEmbeddedProvider({ window }); // the simulated API: no key, no network, no bill
const world = { provider, clock: Date, ids: { next: () => crypto.randomUUID() } };
const settings = { maxTokens: 1000, sessionId: "first", settings: { window } };
const conversation = createConversation({ model, compaction, ...world, ...settings });
const ask = async (text) => {
  await conversation.append(createUserMessage(conversation.origin(), { content: text }));
  const prepared = await conversation.prepare(); // clears, compacts, marks for the cache: whatever is needed
  if (prepared.kind === "held") throw new Error(prepared.message);
  for (const step of prepared.steps) console.log(step.text);
  for await (const output of provider.stream(prepared.call)) {
    if (output.kind !== "message") continue;
    await conversation.observe(prepared, { kind: "response", response: output.message });
  }
};

await ask("My name is Ada. Never touch the folder vendor/.");
for (let turn = 1; turn <= 60; turn += 1) await ask(`Step ${turn}: ${"think of it. ".repeat(300)}`);
assert.match(JSON.stringify(conversation.requestMessages()), /Never touch the folder vendor/);
console.log(`61 messages asked, ${conversation.live.length} live, ${conversation.size().percentLeft}% left`);
