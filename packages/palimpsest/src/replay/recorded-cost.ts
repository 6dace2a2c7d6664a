import {
  findModel,
  isCompactBoundary,
  pricesAt,
  SYNTHETIC_MODEL,
  type AssistantMessage,
  type Message,
} from "@palimpsest/core";
import { billedUsage } from "@palimpsest/core/protocols";
import { isFields } from "./readers/recording.js";

/** What a recorded conversation cost, by the usage it holds, at today's prices. */
export interface RecordedCost {
  /** Of the responses whose model has known prices; null where there is none. */
  readonly dollars: number | null;
  /** The same by what was paid for. */
  readonly input: number;
  readonly cacheWrite: number;
  readonly cacheRead: number;
  readonly output: number;
  /** What the same requests would have cost without a prompt cache. */
  readonly withoutCache: number;
  readonly inputTokens: number;
  readonly cacheWriteTokens: number;
  readonly cacheReadTokens: number;
  readonly outputTokens: number;
  /** Tokens read from the cache of all input tokens. */
  readonly cacheHit: number;
  readonly responses: number;
  /** Calls that wrote summaries, as boundaries of ours tell of them, and what they cost; they are in all other figures. */
  readonly summaryCalls: number;
  readonly summaryDollars: number;
  /** Responses of models without known prices, subagents' included: they are in the tokens, not in the dollars. */
  readonly unpricedResponses: number;
}

const PER_MILLION = 1_000_000;

/** Each response counts once, however many lines it has; subagents' responses and calls for summaries cost too. */
export function recordedCost(messages: readonly Message[]): RecordedCost {
  const cost = {
    input: 0,
    cacheWrite: 0,
    cacheRead: 0,
    output: 0,
    withoutCache: 0,
    inputTokens: 0,
    cacheWriteTokens: 0,
    cacheReadTokens: 0,
    outputTokens: 0,
    responses: 0,
    summaryCalls: 0,
    summaryDollars: 0,
    unpricedResponses: 0,
  };
  for (const { model, usage, isSummary = false } of [
    ...responsesWithUsage(messages),
    ...summaryCalls(messages),
  ]) {
    const billed = billedUsage(usage);
    const { ephemeral_5m_input_tokens: write5m, ephemeral_1h_input_tokens: write1h } = billed.cache_creation;
    const [input, read, output] = [billed.input_tokens, billed.cache_read_input_tokens, billed.output_tokens];
    cost.responses += 1;
    if (isSummary) cost.summaryCalls += 1;
    cost.inputTokens += input;
    cost.cacheWriteTokens += write5m + write1h;
    cost.cacheReadTokens += read;
    cost.outputTokens += output;
    const known = typeof model === "string" ? findModel(model) : undefined;
    if (known === undefined) {
      cost.unpricedResponses += 1;
      continue;
    }
    const prompt = input + read + write5m + write1h;
    const prices = pricesAt(known, prompt);
    const paid = {
      input: (input * prices.input) / PER_MILLION,
      cacheWrite: (write5m * prices.cacheWrite5m + write1h * prices.cacheWrite1h) / PER_MILLION,
      cacheRead: (read * prices.cacheRead) / PER_MILLION,
      output: (output * prices.output) / PER_MILLION,
    };
    cost.input += paid.input;
    cost.cacheWrite += paid.cacheWrite;
    cost.cacheRead += paid.cacheRead;
    cost.output += paid.output;
    if (isSummary) cost.summaryDollars += paid.input + paid.cacheWrite + paid.cacheRead + paid.output;
    cost.withoutCache += (prompt * prices.input + output * prices.output) / PER_MILLION;
  }
  const prompt = cost.inputTokens + cost.cacheWriteTokens + cost.cacheReadTokens;
  const isPriced = cost.responses > cost.unpricedResponses;
  return {
    dollars: isPriced ? cost.input + cost.cacheWrite + cost.cacheRead + cost.output : null,
    ...cost,
    cacheHit: prompt === 0 ? 0 : cost.cacheReadTokens / prompt,
  };
}

type Usage = NonNullable<AssistantMessage["message"]["usage"]>;

/** Recordings may leave anything out. */
interface RecordedUsage {
  readonly model: unknown;
  readonly usage: Usage;
  readonly isSummary?: boolean;
}

/** What boundaries say of the calls behind them. A boundary that is there twice counts once. */
function summaryCalls(messages: readonly Message[]): readonly RecordedUsage[] {
  const boundaries = new Map(messages.filter(isCompactBoundary).map((boundary) => [boundary.uuid, boundary]));
  return [...boundaries.values()].flatMap(({ compactMetadata }) => {
    const calls: unknown = compactMetadata?.["summaryCalls"];
    return (Array.isArray(calls) ? calls : []).flatMap((call: unknown) =>
      isFields(call) && isFields(call["usage"])
        ? [{ model: call["model"], usage: call["usage"] as Usage, isSummary: true }]
        : [],
    );
  });
}

/** The last line of a response has its final usage. */
function responsesWithUsage(messages: readonly Message[]): Iterable<RecordedUsage> {
  const byId = new Map<string, RecordedUsage>();
  for (const message of messages) {
    if (message.type !== "assistant" || !isFields(message.message)) continue;
    const { id, model, usage }: { readonly id?: unknown; readonly model?: unknown; readonly usage?: Usage } =
      message.message;
    if (model === SYNTHETIC_MODEL || !isFields(usage)) continue;
    byId.set(typeof id === "string" && id !== "" ? id : message.uuid, { model, usage });
  }
  return byId.values();
}
