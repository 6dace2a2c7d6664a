import { createConversation, createUserMessage } from "@palimpsest/core";
import { compaction } from "@palimpsest/core/compaction";
import { createEmbeddedProvider } from "palimpsest/providers";
import assert from "node:assert/strict";

const provider = createEmbeddedProvider({ window: 60_000 }); // the simulated API: no key, no network, no bill
const conversation = createConversation({
  ...{ model: "claude-opus-5", maxTokens: 1000, sessionId: "first", settings: { window: 60_000 } },
  ...{ provider, compaction, clock: Date, ids: { next: () => crypto.randomUUID() } },
});
const ask = async (text) => {
  await conversation.append(createUserMessage(conversation.origin(), { content: text }));
  const prepared = await conversation.prepare(); // clears, compacts, marks for the cache: whatever is needed
  for (const step of prepared.steps) console.log(step.text);
  for await (const output of provider.stream(prepared.call)) {
    assert.notEqual(output.kind, "error");
    if (output.kind !== "message") continue;
    await conversation.observe(prepared, { kind: "response", response: output.message });
  }
};

await ask("My name is Ada. Never touch the folder vendor/.");
for (let turn = 1; turn <= 60; turn += 1) await ask(`Step ${turn}: ${"think of it. ".repeat(300)}`);

assert.match(JSON.stringify(conversation.requestMessages()), /Never touch the folder vendor/);
console.log(`61 messages, nothing refused, ${conversation.size().percentLeft}% left`);
