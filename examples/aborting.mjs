// Calling an answer off, keeping what was said of it, and going on.
import { createConversation, isPalimpsestError } from "@palimpsest/core";
import { compaction } from "@palimpsest/core/compaction";
import { createEmbeddedProvider } from "palimpsest/providers";
import assert from "node:assert/strict";

// The simulated API stands in for the real one, with a long answer.
const story = "Once upon a time there was a parser that never stopped. ".repeat(40);
const player = {
  answer: (_prompt, memory) => ({ answer: { content: [{ type: "text", text: story }] }, memory }),
};
const provider = createEmbeddedProvider({ player });
const conversation = createConversation({ model: "claude-opus-5", maxTokens: 4000, compaction, provider });

/** Asks, and gives what was said: all of it, or what there was when `signal` said stop. */
async function askUntil(signal, content, onText) {
  let said = "";
  try {
    for await (const event of conversation.stream(content, { signal })) {
      if (event.kind === "retry") said = ""; // the request is sent again: what was told of its answer is void
      if (event.kind === "message") said = ""; // stored: a whole answer, or the results of its calls
      if (event.kind === "text") onText((said += event.text));
      if (event.kind === "answer") return event.answer.text;
    }
  } catch (error) {
    if (!isPalimpsestError(error, "aborted")) throw error;
    if (said.trim() !== "") await conversation.append({ role: "assistant", content: said });
  }
  return said;
}

const billed = [];
conversation.events.on("call_billed", (call) => billed.push(call));

const person = new AbortController();
const kept = await askUntil(person.signal, "Tell me a story.", (text) => {
  if (text.length > 200) person.abort(); // a person presses Escape
});
console.log(`kept ${kept.length} of ${story.length} characters`);
assert.ok(kept.length > 200 && kept.length < story.length && story.startsWith(kept.trimEnd()));

// What was cut off is paid for, and marked as an estimate.
assert.equal(billed.length, 1);
assert.equal(billed[0].estimated, "output");

// The next request has what was kept, and is one that the API takes.
await conversation.ask("Shorter, please.");
const sent = JSON.stringify(conversation.requestMessages());
assert.ok(sent.includes(JSON.stringify(kept.trimEnd()).slice(1, -1)) && sent.includes("Shorter, please."));
