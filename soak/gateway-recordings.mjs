import { readdirSync } from "node:fs";
import { join } from "node:path";
import { normalise } from "@palimpsest/core";
import { conversationWindows } from "@palimpsest/core/engine";
import { encodeStream, formatSseEvent } from "@palimpsest/core/protocols";
import { createExchangeReader } from "../packages/palimpsest/dist/gateway/watch/exchange-reader.js";
import { createWorkerReader } from "../packages/palimpsest/dist/gateway/watch/worker-reader.js";
import { readRecording } from "../packages/palimpsest/dist/replay/readers/read-recording.js";
import { createEchoPlayer, createSimulator } from "../packages/palimpsest/dist/simulator/index.js";
import { createWireLab } from "../packages/palimpsest/dist/soak/wire-lab.js";
import { startWireProxy } from "../packages/palimpsest/dist/soak/wire-proxy.js";
import { makeWireScript } from "../packages/palimpsest/dist/soak/wire-script.js";

/** Of one window, so many requests at most: what is said of the first hundred holds for the others. */
const MOST_REQUESTS = 150;
const marker = { cache_control: { type: "ephemeral" } };
const system = [{ type: "text", text: "the rules ".repeat(2000), ...marker }];
const PAUSE_MS = 5000;
const LIFETIME_MS = 300_000;
const LONG_PAUSE_MS = 400_000;

/**
 * Recorded conversations as a client would have sent them, answered by the simulated API, watched as the gateway does: what is
 * told of as a break is one, and has the reason that the simulated API had. Each exchange goes through a gateway too, its bytes cut,
 * framed and broken off as chance has it: both sides see those of the other.
 */
export const gatewayRecordingsRun = (folders) => ({
  name: "gateway-recordings",
  about: `every recording in ${folders.join(", ")} through the gateway, byte for byte, and its watch: no break is told of that is none`,
  passes: 1,
  async pass({ random, step, isOver }) {
    const left = folders.flatMap((folder) =>
      readdirSync(folder)
        .filter((name) => name.endsWith(".jsonl"))
        .map((name) => join(folder, name)),
    );
    const wire = await createWireLab();
    const proxy = await startWireProxy(wire, "observe", { reader: createWorkerReader() });
    let number = 0;
    const passOn = async (body, message) => {
      const request = Buffer.from(JSON.stringify(body));
      const answer = Buffer.from(random.next() < 0.5 ? JSON.stringify(message) : eventsOf(message));
      number += 1;
      const script = makeWireScript(random, `e${number}`, 0, { request, answer });
      await wire.play(script, proxy.port);
      return script.fate.kind;
    };
    try {
      while (left.length > 0) {
        const [path] = left.splice(random.below(left.length), 1);
        const { messages } = await readRecording(path);
        const simulator = createSimulator({ player: createEchoPlayer(), window: 5_000_000 });
        const reader = createExchangeReader();
        for (const window of conversationWindows(messages)) {
          await playWindow(normalise(window).messages, { path, simulator, reader, random, step, passOn });
        }
        await step({ recordings: 1 });
        if (isOver()) return;
      }
    } finally {
      await proxy.close();
      await wire.close();
    }
  },
});

/** A message as a stream tells it. */
const eventsOf = (message) => encodeStream(message).map(formatSseEvent).join("");

async function playWindow(messages, { path, simulator, reader, random, step, passOn }) {
  let requests = 0;
  for (const [at, { role }] of messages.entries()) {
    if (role !== "assistant" || at === 0) continue;
    requests += 1;
    if (requests > MOST_REQUESTS) return;
    simulator.advance(random.next() < 0.03 ? LONG_PAUSE_MS : PAUSE_MS);
    const sent = messages.slice(0, at);
    const body = {
      model: "claude-opus-4-6",
      max_tokens: 100,
      system,
      messages: [...sent.slice(0, -1), marked(sent.at(-1))],
    };
    const call = { endpoint: "messages", body, betas: [], apiVersion: "2023-06-01", workspace: "w" };
    const outcome = simulator.call(call);
    if (outcome.kind !== "message") continue;
    const { found } = await reader.read(exchangeOf(body, outcome.message, simulator.now()));
    await step({
      requests: 1,
      breaks: found === undefined ? 0 : 1,
      [await passOn(body, outcome.message)]: 1,
    });
    if (found === undefined) continue;
    const missed = new Set(outcome.verdict.misses.map(({ reason }) => reason));
    const isTrue = found.reasons.every(
      (reason) => missed.has(reason) && (reason !== "expired" || found.gapMs > LIFETIME_MS),
    );
    if (!isTrue) throw new Error(`${path}, message ${at}: ${JSON.stringify({ found, missed: [...missed] })}`);
  }
}

function marked({ role, content }) {
  const blocks = typeof content === "string" ? [{ type: "text", text: content }] : content;
  const last = blocks.at(-1);
  return {
    role,
    content: [...blocks.slice(0, -1), last.type === "thinking" ? last : { ...last, ...marker }],
  };
}

const exchangeOf = (body, message, at) => ({
  at,
  milliseconds: 100,
  tenant: "local",
  protocol: "anthropic",
  method: "POST",
  path: "/v1/messages",
  headers: {},
  isSubscription: false,
  end: "complete",
  isIdentical: true,
  answer: { status: 200, headers: {} },
  requestBody: Buffer.from(JSON.stringify(body)),
  answerBody: Buffer.from(JSON.stringify(message)),
});
