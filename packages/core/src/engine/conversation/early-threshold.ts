import type { CostFacts } from "../money/cost-rule.js";
import type { Thresholds } from "../measure/thresholds.js";
import type { Settings } from "../settings/settings.js";

/** How far a conversation has come since it was last compacted, or since its start. */
export interface Stretch {
  /** Tokens after the compaction that began it; undefined where there was none. */
  readonly startTokens: number | undefined;
  /** Responses in it. */
  readonly responses: number;
  /** Calls that were made again, with the same answer, because a compaction had taken it: here and in the stretch before. */
  readonly redone: number;
  /** Tokens that clearings took from it. */
  readonly cleared: number;
}

export interface EarlyFacts {
  readonly thresholds: Thresholds;
  readonly settings: Pick<
    Settings,
    | "compactEarly"
    | "compactEarlyShare"
    | "compactEarlyLeast"
    | "compactEarlyPatience"
    | "compactEarlyRedone"
    | "compactEarlyAfter"
    | "keepRecentTokens"
  >;
  readonly cost: CostFacts | undefined;
  /** The context as the last response reported it. Estimates differ in a resumed conversation, and it must decide alike. */
  readonly tokens: number;
  /** System prompt and tools in it. */
  readonly overhead: number;
  readonly stretch: Stretch;
}

/** What a summary is expected to cost in tokens of output, and with what comes back in tokens of context. */
const SUMMARY_TOKENS = 3000;
const BEHIND_SUMMARY_TOKENS = 20_000;
/** Growth of a round until enough rounds were seen. */
const USUAL_GROWTH = 2000;
const LEAST_GROWTH = 200;
const TURNS_TO_BELIEVE = 5;
/**
 * What was forgotten and fetched again shows that it was compacted too early. One or two may be chance, and cost less
 * than a larger context; more than these say no more.
 */
const FREE_REDONE = 2;
const MOST_REDONE = 4;

/** How many redone calls say that too much is forgotten here; 0 where it may be chance. */
const redoneBeyondChance = ({ redone }: Stretch): number =>
  Math.min(MOST_REDONE, Math.max(0, redone - FREE_REDONE));

/**
 * Tokens of the newest rounds that a compaction keeps word for word: those of the setting, and where calls were redone up
 * to `keepRedoneTokens`, because most of what is needed again is young.
 */
export const keptTokens = (
  { keepRecentTokens, keepRedoneTokens }: Pick<Settings, "keepRecentTokens" | "keepRedoneTokens">,
  stretch: Stretch,
): number => Math.max(keepRecentTokens, (keepRedoneTokens * redoneBeyondChance(stretch)) / MOST_REDONE);

/**
 * From where on compacting costs less than carrying the context on. Between two compactions a context grows from
 * L to H by g in a round, and a round reads all of it: per round `r·(L + H)/2 + F·g/(H − L)` with r the price of a
 * read and F that of a compaction. That is least at `H = L + √(2·F·g/r)`. With a cold cache everything is written
 * anew in any case, so that F is small. Never above the window's own threshold, and never below a share of it and
 * a number of tokens: what is summarised is no longer there word for word, and what people said needs its room.
 */
export function earlyThreshold(facts: EarlyFacts): number {
  const { settings, cost, tokens, stretch } = facts;
  const { autoCompactAt } = facts.thresholds;
  const overhead = rounded(facts.overhead);
  if (
    !settings.compactEarly ||
    cost === undefined ||
    // What fills a context at once was just read, and is what is worked with next. A cold cache forgets it anyway.
    (cost.cache.state === "warm" && stretch.responses < settings.compactEarlyAfter)
  )
    return autoCompactAt;
  const least = Math.max(
    overhead + (autoCompactAt - overhead) * settings.compactEarlyShare,
    settings.compactEarlyLeast,
  );
  const after = stretch.startTokens ?? overhead + settings.keepRecentTokens + BEHIND_SUMMARY_TOKENS;
  const growth = growthOf(facts);
  const { read, compaction } = pricesOf(cost, { tokens, after, overhead });
  const patience =
    settings.compactEarlyPatience * (1 + settings.compactEarlyRedone * redoneBeyondChance(stretch));
  const best = after + patience * Math.sqrt((2 * Math.max(0, compaction) * growth) / read);
  // What is read for nothing is carried on for nothing.
  return Number.isFinite(best) ? Math.min(autoCompactAt, Math.max(least, rounded(best))) : autoCompactAt;
}

const ROUND = 1000;
const rounded = (tokens: number): number => Math.round(tokens / ROUND) * ROUND;

/** Where less is there than at its start, nothing is known of the growth. */
function growthOf({
  tokens,
  overhead,
  stretch: { startTokens = overhead, responses, cleared },
}: EarlyFacts): number {
  const grown = tokens + cleared - startTokens;
  return responses < TURNS_TO_BELIEVE || grown < 0 ? USUAL_GROWTH : Math.max(LEAST_GROWTH, grown / responses);
}

interface Sizes {
  readonly tokens: number;
  readonly after: number;
  readonly overhead: number;
}

/** Dollars per million: reading a token, and a compaction more than none. */
function pricesOf(
  { prices, cache }: CostFacts,
  { tokens, after, overhead }: Sizes,
): { readonly read: number; readonly compaction: number } {
  const write = cache.ttl === "1h" ? prices.cacheWrite1h : prices.cacheWrite5m;
  const summary = prices.output * SUMMARY_TOKENS;
  switch (cache.state) {
    case "warm": {
      const rewritten = Math.max(0, after - overhead) * (write - prices.cacheRead);
      return { read: prices.cacheRead, compaction: prices.cacheRead * tokens + summary + rewritten };
    }
    case "cold":
      return {
        read: prices.cacheRead,
        compaction: prices.input * tokens + summary - write * (tokens - after),
      };
    case "off":
      return { read: prices.input, compaction: prices.input * tokens + summary };
  }
}
