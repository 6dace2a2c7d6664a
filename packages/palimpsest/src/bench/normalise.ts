import type { Message } from "@palimpsest/core";
import { createNormaliser } from "@palimpsest/core/engine";
import type { Benchmark } from "./benchmark.js";
import type { Figure } from "./figure.js";
import { assistantMessage, OUTPUT_LINE, readCall, toolResult, userMessage } from "./made-up-message.js";
import { compareSizes, spreadOf, type Spread } from "./timing.js";

const RESULT = OUTPUT_LINE.repeat(36); // 2 KB
const ROUND_MESSAGES = 5;
const SAMPLES = 400;

/** A round as an agent makes them: thinking, two parallel calls stored one by one, their results. */
function round(number: number): readonly Message[] {
  const id = `msg_${number}`;
  const call = (index: number) => {
    const callId = `toolu_${number}_${index}`;
    const block = readCall(callId, `src/file-${number}-${index}.ts`);
    return [
      assistantMessage({ uuid: `a${number}.${index}` }, { id, content: [block] }),
      userMessage({ uuid: `r${number}.${index}` }, [toolResult(callId, RESULT)]),
    ];
  };
  const thinking = { type: "thinking", thinking: "", signature: "c2lnbmF0dXJl" } as const;
  return [assistantMessage({ uuid: `a${number}.0` }, { id, content: [thinking] }), ...call(1), ...call(2)];
}

/** What an appended round costs at a given length, in microseconds, the copy of the outer array taken off. */
function measure(messageCount: number): Spread {
  const normaliser = createNormaliser();
  normaliser.append([userMessage({ uuid: "u" }, "begin")]);
  let number = 0;
  const warm: Message[] = [];
  for (; number * ROUND_MESSAGES < messageCount; number += 1) warm.push(...round(number));
  let { messages } = normaliser.append(warm);
  const costs: number[] = [];
  for (let sample = 0; sample < SAMPLES; sample += 1) {
    const next = round(number);
    number += 1;
    const started = process.hrtime.bigint();
    messages = normaliser.append(next).messages;
    const appended = process.hrtime.bigint();
    const copy = [...messages];
    const copied = process.hrtime.bigint();
    if (copy.length !== messages.length) throw new Error("unreachable");
    costs.push(Math.max(0, Number(appended - started - (copied - appended))) / 1000);
  }
  return spreadOf(costs);
}

/** What normalising one appended round costs, and how that grows with the conversation. */
export const normaliseBenchmark: Benchmark = {
  name: "normalise",
  needsRecordings: false,
  async *run(): AsyncGenerator<Figure> {
    for (let warmUp = 0; warmUp < 5; warmUp += 1) measure(1000);
    const at = await compareSizes({ sizes: [100, 1000, 10_000], runs: 9, measure });
    for (const size of [100, 1000, 10_000] as const) {
      yield { name: `normalise.round.${size}.median`, value: at[size].median, unit: "µs" };
      yield { name: `normalise.round.${size}.p99`, value: at[size].p99, unit: "µs" };
    }
    const ratio = (size: 100 | 1000): number => at[10_000].median / at[size].median;
    yield { name: "normalise.round.ratio.10000to100", value: ratio(100), unit: "ratio" };
    yield { name: "normalise.round.ratio.10000to1000", value: ratio(1000), unit: "ratio" };
  },
};
