// An agent with the AI SDK that keeps its cache; with --dated it does not. It knows nothing of who answers: ANTHROPIC_BASE_URL says.
import { anthropic } from "@ai-sdk/anthropic";
import { generateText } from "ai";

const isDated = process.argv.includes("--dated");
const marker = { anthropic: { cacheControl: { type: "ephemeral" } } };
const rules = "Name what is wrong, and where. Quote the line. Never guess. ".repeat(100);

/** A date that moves on is what breaks the cache: everything after it is new. */
const system = (day) => (isDated ? `${rules}Today is November ${day}, 2026. ${rules}` : `${rules}${rules}`);

const messages = [];
for (let turn = 1; turn <= 20; turn += 1) {
  messages.push({ role: "user", content: `Question ${turn}: ${"what about this part? ".repeat(10)}` });
  const { response } = await generateText({
    model: anthropic("claude-opus-5"),
    system: { role: "system", content: system(turn), providerOptions: marker },
    // One marker that moves with the end of the conversation: each call reads what the one before has written.
    messages: [...messages.slice(0, -1), { ...messages.at(-1), providerOptions: marker }],
    maxOutputTokens: 200,
  });
  messages.push(...response.messages);
}
console.log(`${messages.length} messages`);
