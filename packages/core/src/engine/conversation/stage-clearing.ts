import type { ClearPlan } from "../clear/decision.js";
import { planLocalClearing, planResult } from "../clear/local-clearing.js";
import { clearContextOf, dueAt } from "./facts.js";
import type { Moment, Stage } from "./stages.js";

/** Asks a stage of the host's: what it names is to be cleared, as far as that is there and would shrink. */
export async function planForStage(running: Moment, stage: Stage): Promise<ClearPlan | undefined> {
  const { context } = running.state;
  const wanted = await stage.perform({
    live: context.live,
    tokens: context.size.tokens,
    compactAt: dueAt(running),
    now: running.setup.clock.now(),
  });
  const ids = new Set(wanted?.clear ?? []);
  if (ids.size === 0) return undefined;
  const clearContext = { ...clearContextOf(running), target: {} };
  const chosen = context.index.clearable(0).flatMap((result) => {
    const planned = ids.has(result.id) ? planResult(result, clearContext) : undefined;
    return planned === undefined ? [] : [{ result, planned }];
  });
  if (chosen.length === 0) return undefined;
  return planLocalClearing("size-based", chosen, clearContext);
}
