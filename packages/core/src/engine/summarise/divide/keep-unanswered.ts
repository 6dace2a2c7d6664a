import type { Message } from "../../../messages/message.js";
import { isPinnedCopy } from "../../../messages/pinned.js";
import type { Estimator } from "../../ports/estimator.js";
import { unpadded } from "../../measure/unpadded.js";
import { isResponse, isSummary, unansweredFrom, unansweredIn } from "../../oversize/unanswered.js";
import { leastSummaryTokens } from "../../oversize/least-summary.js";
import { humanTextsOf } from "../people/human-texts.js";
import type { CompactRun } from "../run/compact-run.js";
import { estimatedTokens, sizeLimit, type SizeFacts } from "../run/new-size.js";

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
    (message) =>
      !isPinnedCopy(message) && (isResponse(message) || (message.type === "user" && !isSummary(message))),
  );
  const isWorthIt = isNew && (others > summary || waiting <= all * LARGE_SHARE);
  return isWorthIt ? start : "nothing";
}

const unansweredTokens = ({ ports, division }: CompactRun): number =>
  estimatedTokens(unansweredIn(division.kept), ports.estimator);

/** Whether what nobody has answered yet takes so much of the window that the rest has to be brief. */
function isBrief(run: CompactRun): boolean {
  const { hardAt, autoCompactAt, overhead } = run.input.size;
  if (hardAt === undefined || run.division.variant === "from") return false;
  const { estimator } = run.ports;
  const unanswered = unansweredTokens(run);
  return (
    estimator.pad(unanswered) > (Math.min(hardAt, autoCompactAt) - overhead) * LARGE_SHARE ||
    (unanswered > 0 && estimator.pad(unanswered + leastSummaryTokens(hardAt)) >= autoCompactAt - overhead)
  );
}

/**
 * The tokens that the new context may hold besides system prompt and tools, padded. Where what nobody has answered yet
 * is too large for the usual bar beside what people have said before, it is taken relative to what can be saved:
 * everything else becomes smaller, and the next request fits.
 */
export function contextLimit(run: CompactRun): number {
  const { input, ports, division } = run;
  const { size, trigger } = input;
  const { estimator, settings } = ports;
  const leastSaving = settings.compactLeastSaving;
  const usual = sizeLimit(size, { trigger, leastSaving });
  const { hardAt = 0, overhead } = size;
  if (!isBrief(run)) return usual;
  const least = leastSummaryTokens(hardAt) + wordsTokens(run);
  if (estimator.pad(unansweredTokens(run) + least) <= usual) return usual;
  const pinned = estimatedTokens(division.pinned ?? [], estimator);
  const kept = estimatedTokens(division.kept, estimator) + pinned;
  const summarised = estimatedTokens(division.summarised, estimator) - pinned;
  const saved = Math.floor(summarised * (1 - leastSaving));
  return Math.max(usual, Math.min(hardAt - 1 - overhead, estimator.pad(kept + saved)));
}

/** What people's words need in a summary, as far as the settings let them have it. */
function wordsTokens(run: CompactRun): number {
  let tokens = wordsOf.get(run.division);
  if (tokens === undefined) {
    const { estimator, settings } = run.ports;
    const { compactUserTokens, compactUserMessageTokens } = settings;
    const all = humanTextsOf(run.input.live).reduce(
      (sum, { text }) => sum + Math.min(compactUserMessageTokens, estimator.block(text)),
      0,
    );
    wordsOf.set(run.division, (tokens = Math.min(compactUserTokens, all)));
  }
  return tokens;
}

const wordsOf = new WeakMap<CompactRun["division"], number>();

/** What stands in a summary's message beside its texts. */
const FRAME_TOKENS = 500;

/** Tokens that the new context has for all but what is kept. */
export function roomBesideKept(run: CompactRun): number {
  const { estimator } = run.ports;
  const { kept: newest, pinned = [] } = run.division;
  const kept = estimator.pad(estimatedTokens([...pinned, ...newest], estimator));
  const room = Math.max(0, contextLimit(run) - kept);
  return isBrief(run) ? Math.max(0, unpadded(room, estimator) - FRAME_TOKENS) : room;
}

/** What of the room that is left may be filled again with state: beside a large newest message some has to stay free. */
export const roomForState = (run: CompactRun, room: number): number =>
  isBrief(run) ? Math.floor(room / 2) : room;

const LIST_SHARE = 0.08;

/** Tokens of each list of the work record, where it has to be brief. */
export const roomForList = (run: CompactRun): number =>
  isBrief(run) ? Math.floor(roomBesideKept(run) * LIST_SHARE) : Infinity;
