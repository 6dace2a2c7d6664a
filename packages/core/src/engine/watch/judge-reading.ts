import { isFields, type Fields } from "../../messages/fields.js";
import { sampledFigures } from "../../messages/usage.js";
import type { Prices } from "../../models/model.js";
import { defaultSettings, type Settings } from "../settings/settings.js";
import type { Ttl } from "../events/break-reason.js";

/** What a response says of the cache. */
export interface CacheFigures {
  readonly read: number;
  readonly written: number;
  /** Tokens that were neither read nor written. */
  readonly input: number;
  /** The part of `written` with the long lifetime; undefined where it was not told apart. */
  readonly writtenForAnHour?: number;
}

/** The figures of a usage; undefined where it says nothing of the cache. Of several calls the sampled one counts. */
export function cacheFigures(usage: unknown): CacheFigures | undefined {
  if (!isFields(usage)) return undefined;
  const figures = sampledFigures(usage);
  const read = tokensIn(figures["cache_read_input_tokens"]);
  const written = tokensIn(figures["cache_creation_input_tokens"]);
  if (read === undefined && written === undefined) return undefined;
  const split: Fields = isFields(figures["cache_creation"]) ? figures["cache_creation"] : {};
  const hour = tokensIn(split["ephemeral_1h_input_tokens"]);
  return {
    read: read ?? 0,
    written: written ?? 0,
    input: tokensIn(figures["input_tokens"]) ?? 0,
    ...(hour === undefined ? {} : { writtenForAnHour: Math.min(hour, written ?? 0) }),
  };
}

const tokensIn = (value: unknown): number | undefined =>
  typeof value === "number" && Number.isFinite(value) && value >= 0 ? value : undefined;

export interface Loss {
  readonly lostTokens: number;
  /** Of what was expected. */
  readonly lostShare: number;
}

/**
 * Whether a reading is a break: it falls short of what was left cached by more than a share of it (5%) and by
 * more than a number of tokens (2,000). Undefined where it is none.
 */
export function judgeReading(
  { expectedTokens, readTokens }: { readonly expectedTokens: number; readonly readTokens: number },
  limits: Pick<Settings, "cacheBreakShare" | "cacheBreakTokens"> = defaultSettings,
): Loss | undefined {
  const lostTokens = expectedTokens - readTokens;
  const isBreak =
    lostTokens > limits.cacheBreakTokens && lostTokens > expectedTokens * limits.cacheBreakShare;
  return isBreak ? { lostTokens, lostShare: lostTokens / expectedTokens } : undefined;
}

const MILLION = 1_000_000;

/**
 * What a loss cost, in dollars: lost tokens were written again, or paid as plain input where they were not;
 * those that the prompt no longer holds cost nothing.
 */
export function costOfLoss(
  lostTokens: number,
  { figures, prices, ttl }: { readonly figures: CacheFigures; readonly prices: Prices; readonly ttl: Ttl },
): number {
  const { written, input, writtenForAnHour = ttl === "1h" ? written : 0 } = figures;
  const rewritten = Math.min(lostTokens, written);
  const plain = Math.min(lostTokens - rewritten, input);
  const hourShare = written === 0 ? 0 : writtenForAnHour / written;
  const writePrice = prices.cacheWrite1h * hourShare + prices.cacheWrite5m * (1 - hourShare);
  return (
    (rewritten * Math.max(0, writePrice - prices.cacheRead) +
      plain * Math.max(0, prices.input - prices.cacheRead)) /
    MILLION
  );
}
