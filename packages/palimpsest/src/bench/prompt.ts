import { messagesApiCapabilities, type Message, type RequestMessage } from "@palimpsest/core";
import {
  createCacheWatch,
  describeBreak,
  createNormaliser,
  createRequestBuilder,
  createSystemLayouter,
  createToolList,
} from "@palimpsest/core/engine";
import type { Benchmark } from "./benchmark.js";
import type { Figure } from "./figure.js";
import {
  assistantMessage,
  MODEL,
  offeredTools,
  OUTPUT_LINE,
  readCall,
  toolResult,
  userMessage,
} from "./made-up-message.js";
import { compareSizes, microsecondsSince, spreadOf, type Spread } from "./timing.js";

const RESULT = OUTPUT_LINE.repeat(36); // 2 KB
const SAMPLES = 200;
/** Tokens of a round. */
const WRITTEN = 1400;
const source = "repl_main_thread";
const sections = [
  { name: "rules", text: "rules of the house. ".repeat(500), part: "static" },
  { name: "env", text: "linux", part: "dynamic" },
] as const;

/** A round of two parallel calls: 2 messages in the request. */
function round(number: number): readonly Message[] {
  const ids = [`toolu_${number}_1`, `toolu_${number}_2`];
  const thinking = { type: "thinking", thinking: "", signature: "c2lnbmF0dXJl" } as const;
  const content = [thinking, ...ids.map((id) => readCall(id, `src/${id}.ts`))];
  return [
    assistantMessage({ uuid: `a${number}` }, { id: `msg_${number}`, content }),
    userMessage(
      { uuid: `r${number}` },
      ids.map((id) => toolResult(id, `${id}\n${RESULT}`)),
    ),
  ];
}

/** One turn at a given length, in microseconds: build with markers, snapshot and hashes, judge the answer. */
function measure(messageCount: number): Spread {
  const normaliser = createNormaliser();
  normaliser.append([userMessage({ uuid: "u" }, "begin")]);
  const builder = createRequestBuilder();
  const watch = createCacheWatch();
  const layouter = createSystemLayouter();
  const list = createToolList();
  let number = 0;
  let at = 0;
  let read = 0;
  const turn = (messages: readonly RequestMessage[]): number => {
    const started = process.hrtime.bigint();
    const built = builder.build({
      source,
      parameters: { model: MODEL, max_tokens: 8000 },
      system: layouter.layOut({ sections }),
      tools: list.list(offeredTools),
      messages,
      capabilities: messagesApiCapabilities,
      ttl: "5m",
    });
    watch.before({ source, request: built.request, betas: built.betas, at, sections });
    const usage = {
      input_tokens: 3,
      output_tokens: 100,
      cache_read_input_tokens: read,
      cache_creation_input_tokens: WRITTEN,
    };
    const found = watch.after({ source, usage, at });
    builder.answered(built, { messageId: `msg_${number}`, at });
    const cost = microsecondsSince(started);
    if (found !== undefined) throw new Error(`a break that is none: ${describeBreak(found)}`);
    read += WRITTEN;
    at += 1000;
    return cost;
  };
  const warm: Message[] = [];
  for (; number * 2 < messageCount; number += 1) warm.push(...round(number));
  turn(normaliser.append(warm).messages);
  const costs: number[] = [];
  for (let sample = 0; sample < SAMPLES; sample += 1) {
    const { messages } = normaliser.append(round(number));
    number += 1;
    costs.push(turn(messages));
  }
  return spreadOf(costs);
}

/** What building and watching one turn's request costs, and how that grows with the conversation. */
export const promptBenchmark: Benchmark = {
  name: "prompt",
  needsRecordings: false,
  async *run(): AsyncGenerator<Figure> {
    for (let warmUp = 0; warmUp < 5; warmUp += 1) measure(1000);
    const at = await compareSizes({ sizes: [100, 1000, 10_000], runs: 9, measure });
    for (const size of [100, 1000, 10_000] as const) {
      yield { name: `prompt.turn.${size}.median`, value: at[size].median, unit: "µs" };
      yield { name: `prompt.turn.${size}.p99`, value: at[size].p99, unit: "µs" };
    }
    const ratio = at[10_000].median / at[100].median;
    yield { name: "prompt.turn.ratio.10000to100", value: ratio, unit: "ratio" };
  },
};
