import {
  createCacheWatch,
  createNormaliser,
  createRequestBuilder,
  createSystemLayouter,
  createToolList,
  messagesApiCapabilities,
} from "@palimpsest/core";
import { fileURLToPath } from "node:url";

const RESULT = "a line of some tool's output, about as long as they are\n".repeat(36); // 2 KB
const MAIN = "repl_main_thread";
const base = (uuid) => ({
  uuid,
  parentUuid: null,
  sessionId: "bench",
  timestamp: "2026-11-15T10:00:00.000Z",
});
const percentile = (values, share) => values.toSorted((a, b) => a - b)[Math.floor(values.length * share)];

/** A round of two parallel calls: 2 messages in the request. */
function round(number) {
  const call = (index) => ({
    type: "tool_use",
    id: `toolu_${number}_${index}`,
    name: "Read",
    input: { path: `src/${number}-${index}.ts` },
  });
  const result = (index) => ({
    type: "tool_result",
    tool_use_id: `toolu_${number}_${index}`,
    content: `${number} ${index}\n${RESULT}`,
  });
  return [
    {
      ...base(`a${number}`),
      type: "assistant",
      message: {
        id: `msg_${number}`,
        role: "assistant",
        model: "claude-opus-5",
        content: [{ type: "thinking", thinking: "", signature: "c2lnbmF0dXJl" }, call(1), call(2)],
      },
    },
    { ...base(`r${number}`), type: "user", message: { role: "user", content: [result(1), result(2)] } },
  ];
}

/** One turn at a given length, in microseconds: build with markers, snapshot and hashes, judge the answer. */
function measure(messageCount) {
  const normaliser = createNormaliser();
  normaliser.append([{ ...base("u"), type: "user", message: { role: "user", content: "begin" } }]);
  const builder = createRequestBuilder();
  const watch = createCacheWatch();
  const layouter = createSystemLayouter();
  const list = createToolList();
  const offered = Array.from({ length: 30 }, (_, index) => ({
    definition: {
      name: `Tool${index}`,
      description: "does something useful. ".repeat(40),
      input_schema: { type: "object" },
    },
  }));
  const sections = [
    { name: "rules", text: "rules of the house. ".repeat(500), part: "static" },
    { name: "env", text: "linux", part: "dynamic" },
  ];
  let number = 0;
  let at = 0;
  let read = 0;
  const turn = (messages) => {
    const started = process.hrtime.bigint();
    const built = builder.build({
      source: MAIN,
      parameters: { model: "claude-opus-5", max_tokens: 8000 },
      system: layouter.layOut({ sections }),
      tools: list.list(offered),
      messages,
      capabilities: messagesApiCapabilities,
      ttl: "5m",
    });
    watch.before({ source: MAIN, request: built.request, betas: built.betas, at, sections });
    const usage = {
      input_tokens: 3,
      output_tokens: 100,
      cache_read_input_tokens: read,
      cache_creation_input_tokens: 1400,
    };
    const found = watch.after({ source: MAIN, usage, at });
    builder.answered(built, { messageId: `msg_${number}`, at });
    const ended = process.hrtime.bigint();
    if (found !== undefined) throw new Error(`a break that is none: ${found.summary}`);
    read += 1400;
    at += 1000;
    return Number(ended - started) / 1000;
  };
  const warm = [];
  for (; number * 2 < messageCount; number += 1) warm.push(...round(number));
  turn(normaliser.append(warm).messages);
  const costs = [];
  for (let sample = 0; sample < 200; sample += 1) {
    const { messages } = normaliser.append(round(number));
    number += 1;
    costs.push(turn(messages));
  }
  return { median: percentile(costs, 0.5), p99: percentile(costs, 0.99) };
}

/** Named figures: what building and watching one turn costs, and how that grows with the conversation. */
export function promptBench() {
  for (let warmUp = 0; warmUp < 5; warmUp += 1) measure(1000);
  const sizes = [100, 1000, 10_000];
  const runs = Array.from({ length: 9 }, () => sizes.map((size) => measure(size)));
  const typical = sizes.map((_, index) => ({
    median: percentile(
      runs.map((run) => run[index].median),
      0.5,
    ),
    p99: percentile(
      runs.map((run) => run[index].p99),
      0.5,
    ),
  }));
  return [
    ...sizes.flatMap((size, index) => [
      { name: `prompt.turn.${size}.median`, value: typical[index].median, unit: "µs" },
      { name: `prompt.turn.${size}.p99`, value: typical[index].p99, unit: "µs" },
    ]),
    { name: "prompt.turn.ratio.10000to100", value: typical[2].median / typical[0].median, unit: "×" },
  ];
}

if (process.argv[1] === fileURLToPath(import.meta.url)) console.table(promptBench());
