import type { Message } from "../../messages/message.js";
import type { Estimator } from "../measure/estimator.js";
import { unpadded } from "../measure/unpadded.js";
import { isResponse, isSummary, unansweredFrom, unansweredIn } from "../oversize/unanswered.js";
import { leastSummaryTokens } from "../oversize/least-summary.js";
import type { CompactRun } from "./compact-run.js";
import { estimatedTokens, sizeLimit, type SizeFacts } from "./new-size.js";

/** What the window has for messages, in estimated tokens. */
export interface UnansweredLimits {
  /** All messages may have, before a request must fail. */
  readonly all: number;
  /** The shortest useful summary. */
  readonly summary: number;
}

/** Undefined where nobody says where requests begin to fail: then the newest messages have no privilege. */
export function unansweredLimits(
  { overhead, hardAt }: SizeFacts,
  estimator: Estimator,
): UnansweredLimits | undefined {
  if (hardAt === undefined) return undefined;
  const all = unpadded(Math.max(0, hardAt - 1 - overhead), estimator);
  return { all, summary: leastSummaryTokens(hardAt) };
}

const LARGE_SHARE = 0.25;

/**
 * Where the messages begin that nobody has answered yet and that have to stay; undefined where there are none, or they
 * do not fit. `"nothing"` where a compaction that keeps them would have nothing to gain.
 */
export function keptUnanswered(
  live: readonly Message[],
  { all, summary }: UnansweredLimits,
  estimator: Estimator,
): number | "nothing" | undefined {
  const start = unansweredFrom(live);
  if (start === live.length) return undefined;
  const before = live.slice(0, start);
  const waiting = estimatedTokens(live.slice(start), estimator);
  const others = estimatedTokens(before, estimator);
  if (waiting + Math.min(summary, others) > all) return undefined;
  if (waiting + others > all) return start;
  // The next request fits as it is: no summary is summarised again, and none is longer than what it is of.
  const isNew = before.some(
    (message) => isResponse(message) || (message.type === "user" && !isSummary(message)),
  );
  const isWorthIt = isNew && (others > summary || waiting <= all * LARGE_SHARE);
  return isWorthIt ? start : "nothing";
}

/**
 * The tokens that the new context may hold besides system prompt and tools, padded. Where what nobody has answered yet
 * is too large for the usual bar, it is taken relative to what can be saved: everything else becomes smaller, and the
 * next request fits.
 */
export function contextLimit({ input, ports, division }: CompactRun): number {
  const { size, trigger } = input;
  const { estimator, settings } = ports;
  const leastSaving = settings.compactLeastSaving;
  const usual = sizeLimit(size, { trigger, leastSaving });
  const { hardAt, overhead } = size;
  if (hardAt === undefined || division.variant === "from") return usual;
  const unanswered = estimatedTokens(unansweredIn(division.kept), estimator);
  if (unanswered === 0 || estimator.pad(unanswered + leastSummaryTokens(hardAt)) <= usual) return usual;
  const kept = estimatedTokens(division.kept, estimator);
  const saved = Math.floor(estimatedTokens(division.summarised, estimator) * (1 - leastSaving));
  return Math.max(usual, Math.min(hardAt - 1 - overhead, estimator.pad(kept + saved)));
}

/** What stands in a summary's message beside its texts. */
const FRAME_TOKENS = 500;

/** Whether what nobody has answered yet takes so much of the new context that the rest has to be brief. */
function isBrief({ ports: { estimator }, division }: CompactRun, limit: number): boolean {
  if (division.variant === "from") return false;
  const unanswered = estimatedTokens(unansweredIn(division.kept), estimator);
  return estimator.pad(unanswered) > limit * LARGE_SHARE;
}

/** Tokens that the new context has for all but what is kept. */
export function roomBesideKept(run: CompactRun): number {
  const { estimator } = run.ports;
  const limit = contextLimit(run);
  const room = Math.max(0, limit - estimator.pad(estimatedTokens(run.division.kept, estimator)));
  return isBrief(run, limit) ? Math.max(0, unpadded(room, estimator) - FRAME_TOKENS) : room;
}

/** What of the room that is left may be filled again with state: beside a large newest message some has to stay free. */
export const roomForState = (run: CompactRun, room: number): number =>
  isBrief(run, contextLimit(run)) ? Math.floor(room / 2) : room;
