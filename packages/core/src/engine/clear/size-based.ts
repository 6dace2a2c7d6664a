import {
  blockedReason,
  refuse,
  refuseForNow,
  standingRefusal,
  type ClearContext,
  type ClearDecision,
} from "./decision.js";
import { planLocalClearing, planResult, type ChosenResult } from "./local-clearing.js";

export interface SizeBasedContext extends ClearContext {
  /**
   * The context is at its limit: what comes otherwise is a summary of everything, so the price is told but
   * does not decide. A target of the caller's has the same effect.
   */
  readonly isPressed?: boolean;
}

/**
 * Oldest first, and before those what was read again later, down to the low watermark, so that the next
 * clearing is many rounds away; nothing at all where that frees too little. While the results lie below the
 * watermark this costs nothing to ask, and above it hardly anything where the last decision is handed in.
 */
export function decideSizeBased(context: SizeBasedContext): ClearDecision {
  const { index, settings, target } = context;
  const blocked = blockedReason(context);
  if (blocked !== undefined) return refuse("size-based", blocked);
  const limit = target?.tokens ?? settings.clearSizeTarget;
  if (index.activeTokens <= limit) return refuse("size-based", "below-trigger");
  const standing = context.isPressed === true ? undefined : standingRefusal(context);
  if (standing !== undefined) return standing;
  const chosen = chooseResults(context, { limit, keep: target?.keep ?? settings.clearSizeKeep });
  if (chosen.length === 0) return refuseForNow(context, "size-based", "nothing-to-clear");
  const plan = planLocalClearing("size-based", chosen, context);
  const freed = plan.results.reduce((sum, result) => sum + result.tokensBefore - result.tokensAfter, 0);
  const atLeast = target === undefined ? settings.clearSizeAtLeast : (target.atLeast ?? 1);
  if (freed < atLeast) return refuseForNow(context, "size-based", "saves-too-little", plan.cost);
  const priceDecides = target === undefined && context.isPressed !== true;
  if (priceDecides && plan.cost?.pays === false) {
    return refuseForNow(context, "size-based", "does-not-pay", plan.cost);
  }
  return plan;
}

function chooseResults(
  context: SizeBasedContext,
  { limit, keep }: { readonly limit: number; readonly keep: number },
): readonly ChosenResult[] {
  const clearable = context.index.clearable(keep);
  const inTurn = [
    ...clearable.filter((result) => result.isDuplicate),
    ...clearable.filter((result) => !result.isDuplicate),
  ];
  const chosen: ChosenResult[] = [];
  let left = context.index.activeTokens;
  for (const result of inTurn) {
    if (left <= limit) break;
    const planned = planResult(result, context);
    if (planned === undefined) continue;
    chosen.push({ result, planned });
    left -= result.tokens;
  }
  return chosen;
}
