import { blockedReason, refuse, type ClearContext, type ClearDecision } from "./decision.js";
import { planLocalClearing, planResult } from "./local-clearing.js";

export interface TimeBasedContext extends ClearContext {
  /** Milliseconds since the epoch. */
  readonly now: number;
  readonly isMainThread: boolean;
  /** Deletions inside the provider's cache went stale (`noteCacheReport`): as good as the pause. */
  readonly isCacheExpired?: boolean;
}

const MINUTE = 60_000;

/**
 * After a long pause the prompt cache has expired and changing old messages costs nothing: all results but the
 * newest go. Below the pause this costs nothing to ask.
 */
export function decideTimeBased(context: TimeBasedContext): ClearDecision {
  const { index, settings, now } = context;
  const blocked = blockedReason(context);
  if (blocked !== undefined) return refuse("time-based", blocked);
  if (!context.isMainThread) return refuse("time-based", "not-main-thread");
  const idleFor = index.lastResponseAt === undefined ? 0 : now - index.lastResponseAt;
  if (context.isCacheExpired !== true && idleFor <= settings.clearIdleMinutes * MINUTE) {
    return refuse("time-based", "not-idle");
  }
  const chosen = index.clearable(context.target?.keep ?? settings.clearIdleKeep).flatMap((result) => {
    const planned = planResult(result, context);
    return planned === undefined ? [] : [{ result, planned }];
  });
  if (chosen.length === 0) return refuse("time-based", "nothing-to-clear");
  return planLocalClearing("time-based", chosen, context);
}
