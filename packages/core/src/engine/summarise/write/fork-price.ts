import { findModel } from "../../../models/table.js";
import { pricesAt } from "../../money/cost-rule.js";
import { isLiveWrite } from "../../prompt/cache-writes.js";
import type { CompactRun } from "../run/compact-run.js";
import { estimatedTokens } from "../run/new-size.js";
import { preprocess } from "./preprocess.js";

/** Tokens of a model's summary, quotes aside: the middle of what recorded ones have. */
export const USUAL_SUMMARY_TOKENS = 3500;

/** In dollars. */
export interface SummaryPrices {
  /** On the conversation's system prompt and tools, which are read, with all messages paid as input. */
  readonly fork: number;
  /** With a short system prompt, without tools, thinking and pictures, by `compactModel` where there is one. */
  readonly apart: number;
}

/**
 * What a summary costs where the caller's format keeps it from reading the conversation's messages from the cache;
 * undefined where a price is not known.
 */
export function pricesWithoutSharing({ input, ports, division }: CompactRun): SummaryPrices | undefined {
  const { estimator, settings, clock } = ports;
  const { params, size, live, model } = input;
  const [forked, asked] = [findModel(model), findModel(settings.compactModel ?? model)];
  if (forked === undefined || asked === undefined || params === undefined) return undefined;
  const isWarm = params.writes.some((write) => isLiveWrite(write, clock.now()));
  const sent = estimatedTokens(division.variant === "up_to" ? division.summarised : live, estimator);
  const bare = estimatedTokens(preprocess(division.summarised), estimator);
  const [own, other] = [pricesAt(forked, size.overhead + sent), pricesAt(asked, bare)];
  const head = size.overhead * (isWarm ? own.cacheRead : own.input);
  return {
    fork: (head + sent * own.input + USUAL_SUMMARY_TOKENS * own.output) / 1_000_000,
    apart: (bare * other.input + USUAL_SUMMARY_TOKENS * other.output) / 1_000_000,
  };
}
