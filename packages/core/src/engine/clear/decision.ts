import type { Model } from "../../models/model.js";
import type { ClearVariant } from "../events/engine-events.js";
import type { Settings } from "../settings/settings.js";
import type { RecallHint } from "../boundaries/cleared-result.js";
import type { CostFacts } from "../money/cost-rule.js";
import type { CostVerdict } from "../events/cost-verdict.js";
import type { Estimator } from "../ports/estimator.js";
import type { ResultIndex } from "./result-index.js";

/** Why nothing is cleared. */
export type KeepReason =
  /** Tier 1 is switched off. */
  | "disabled"
  /** A call of the newest response still lacks its result. */
  | "calls-pending"
  /** Only the main thread clears by time. */
  | "not-main-thread"
  /** There was no response yet, or the last one is not old enough. */
  | "not-idle"
  /** Too few results, or too few tokens of them. */
  | "below-trigger"
  /** Everything that might go is among the newest, or would not shrink. */
  | "nothing-to-clear"
  /** It would free less than it has to. */
  | "saves-too-little"
  /** Rewriting what stands after costs more than the clearing saves. */
  | "does-not-pay"
  /** The provider or the model has no such thing. */
  | "not-supported";

/** What a caller may ask for by itself; whoever does is recorded as `manual`. */
export interface ClearTarget {
  /** Newest results that stay. */
  readonly keep?: number;
  /** Tokens of results that may be left (size-based). */
  readonly tokens?: number;
  /** Tokens that have to be freed for it to be worth it (size-based). Default 1. */
  readonly atLeast?: number;
}

/** What every variant decides by. */
export interface ClearContext {
  readonly index: ResultIndex;
  readonly estimator: Estimator;
  readonly settings: Settings;
  /** Undefined for one that is not in the table: it is taken for one that binds thinking, which is safe. */
  readonly model: Model | undefined;
  /** Prices and the state of the cache, where they are known: without them nothing is weighed. */
  readonly cost?: CostFacts | undefined;
  readonly recallHint?: RecallHint | undefined;
  readonly target?: ClearTarget | undefined;
  /**
   * What this variant decided the last time. A refusal for want of gain stands until the results have grown by
   * a twentieth, so that asking again each round costs nothing.
   */
  readonly previous?: ClearDecision | undefined;
}

export interface PlannedResult {
  readonly id: string;
  readonly toolName: string;
  readonly tokensBefore: number;
  readonly tokensAfter: number;
  /** What its content becomes. */
  readonly text: string;
}

/** What would be cleared, and what that does to the size and the bill. */
export interface ClearPlan {
  readonly kind: "clear";
  readonly variant: ClearVariant;
  readonly trigger: "auto" | "manual";
  /** In the order of their calls. */
  readonly results: readonly PlannedResult[];
  /** Tokens of all messages, by the estimator. */
  readonly tokensBefore: number;
  readonly tokensAfter: number;
  /** Thinking that goes too, because its model binds it to what stands before. */
  readonly thinking?: { readonly tokens: number; readonly afterMessage: string };
  /** Files that the model no longer sees. */
  readonly filesLost: readonly string[];
  readonly cost?: CostVerdict;
}

export interface ClearRefusal {
  readonly kind: "keep";
  readonly variant: ClearVariant;
  readonly reason: KeepReason;
  /** Where it was the price that decided. */
  readonly cost?: CostVerdict;
  /** Tokens of results below which it need not be asked again. */
  readonly standsBelow?: number;
}

export type ClearDecision = ClearPlan | ClearRefusal;

export const refuse = (variant: ClearVariant, reason: KeepReason, cost?: CostVerdict): ClearRefusal => ({
  kind: "keep",
  variant,
  reason,
  ...(cost === undefined ? {} : { cost }),
});

const RECHECK_GROWTH = 1.05;

/** A refusal for want of gain, which stands for a while. */
export const refuseForNow = (
  context: Pick<ClearContext, "index">,
  variant: ClearVariant,
  reason: KeepReason,
  cost?: CostVerdict,
): ClearRefusal => ({
  ...refuse(variant, reason, cost),
  standsBelow: context.index.activeTokens * RECHECK_GROWTH,
});

/** The refusal of the last time, where it still stands: nothing much came since, and the cache is as it was. */
export function standingRefusal({ index, previous, cost, target }: ClearContext): ClearRefusal | undefined {
  if (previous?.kind !== "keep" || previous.standsBelow === undefined || target !== undefined)
    return undefined;
  const isSameCache = previous.cost?.cache === undefined || previous.cost.cache === cost?.cache.state;
  return isSameCache && index.activeTokens < previous.standsBelow ? previous : undefined;
}

/** What keeps every variant from clearing. */
export function blockedReason({ index, settings }: ClearContext): KeepReason | undefined {
  if (settings.disableCompact || settings.disableClearing) return "disabled";
  return index.hasOpenCalls ? "calls-pending" : undefined;
}

/** Whom a plan goes back to. */
export const triggerOf = ({ target }: ClearContext): "auto" | "manual" =>
  target === undefined ? "auto" : "manual";
