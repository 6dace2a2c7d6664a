import { isLocalClearing, type ClearingBoundary } from "../boundaries/clearing-boundary.js";
import { createEventEmitter } from "../events/emitter.js";
import { createCacheWatch } from "../watch/cache-watch.js";
import { apply } from "./apply.js";
import type { CompactOptions, ConversationPlan, EngineStep, PlannedStep } from "./conversation-api.js";
import { afterAction, decide, noProgress, type Action } from "./decide.js";
import type { ConversationEvent } from "./event.js";
import { perform } from "./perform.js";
import type { Runner } from "./run.js";
import type { Running, Setup } from "./stages.js";
import type { ConversationState } from "./state.js";

/**
 * What `prepare` would do, or with a scope or instructions what `compact` would: the same decisions on the same state,
 * performed on a copy. Nothing is stored, told or sent.
 */
export async function planNext(
  runner: Runner,
  given: Pick<CompactOptions, "scope" | "instructions">,
): Promise<ConversationPlan> {
  const { tokens } = runner.state.context.size;
  const dry = new DryRun(runner);
  if (given.scope !== undefined || given.instructions !== undefined) {
    const step = await summaryStep(dry, given);
    return { tokens, steps: step === undefined ? [] : [step] };
  }
  const steps: PlannedStep[] = [];
  for (let progress = noProgress; ;) {
    const action = decide(dry, progress);
    if (action.do === "hold")
      return { tokens, steps, held: { reason: action.reason, message: action.message } };
    if (isOver(action)) return { tokens, steps };
    const step =
      action.do === "summarise" ? await summaryStep(dry, given) : planned(action, await perform(dry, action));
    if (step !== undefined) steps.push(step);
    // What it leaves is not known before it is written.
    if (action.do === "summarise") return { tokens, steps };
    progress = afterAction(progress, action);
  }
}

/** Nothing of the messages changes any more that a person would notice. */
const isOver = ({ do: what }: Action): boolean =>
  what === "send" || what === "resolve-head" || what === "drop-thinking";

async function summaryStep(
  dry: DryRun,
  given: Pick<CompactOptions, "scope" | "instructions">,
): Promise<PlannedStep | undefined> {
  const plan = await dry.setup.compaction?.plan(dry, given);
  if (plan === undefined) return undefined;
  const tokensBefore = dry.state.context.size.tokens;
  if (plan.kind === "none") return { tier: "full", tokensBefore, tokensAfter: tokensBefore, plan };
  const { tokensAfter } = plan;
  return { tier: plan.writer === "notes" ? "notes" : "full", tokensBefore, tokensAfter, plan };
}

function planned(action: Action, step: EngineStep | undefined): PlannedStep | undefined {
  if (step === undefined) return undefined;
  const { tokensBefore, tokensAfter } = step;
  switch (action.do) {
    case "replace-media":
      return { tier: "media", tokensBefore, tokensAfter, count: action.plan.replaced.length };
    case "cut":
      return { tier: "oversize", tokensBefore, tokensAfter, count: action.cuts.length };
    default: {
      // What else is performed are clearings.
      const tier = step.tier as "time-based" | "cached" | "size-based";
      const [boundary] = step.added as readonly ClearingBoundary[];
      return { tier, tokensBefore, tokensAfter, toolUseIds: boundary?.microcompactMetadata.toolUseIds ?? [] };
    }
  }
}

/** A conversation in which everything happens but for what anybody else would see. */
class DryRun implements Running {
  readonly setup: Setup;
  readonly notes;
  readonly ledger;
  state: ConversationState;
  readonly #runner: Runner;
  #isForked = false;

  constructor(runner: Runner) {
    this.#runner = runner;
    this.setup = quiet(runner.setup);
    this.state = runner.state;
    this.notes = runner.notes;
    this.ledger = runner.ledger;
  }

  async commit(event: ConversationEvent): Promise<void> {
    // What only adds to the list would go on with the structures of the conversation itself.
    const adds = event.kind === "appended" || (event.kind === "cleared" && !isLocalClearing(event.boundary));
    if (adds && !this.#isForked) this.state = { ...this.state, context: this.state.context.fork() };
    this.#isForked = true;
    this.state = apply(this.setup, this.state, event);
  }

  async pickUp(): Promise<void> {
    const { state } = this.#runner;
    await this.#runner.pickUp();
    if (this.state === state) this.state = this.#runner.state;
  }

  resetPrompt(): void {}
}

function quiet(setup: Setup): Setup {
  let made = 0;
  const { writer: _writer, overflow: _overflow, ...options } = setup.options;
  const { state } = options;
  return {
    ...setup,
    ids: { next: () => `planned-${(made += 1)}` },
    events: createEventEmitter(),
    watch: createCacheWatch(),
    options: {
      ...options,
      ...(state && { state: { ...state, readState: { ...state.readState, forget: () => {} } } }),
    },
  };
}
