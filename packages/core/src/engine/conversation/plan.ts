import type { CompactOptions, ConversationPlan } from "./conversation-api.js";
import { decide, noProgress, afterAction, type Action, type Progress } from "./decide.js";
import type { Runner } from "./run.js";

/** What `prepare` would do first, or with a scope what `compact` would; nothing is changed or sent. */
export async function planNext(
  runner: Runner,
  given: Pick<CompactOptions, "scope" | "instructions">,
): Promise<ConversationPlan> {
  const { tokens } = runner.state.context.size;
  const { compaction } = runner.setup;
  const isAsked = given.scope !== undefined || given.instructions !== undefined;
  const action = isAsked ? undefined : firstOf(runner);
  if (action !== undefined && action.do !== "summarise") return planned(runner, action);
  if (compaction === undefined) return { tier: "none", tokens };
  return { tier: "full", tokens, plan: await compaction.plan(runner, given) };
}

/** The first action that a person would notice. */
function firstOf(runner: Runner): Action {
  let progress: Progress = noProgress;
  for (;;) {
    const action = decide(runner, progress);
    if (action.do !== "stage" && action.do !== "restate-deletions") return action;
    const next = afterAction(progress, action);
    progress = action.do === "restate-deletions" ? { ...next, isStaleDone: true } : next;
  }
}

function planned({ state: { context } }: Runner, action: Action): ConversationPlan {
  const { tokens } = context.size;
  switch (action.do) {
    case "replace-media":
      return { tier: "media", tokens, count: action.plan.replaced.length };
    case "cut": {
      const freed = action.cuts.reduce((sum, cut) => sum + cut.tokens - cut.tokensAfter, 0);
      return { tier: "oversize", tokens, tokensAfter: tokens - freed, count: action.cuts.length };
    }
    case "clear":
    case "delete": {
      const { plan } = action;
      const variant =
        plan.variant === "cached" || plan.variant === "time-based" ? plan.variant : "size-based";
      return {
        tier: variant,
        tokens,
        tokensAfter: tokens - (plan.tokensBefore - plan.tokensAfter),
        toolUseIds: plan.results.map(({ id }) => id),
      };
    }
    default:
      return { tier: "none", tokens };
  }
}
