/**
 * The official SDK against the simulated API, in this process, without a socket: what was read from the prompt
 * cache, what was not and why, and what each request would have cost.
 */
import Anthropic from "@anthropic-ai/sdk";
import assert from "node:assert/strict";
import { createScriptPlayer, createSimulator, createSimulatorApp } from "palimpsest/simulator";

const player = createScriptPlayer({ steps: ["First answer.", "Second answer.", "Third answer."] });
const simulator = createSimulator({ player });
const verdicts = [];
const app = createSimulatorApp({
  simulator,
  clock: "manual",
  onRequest: ({ verdict }) => verdicts.push(verdict),
});
const client = new Anthropic({ apiKey: "any", fetch: (url, init) => app(new Request(url, init)) });

const marker = { cache_control: { type: "ephemeral" } };
const system = [{ type: "text", text: "You are careful. ".repeat(400), ...marker }];
const ask = (messages) =>
  client.messages.create({ model: "claude-opus-5", max_tokens: 100, system, messages });
const says = (role, text) => ({
  role,
  content: [{ type: "text", text, ...(role === "user" ? marker : {}) }],
});

const first = [says("user", "One?")];
await ask(first);
const second = [...first, says("assistant", "First answer."), says("user", "Two?")];
await ask(second);
simulator.advance(6 * 60_000); // a coffee: the five minutes of the cache are over
await ask([...second, says("assistant", "Second answer."), says("user", "Three?")]);

for (const { promptTokens, cacheRead, cost, misses } of verdicts) {
  const why = misses.map(({ path, reason }) => `${path} ${reason}`).join(", ");
  console.log(`${promptTokens} tokens, ${cacheRead} read, $${cost.toFixed(6)}; missed: ${why}`);
}
assert.equal(verdicts[0].cacheRead, 0);
assert.ok(verdicts[1].cacheRead > 1000);
assert.equal(verdicts[2].cacheRead, 0);
