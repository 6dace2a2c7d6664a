import {
  accountOf,
  accountTotal,
  type BilledCall,
  type EngineEvents,
  type EngineStep,
} from "@palimpsest/core";
import type { CompactionProgress } from "../../agent/session/compaction-progress.js";
import { formatNumber, plural } from "../terminal.js";

/** What calls have cost, for a sentence; undefined where there were none, or nobody knows. */
function priceOf(calls: readonly BilledCall[]): string | undefined {
  const { dollars, unpricedCalls } = accountTotal(accountOf(calls));
  return calls.length === unpricedCalls ? undefined : `$${dollars.toFixed(4)}`;
}

/** A step in one line: what was done, and for a compaction who wrote the summary, at what price, and who failed before. */
export function stepSentence({ text, compacted }: EngineStep): string {
  if (compacted === undefined) return text;
  const { writer, calls, failedAttempts } = compacted;
  const price = priceOf(calls);
  return [
    text,
    `summary: ${writer}`,
    ...(price === undefined ? [] : [price]),
    ...failedAttempts.map((failed) => `${failed.writer} failed (${failed.reason})`),
  ].join(" · ");
}

/** What is told to the person beside the line of a compaction: what hooks added and did not fit. */
export const compactionRemarks = ({ compacted }: EngineStep): readonly string[] =>
  (compacted?.messageForPerson ?? "").split("\n").slice(1);

/** What a compaction is at. */
export function progressSentence(progress: CompactionProgress): string {
  const { text, milliseconds, contextTokens, summaryTokens, isSignOfLife } = progress;
  if (!isSignOfLife) return `compacting the conversation (${formatNumber(contextTokens)} tokens)`;
  const written = summaryTokens === 0 ? "" : `, about ${formatNumber(summaryTokens)} tokens of the summary`;
  return `still compacting (${text.replace(/…$/, "")}): ${Math.round(milliseconds / 1000)} s${written}`;
}

/**
 * A compaction that came to nothing. Undefined where there is nothing to say: the person called it off, or notes were no
 * good for one and it goes on without them.
 */
export function failureSentence(failed: EngineEvents["compact_failed"]): string | undefined {
  const { reason, message, calls, failedAttempts } = failed;
  if (calls.length > 0) {
    const price = priceOf(calls);
    return `a compaction came to nothing (${reason}) after ${plural(calls.length, "call")} to a model${price === undefined ? "" : `, ${price}`}`;
  }
  if (reason === "aborted" || failedAttempts.some(({ writer }) => writer === "notes")) return undefined;
  return `a compaction came to nothing: ${message}`;
}

const spanOf = (milliseconds: number): string =>
  milliseconds < 60_000
    ? plural(Math.ceil(milliseconds / 1000), "second")
    : plural(Math.round(milliseconds / 60_000), "minute");

export const breakerSentence = ({
  failuresInARow,
  reason,
  cooldownMs,
}: EngineEvents["breaker_tripped"]): string =>
  `automatic compaction stops for ${spanOf(cooldownMs)}, after ${plural(failuresInARow, "failure")} in a row (${reason})`;

export const closedSentence = ({ failuresInARow }: EngineEvents["breaker_closed"]): string =>
  `automatic compaction works again, after ${plural(failuresInARow, "failure")} in a row`;

export const earlySentence = ({ roundsSinceLast, threshold }: EngineEvents["recompacted_early"]): string =>
  `compacted again after ${plural(roundsSinceLast, "answer")}: what a compaction leaves is close to the threshold of ${formatNumber(threshold)} tokens`;

export const nativeSentence = ({ toolUseIds, tokensBefore, tokensAfter }: EngineEvents["clearing"]): string =>
  `${plural(toolUseIds.length, "old tool result")} cleared by the API · ${formatNumber(tokensBefore)} → ${formatNumber(tokensAfter)} tokens`;
