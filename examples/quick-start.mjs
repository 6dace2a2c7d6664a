import { createConversation } from "@palimpsest/core";
import { compaction } from "@palimpsest/core/compaction";
import { createEmbeddedProvider } from "palimpsest/providers";
import assert from "node:assert/strict";

const provider = createEmbeddedProvider(); // the simulated API: no key, no network, no bill
const conversation = createConversation({ model: "claude-haiku-4-5", maxTokens: 1000, compaction, provider });

await conversation.ask("My name is Ada. Never touch the folder vendor/.");
for (let turn = 1; turn <= 60; turn += 1) {
  const { steps } = await conversation.ask(`Step ${turn}: ${"think of it. ".repeat(1000)}`);
  for (const { text } of steps) console.log(text); // what was done to make room
}
assert.match(JSON.stringify(conversation.requestMessages()), /Never touch the folder vendor/);
