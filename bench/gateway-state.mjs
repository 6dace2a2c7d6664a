/** What the gateway holds after so many requests in ever new conversations; started by bench/gateway-bench.mjs, with `--expose-gc`. */
import { createExchangeReader } from "../packages/palimpsest/dist/gateway/watch/exchange-reader.js";
import { addExchange, emptyReceipt } from "../packages/palimpsest/dist/gateway/receipt/receipt.js";

const REQUESTS = 1_000_000;
const CHECKS = new Set([100_000, REQUESTS]);
/** Of each conversation, one after another. */
const OF_A_CONVERSATION = 4;
const reader = createExchangeReader();
const usage = {
  input_tokens: 10,
  output_tokens: 5,
  cache_read_input_tokens: 100,
  cache_creation_input_tokens: 10,
};
const answerBody = Buffer.from(JSON.stringify({ type: "message", model: "claude-opus-5", usage }));
const heaps = [];
let receipt = emptyReceipt(0);
const started = performance.now();
for (let number = 0; number < REQUESTS; number += 1) {
  const conversation = Math.floor(number / OF_A_CONVERSATION);
  const texts = Array.from(
    { length: (number % OF_A_CONVERSATION) * 2 + 1 },
    (_, at) => `${conversation}: ${at}`,
  );
  const messages = texts.map((content, at) => ({ role: at % 2 === 0 ? "user" : "assistant", content }));
  const system = `${"the rules ".repeat(200)} of ${conversation}`;
  const record = await reader.read({
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
  receipt = addExchange(receipt, record);
  if (!CHECKS.has(number + 1)) continue;
  globalThis.gc();
  heaps.push(process.memoryUsage().heapUsed / 1e6);
}
const seconds = (performance.now() - started) / 1000;
const { requests, conversations } = receipt;
process.send({ heaps, memory: process.memoryUsage.rss() / 1e6, seconds, requests, conversations });
