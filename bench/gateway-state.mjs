/** What the gateway's watch holds after so many requests in ever new conversations; started by bench/gateway-bench.mjs, with `--expose-gc`. */
import { createExchangeReader } from "../packages/palimpsest/dist/gateway/watch/exchange-reader.js";

const REQUESTS = 40_000;
const CHECKS = new Set([10_000, REQUESTS]);
const reader = createExchangeReader();
const usage = {
  input_tokens: 10,
  output_tokens: 5,
  cache_read_input_tokens: 100,
  cache_creation_input_tokens: 10,
};
const answerBody = Buffer.from(JSON.stringify({ type: "message", model: "claude-opus-5", usage }));
const heaps = [];
for (let number = 1; number <= REQUESTS; number += 1) {
  const conversation = Math.floor(number / 2);
  const texts = [`${conversation} begins`, "an answer", "it goes on"].slice(0, (number % 2) * 2 + 1);
  const messages = texts.map((content, at) => ({ role: at % 2 === 0 ? "user" : "assistant", content }));
  const system = `${"the rules ".repeat(2000)} of ${conversation}`;
  await reader.read({
    at: number * 10,
    milliseconds: 5,
    tenant: "local",
    protocol: "anthropic",
    method: "POST",
    path: "/v1/messages",
    headers: { "x-claude-code-session-id": `session ${conversation}` },
    isSubscription: false,
    end: "complete",
    isIdentical: true,
    answer: { status: 200, headers: {} },
    requestBody: Buffer.from(JSON.stringify({ model: "claude-opus-5", system, messages })),
    answerBody,
  });
  if (!CHECKS.has(number)) continue;
  globalThis.gc();
  heaps.push(process.memoryUsage().heapUsed / 1e6);
}
process.send({ heaps, memory: process.memoryUsage.rss() / 1e6 });
