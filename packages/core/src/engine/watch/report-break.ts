import { trackedAs } from "../../messages/call/query-source.js";
import type { Prices } from "../../models/model.js";
import type { Settings } from "../settings/settings.js";
import type { BreakReason } from "../events/break-reason.js";
import type { CacheBreak } from "../events/cache-break.js";
import { agreesWith, readDiagnosis } from "./diagnosis.js";
import { costOfLoss, judgeReading, type CacheFigures, type Loss } from "./judge-reading.js";
import { ttlsOf, unchangedCauses } from "./unchanged-causes.js";
import type { WatchedAnswer } from "./watched-call.js";
import type { Baseline, PendingCall, Source } from "./watched-sources.js";

/** Deleted tokens are an estimate, which may be too low by half. */
const ESTIMATE_ALLOWANCE = 1.5;

export interface JudgedLoss extends Loss {
  /** What was to be read, deletions taken off. */
  readonly expectedTokens: number;
}

/**
 * What a reading says: all is there, less is there and a deletion explains it, or the loss. What stands after
 * a deletion in the messages is written again, so any lower reading is explained; where the provider deletes
 * and keeps its prefix, only what was deleted.
 */
export function judgeAnswer(
  base: Baseline,
  figures: CacheFigures,
  {
    notices,
    settings,
  }: Pick<Source, "notices"> & {
    readonly settings: Pick<Settings, "cacheBreakShare" | "cacheBreakTokens">;
  },
): "complete" | "explained" | JudgedLoss {
  const judge = (expectedTokens: number) =>
    judgeReading({ expectedTokens, readTokens: figures.read }, settings);
  const loss = judge(base.leftTokens);
  if (loss === undefined) return "complete";
  if (notices.some(({ keepsPrefix }) => !keepsPrefix)) return "explained";
  const deleted = notices.reduce((sum, { deletedTokens }) => sum + deletedTokens, 0);
  if (judge(base.leftTokens - deleted * ESTIMATE_ALLOWANCE) === undefined) return "explained";
  const expectedTokens = base.leftTokens - deleted;
  const lostTokens = expectedTokens - figures.read;
  return { expectedTokens, lostTokens, lostShare: lostTokens / expectedTokens };
}

export interface BreakParts {
  readonly answer: WatchedAnswer;
  readonly pending: PendingCall;
  readonly base: Baseline;
  readonly figures: CacheFigures;
  readonly loss: JudgedLoss;
  readonly pricesOf: (model: string, promptTokens: number) => Prices | undefined;
}

/** Puts together all that there is to say of a break. */
export function reportBreak(parts: BreakParts): CacheBreak {
  const { answer, pending, base, figures, loss, pricesOf } = parts;
  const { sent } = pending;
  const model = servedModel(answer) ?? sent.model;
  const gapMs = Math.max(0, sent.at - base.usedAt);
  const changes = withServedModel(parts);
  const reasons = changes.length > 0 ? changes : unchangedCauses(base.sent, sent, gapMs);
  const prices = pricesOf(model, figures.read + figures.written + figures.input);
  const ttl = ttlsOf(sent).has("1h") ? "1h" : "5m";
  // Null is an answer only to those who asked.
  const isAnswered = answer.diagnosis !== null || sent.asksDiagnosis;
  const diagnosis = isAnswered ? readDiagnosis(answer.diagnosis) : undefined;
  const agrees = diagnosis === undefined ? undefined : agreesWith(diagnosis, reasons);
  return {
    source: trackedAs(answer.source),
    ...(answer.callId === undefined ? {} : { callId: answer.callId }),
    at: answer.at,
    model,
    expectedTokens: loss.expectedTokens,
    readTokens: figures.read,
    lostTokens: loss.lostTokens,
    lostShare: loss.lostShare,
    cost: prices === undefined ? null : costOfLoss(loss.lostTokens, { figures, prices, ttl }),
    reasons,
    gapMs,
    ...(diagnosis === undefined ? {} : { diagnosis }),
    ...(agrees === undefined ? {} : { agrees }),
  };
}

/** A server may let another model answer than the one that was asked: that is a change like any other. */
function withServedModel({ answer, pending, base }: BreakParts): readonly BreakReason[] {
  const { changes } = pending;
  const from = base.servedModel;
  const to = servedModel(answer);
  const isOther = from !== undefined && to !== undefined && from !== to;
  if (!isOther || changes.some(({ kind }) => kind === "model-changed")) return changes;
  return [{ kind: "model-changed", from, to }, ...changes];
}

/** The model that answered, where the answer says so. */
export const servedModel = ({ model }: WatchedAnswer): string | undefined =>
  typeof model === "string" ? model : undefined;
