import { createNormaliser } from "@palimpsest/core";
import { fileURLToPath } from "node:url";

const RESULT = "a line of some tool's output, about as long as they are\n".repeat(36); // 2 KB
const base = (uuid) => ({
  uuid,
  parentUuid: null,
  sessionId: "bench",
  timestamp: "2026-11-15T10:00:00.000Z",
});

/** A round as an agent makes them: thinking, two parallel calls stored one by one, their results. */
function round(number) {
  const piece = (index, block) => ({
    ...base(`a${number}.${index}`),
    type: "assistant",
    message: { id: `msg_${number}`, role: "assistant", model: "claude-opus-5", content: [block] },
  });
  const result = (index) => ({
    ...base(`r${number}.${index}`),
    type: "user",
    message: {
      role: "user",
      content: [{ type: "tool_result", tool_use_id: `toolu_${number}_${index}`, content: RESULT }],
    },
  });
  const call = (index) => ({
    type: "tool_use",
    id: `toolu_${number}_${index}`,
    name: "Read",
    input: { path: `src/file-${number}-${index}.ts` },
  });
  return [
    piece(0, { type: "thinking", thinking: "", signature: "c2lnbmF0dXJl" }),
    piece(1, call(1)),
    result(1),
    piece(2, call(2)),
    result(2),
  ];
}

const percentile = (values, share) => values.toSorted((a, b) => a - b)[Math.floor(values.length * share)];

/** Cost of one appended round at a given length, in microseconds, the copy of the outer array taken off. */
function measure(messageCount) {
  const normaliser = createNormaliser();
  normaliser.append([{ ...base("u"), type: "user", message: { role: "user", content: "begin" } }]);
  let number = 0;
  const warm = [];
  for (; number * 5 < messageCount; number += 1) warm.push(...round(number));
  let { messages } = normaliser.append(warm);
  const costs = [];
  for (let sample = 0; sample < 400; sample += 1) {
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
  return { median: percentile(costs, 0.5), p99: percentile(costs, 0.99) };
}

/** Named figures with units: what one appended round costs, and how that grows with the conversation. */
export function normaliseBench() {
  for (let warmUp = 0; warmUp < 5; warmUp += 1) measure(1000);
  const sizes = [100, 1000, 10_000];
  // Interleaved, so that a slow moment of the machine meets all sizes alike.
  const runs = Array.from({ length: 9 }, () => sizes.map((size) => measure(size)));
  const best = sizes.map((_, index) => ({
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
      { name: `normalise.round.${size}.median`, value: best[index].median, unit: "µs" },
      { name: `normalise.round.${size}.p99`, value: best[index].p99, unit: "µs" },
    ]),
    { name: "normalise.round.ratio.10000to100", value: best[2].median / best[0].median, unit: "×" },
    { name: "normalise.round.ratio.10000to1000", value: best[2].median / best[1].median, unit: "×" },
  ];
}

if (process.argv[1] === fileURLToPath(import.meta.url)) console.table(normaliseBench());
