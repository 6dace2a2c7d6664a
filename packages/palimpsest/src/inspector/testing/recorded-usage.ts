import { readFileSync } from "node:fs";

type Fields = Readonly<Record<string, unknown>>;

/** Input that was not cached, what the cache read and wrote, output. */
export type UsageSums = readonly [input: number, read: number, written: number, output: number];

/** What a recording's own lines say was used, over all of its responses: read by nothing of ours. */
export function recordedUsage(path: string): UsageSums {
  const text = readFileSync(path, "utf8");
  if (text.startsWith('{"sessionId"') || text.startsWith("{\n")) return geminiUsage(text);
  const lines = text
    .split("\n")
    .filter((line) => line.startsWith("{") && line.endsWith("}"))
    .map((line) => JSON.parse(line) as Fields);
  if (lines.some(({ type }) => type === "event_msg")) return codexUsage(lines);
  return lines.some(({ message }) => fields(message)["role"] === "toolResult")
    ? piUsage(lines)
    : claudeUsage(lines);
}

/** Of each response the last line counts: those before it are the same one, not yet whole. */
function claudeUsage(lines: readonly Fields[]): UsageSums {
  const byResponse = new Map<unknown, Fields>();
  for (const { type, uuid, message } of lines) {
    const { id, model, usage } = fields(message);
    if (type !== "assistant" || uuid === undefined || usage === undefined || model === "<synthetic>")
      continue;
    byResponse.set(id ?? uuid, fields(usage));
  }
  return sumOf([...byResponse.values()], (usage) => [
    number(usage["input_tokens"]),
    number(usage["cache_read_input_tokens"]),
    number(usage["cache_creation_input_tokens"]),
    number(usage["output_tokens"]),
  ]);
}

/** Each count tells the total so far; what was cached is part of the input. */
function codexUsage(lines: readonly Fields[]): UsageSums {
  const totals = lines.flatMap(({ payload }) => {
    const total = fields(fields(payload)["info"])["total_token_usage"];
    return total === undefined ? [] : [fields(total)];
  });
  return sumOf(totals.slice(-1), (total) => {
    const cached = number(total["cached_input_tokens"]);
    return [number(total["input_tokens"]) - cached, cached, 0, number(total["output_tokens"])];
  });
}

const piUsage = (lines: readonly Fields[]): UsageSums =>
  sumOf(
    lines.map(({ message }) => fields(fields(message)["usage"])),
    (usage) => [
      number(usage["input"]),
      number(usage["cacheRead"]),
      number(usage["cacheWrite"]),
      number(usage["output"]),
    ],
  );

/** What was thought is output too. */
function geminiUsage(text: string): UsageSums {
  const { messages } = JSON.parse(text) as { readonly messages: readonly Fields[] };
  return sumOf(
    messages.map(({ tokens }) => fields(tokens)),
    (tokens) => {
      const cached = number(tokens["cached"]);
      const output = number(tokens["output"]) + number(tokens["thoughts"]);
      return [number(tokens["input"]) - cached, cached, 0, output];
    },
  );
}

const sumOf = (all: readonly Fields[], sumsOf: (usage: Fields) => UsageSums): UsageSums =>
  all
    .map(sumsOf)
    .reduce(
      (sums, one) => [sums[0] + one[0], sums[1] + one[1], sums[2] + one[2], sums[3] + one[3]],
      [0, 0, 0, 0],
    );

const fields = (value: unknown): Fields =>
  typeof value === "object" && value !== null ? (value as Fields) : {};

const number = (value: unknown): number => (typeof value === "number" ? value : 0);
