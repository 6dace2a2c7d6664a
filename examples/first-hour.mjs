import { accountTotal, createConversation } from "@palimpsest/core";
import { compaction } from "@palimpsest/core/compaction";
import { totals } from "@palimpsest/core/totals";
import { createEmbeddedProvider } from "palimpsest/providers";
import { createJsonlStore } from "palimpsest/stores";
import { mkdtempSync } from "node:fs";

const directory = process.argv[2] ?? mkdtempSync("/tmp/first-hour-");
const store = createJsonlStore({ directory });
const id = "first-hour";

// First open, then read: from here on nobody else writes this conversation.
const writer = await store.open(id);
const { messages } = await store.readLive(id); // the first time there are none

const conversation = createConversation(
  {
    model: "claude-haiku-4-5",
    maxTokens: 1000,
    system: "You keep the accounts of a small library.",
    provider: createEmbeddedProvider({ window: 30_000 }), // createAnthropicProvider() with ANTHROPIC_API_KEY
    settings: { window: 30_000 },
    compaction,
    totals, // what it has cost so far is kept in the transcript
    writer,
  },
  messages,
);
conversation.events.on("compact", ({ tokensBefore, tokensAfter, price }) => {
  console.log(`compacted ${tokensBefore} → ${tokensAfter} tokens for $${price.dollars.toFixed(4)}`);
});

if (messages.length === 0) await conversation.ask("Never lend out the atlas on shelf 12.");
for (let day = 1; day <= 10; day += 1) {
  await conversation.ask(`Day ${day}. ${"Lent: a book. Returned: another. ".repeat(350)}`);
}

const { tokens, percentLeft } = conversation.size();
const { calls, dollars } = accountTotal(conversation.account());
console.log(`${tokens} tokens in the context, ${percentLeft}% left, ${calls} calls, $${dollars.toFixed(4)}`);
const isKept = JSON.stringify(conversation.requestMessages()).includes("the atlas on shelf 12");
console.log(isKept ? "The atlas is not forgotten." : "The atlas is forgotten!");

await conversation.flush();
await writer.close();
