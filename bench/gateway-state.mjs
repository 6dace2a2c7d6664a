/**
 * What the gateway holds after so many requests, and what reading one costs; started by bench/gateway-bench.mjs with `--expose-gc` and
 * the limit of memory that the gateway's own thread has. What makes the requests runs here too: its time is apart, its garbage is not.
 */
import { readFileSync } from "node:fs";
import { createExchangeReader } from "../packages/palimpsest/dist/gateway/watch/exchange-reader.js";
import { addExchange, emptyReceipt } from "../packages/palimpsest/dist/gateway/receipt/receipt.js";

const [conversations, requestsOfEach, atOnce, words] = process.argv.slice(2).map(Number);
const requests = conversations * requestsOfEach;
const CHECKS = new Set([Math.floor(requests / 10), requests]);
const reader = createExchangeReader();
const usage = {
  input_tokens: 10,
  output_tokens: 5,
  cache_read_input_tokens: 100,
  cache_creation_input_tokens: 10,
};
const answerBody = Buffer.from(JSON.stringify({ type: "message", model: "claude-opus-5", usage }));
const marker = { cache_control: { type: "ephemeral" } };
const filler = "word ".repeat(words);

/** The next request of a conversation: two messages more than the one before, the last one marked, as clients do. */
function bodyOf(conversation, turn) {
  const messages = Array.from({ length: turn * 2 + 1 }, (_, at) => ({
    role: at % 2 === 0 ? "user" : "assistant",
    content: `${conversation}: ${at} ${filler}`,
  }));
  const last = messages.at(-1);
  last.content = [{ type: "text", text: last.content, ...marker }];
  const system = `${"the rules ".repeat(200)} of ${conversation}`;
  return Buffer.from(JSON.stringify({ model: "claude-opus-5", system, messages }));
}

/** Some conversations at once, each with a request in turn, and then the next ones. */
function* requestsInOrder() {
  for (let first = 0; first < conversations; first += atOnce) {
    for (let turn = 0; turn < requestsOfEach; turn += 1) {
      for (let one = first; one < Math.min(first + atOnce, conversations); one += 1) yield [one, turn];
    }
  }
}

const heaps = [];
let receipt = emptyReceipt(0);
let number = 0;
let making = 0;
const started = performance.now();
for (const [conversation, turn] of requestsInOrder()) {
  const before = performance.now();
  const requestBody = bodyOf(conversation, turn);
  making += performance.now() - before;
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
    requestBody,
    answerBody,
  });
  receipt = addExchange(receipt, record);
  number += 1;
  if (!CHECKS.has(number)) continue;
  globalThis.gc();
  heaps.push(process.memoryUsage().heapUsed / 1e6);
}
const milliseconds = performance.now() - started;
const peak = (Number(/VmHWM:\s+(\d+)/.exec(readFileSync("/proc/self/status", "utf8"))[1]) * 1024) / 1e6;
const { conversations: seen, forgotten } = receipt;
const report = {
  heaps,
  memory: process.memoryUsage.rss() / 1e6,
  peak,
  seconds: milliseconds / 1000,
  makingSeconds: making / 1000,
  perRequest: (milliseconds - making) / requests,
  conversations: seen,
  forgotten,
};
if (process.send === undefined) console.log(report);
else process.send(report);
