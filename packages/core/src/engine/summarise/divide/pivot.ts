import type { Message } from "../../../messages/message.js";
import { isCompactBoundary } from "../../../messages/predicates.js";
import type { Estimator } from "../../ports/estimator.js";
import type { CompactInput } from "../run/compact-run.js";
import { keptUnanswered, unansweredLimits, type UnansweredLimits } from "./keep-unanswered.js";
import { beforeLateAnswer, cutAtOrBefore, groupByRound, hasContent } from "./rounds.js";
import type { CompactionScope, Division } from "../run/division.js";

/**
 * Where the list is cut. A cut never parts a call from its result or a response from its pieces: a pivot inside
 * a round moves to the round's beginning. Undefined where nothing would be summarised. With `limits`, a full compaction
 * keeps what nobody has answered yet as long as it is within them, however much that is.
 */
export function divide(
  live: readonly Message[],
  scope: CompactionScope,
  estimator: Estimator,
  limits?: UnansweredLimits,
): Division | undefined {
  const division =
    scope.kind === "full" ? divideAll(live, scope, { estimator, limits }) : divideAt(live, scope);
  if (division === undefined || !hasContent(division.summarised)) return undefined;
  // There is one boundary in a conversation: the next takes the place of the last, wherever that stands.
  return { ...division, kept: division.kept.filter((message) => !isCompactBoundary(message)) };
}

/** Why `divide` leaves nothing to be summarised. */
export const whyUndivided = (
  live: readonly Message[],
  scope: CompactionScope,
): "unknown_pivot" | "not_enough_messages" =>
  scope.kind === "full" || live.length === 0 || live.some(({ uuid }) => uuid === scope.pivot)
    ? "not_enough_messages"
    : "unknown_pivot";

function divideAt(
  live: readonly Message[],
  { kind, pivot }: Exclude<CompactionScope, { kind: "full" }>,
): Division | undefined {
  const named = live.findIndex(({ uuid }) => uuid === pivot);
  if (named === -1) return undefined;
  const at = cutAtOrBefore(live, named);
  const before = live.slice(0, at);
  const behind = live.slice(at);
  return kind === "from"
    ? { variant: "from", summarised: behind, kept: before }
    : { variant: "up_to", summarised: before, kept: behind };
}

function divideAll(
  live: readonly Message[],
  { keepRecentTokens, keepLastTokens = 0 }: Extract<CompactionScope, { kind: "full" }>,
  { estimator, limits }: { readonly estimator: Estimator; readonly limits: UnansweredLimits | undefined },
): Division | undefined {
  const unanswered = limits && keptUnanswered(live, limits, estimator);
  if (unanswered === "nothing") return undefined;
  const groups = groupByRound(live);
  let tokens = 0;
  let first = groups.length;
  // The first group is never kept: it holds the last summary or the first request.
  for (let at = groups.length - 1; at > 0; at -= 1) {
    tokens += (groups[at] ?? []).reduce((sum, message) => sum + estimator.message(message), 0);
    const isLast = at === groups.length - 1 && keepRecentTokens > 0;
    if (tokens > (isLast ? Math.max(keepRecentTokens, keepLastTokens) : keepRecentTokens)) break;
    first = at;
  }
  const byRounds = groups.slice(0, first).flat().length;
  const at = beforeLateAnswer(live, Math.min(byRounds, unanswered ?? byRounds));
  const summarised = live.slice(0, at);
  const kept = live.slice(at);
  if (kept.length === 0 || !hasContent(summarised)) return { variant: "full", summarised: live, kept: [] };
  return { variant: "up_to", summarised, kept };
}

/** The division of a compaction. */
export const divideFor = (
  { live, scope, size }: Pick<CompactInput, "live" | "scope" | "size">,
  { estimator }: { readonly estimator: Estimator },
): Division | undefined => divide(live, scope, estimator, unansweredLimits(size, estimator));
