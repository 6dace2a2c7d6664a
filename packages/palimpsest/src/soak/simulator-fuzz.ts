import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import { createEchoPlayer, createSimulator, createSimulatorApp } from "../simulator/index.js";
import { ensure } from "./ensure.js";
import { makeRequest } from "./fuzz-request.js";
import type { SoakContext, SoakRun } from "./soak-run.js";

const REQUESTS = 20_000;
/** What the heap may have grown by after all requests but the first tenth, collected. */
const MAX_HEAP_GROWTH = 48 * 1024 * 1024;
const CHECK_EVERY = 250;

export const simulatorFuzzRun: SoakRun = {
  name: "simulator-fuzz",
  about: "whatever is sent to the simulated API gets a well-formed answer, and its memory does not grow",
  passes: 5,
  pass: sendAnything,
};

async function sendAnything({ random, step, isOver }: SoakContext): Promise<void> {
  setFlagsFromString("--expose-gc");
  const collect = runInNewContext("gc") as () => void;
  const simulator = createSimulator({ player: createEchoPlayer(), cacheEdits: true });
  const thrown: unknown[] = [];
  const app = createSimulatorApp({ simulator, clock: "manual", onError: (error) => thrown.push(error) });
  const statuses = new Map<number, number>();
  let heap = 0;
  for (let number = 0; number < REQUESTS; number += 1) {
    if (number === REQUESTS / 10) {
      collect();
      heap = process.memoryUsage().heapUsed;
    }
    if (number % 100 === 0) simulator.advance(60_000);
    const request = makeRequest(random);
    const copy = request.clone();
    const { pathname } = new URL(request.url);
    const response = await app(request);
    const wrong = await judge(response, pathname);
    if (wrong !== undefined) {
      const sent = (await copy.text()).slice(0, 3000);
      throw new Error(`request ${number} got ${wrong} (${response.status}): ${sent} ${String(thrown[0])}`);
    }
    statuses.set(response.status, (statuses.get(response.status) ?? 0) + 1);
    await step({ requests: 1, accepted: response.status === 200 ? 1 : 0 });
    if (number % CHECK_EVERY === CHECK_EVERY - 1 && isOver()) return;
  }
  collect();
  const growth = process.memoryUsage().heapUsed - heap;
  ensure(growth < MAX_HEAP_GROWTH, `the heap has grown by ${growth} bytes`);
  // The mutations are mild enough for both sides to be tried.
  ensure((statuses.get(200) ?? 0) > REQUESTS / 20, "too few requests were accepted");
  ensure((statuses.get(400) ?? 0) > REQUESTS / 5, "too few requests were refused");
}

/** An error of the API's form, a message, a count, or a stream that ends as streams do; what is wrong otherwise. */
async function judge(response: Response, path: string): Promise<string | undefined> {
  const text = await response.text();
  if (response.headers.get("content-type")?.startsWith("text/event-stream") === true) {
    const isWhole =
      text.startsWith("event: message_start\n") && text.endsWith('data: {"type":"message_stop"}\n\n');
    return response.status === 200 && isWhole ? undefined : "a broken stream";
  }
  const body = JSON.parse(text) as Record<string, unknown> & { error?: Record<string, unknown> };
  if (response.status === 200) {
    const isAnswer = body["type"] === "message" || typeof body["input_tokens"] === "number";
    return isAnswer || path.startsWith("/__sim/") ? undefined : "neither a message nor a count";
  }
  if (response.status >= 500) return `an internal error`;
  const isError =
    body["type"] === "error" &&
    typeof body["request_id"] === "string" &&
    typeof body.error?.["type"] === "string" &&
    typeof body.error["message"] === "string" &&
    body.error["message"] !== "";
  return isError ? undefined : "an error without its form";
}
