import type { Message } from "../../messages/message.js";
import { findModel } from "../../models/table.js";
import type { EventEmitter } from "../events/emitter.js";
import type { EngineEvents } from "../events/engine-events.js";
import { extendEvent } from "../events/lazy-field.js";
import { headTokens } from "../measure/context-meter.js";
import { applyRestored } from "../restore/apply-restored.js";
import { cleanUpAfterCompaction } from "../restore/cleanup.js";
import { restoreState } from "../restore/restore-state.js";
import { compact } from "../summarise/compact.js";
import type { CompactInput, CompactPorts } from "../summarise/run/compact-run.js";
import type { Compacted, CompactionFailed } from "../summarise/run/compaction.js";
import { failureMessage } from "../summarise/failure-message.js";
import type { CompactionScope } from "../summarise/run/division.js";
import { groupByRound } from "../summarise/divide/rounds.js";
import type { ReadStateSnapshot } from "../tools/read-state.js";
import { planCompaction } from "../summarise/plan.js";
import { mentionsOf } from "../summarise/record/used-names.js";
import { undoCompaction, type NotUndone, type Undone } from "../summarise/undo/undo.js";
import { afterFailure, closedBreaker, isOpen } from "./breaker.js";
import { afterCompaction, linkOf } from "./chain.js";
import { type ConversationCore } from "./conversation-core.js";
import type { CompactOptions, ConversationPlan, EngineStep } from "./conversation.js";
import { compactionStep } from "./describe-step.js";
import { fitUnanswered, planOversize } from "./fit-unanswered.js";
import type { CompactionStage, ConversationCompactor, FitUnansweredOptions, NotesKeeping } from "./stages.js";
import { clearBySize, planBySize, planClearing } from "./tier-one.js";

interface LastCompaction {
  readonly before: readonly Message[];
  readonly compacted: Compacted;
  readonly readState: ReadStateSnapshot | undefined;
}

/** Summaries, what comes back behind them, and the way out where no model answers. */
export const compaction: CompactionStage = {
  create: (core, notes) => new Compactor(core, notes),
  see: mentionsOf,
};

/** Compacts a conversation, by itself or by hand: guards, breaker, notes, and the swap in which it takes effect. */
class Compactor implements ConversationCompactor {
  readonly #core: ConversationCore;
  readonly #notes: NotesKeeping | undefined;
  #breaker = closedBreaker;
  #lastCompaction: LastCompaction | undefined;
  /** Tokens before which it is not compacted early again, because that has failed. */
  #notEarlyBefore = 0;
  /** The attempt that the last rung allows although the breaker is open, once it failed. */
  #lastResort: CompactionFailed | undefined;

  constructor(core: ConversationCore, notes: NotesKeeping | undefined) {
    this.#core = core;
    this.#notes = notes;
  }

  /** What failed early is not tried again before it has grown; what the breaker holds back, only at the last rung. */
  dueAt(): number {
    const { thresholds, clock, compactAt } = this.#core;
    if (!thresholds.isAutoCompactOn) return thresholds.hardAt;
    if (isOpen(this.#breaker, clock.now())) return thresholds.hardAt;
    return Math.min(thresholds.autoCompactAt, Math.max(compactAt, this.#notEarlyBefore));
  }

  /** What stood before a compaction is held for undoing it, and no longer. */
  noteResponse(): void {
    const { chain, settings } = this.#core;
    if (chain.turns > settings.undoResponses) this.#lastCompaction = undefined;
  }

  fitUnanswered(options?: FitUnansweredOptions): Promise<EngineStep | undefined> {
    return fitUnanswered(this.#core, options);
  }

  async makeRoom(
    steps: EngineStep[],
    signal: AbortSignal | undefined,
  ): Promise<CompactionFailed | undefined> {
    const core = this.#core;
    const isHeldBack = isOpen(this.#breaker, core.clock.now());
    if (isHeldBack && this.#lastResort !== undefined) return this.#lastResort;
    const cleared = await clearBySize(core, { limit: this.#clearingLimit() });
    if (cleared !== undefined) {
      steps.push(cleared);
      return undefined;
    }
    const fromNotes = await this.#compactFromNotes("auto", signal);
    if (fromNotes?.kind === "compacted") {
      steps.push(compactionStep(fromNotes));
      return undefined;
    }
    if (fromNotes?.reason === "aborted" || fromNotes?.reason === "blocked_by_hook") return fromNotes;
    const outcome = await this.compact({ trigger: "auto" }, signal);
    if (outcome.kind === "failed") {
      this.#lastResort = isHeldBack && outcome.reason !== "aborted" ? outcome : undefined;
      return outcome;
    }
    steps.push(compactionStep(outcome));
    return undefined;
  }

  /** A clearing that leaves little room would be followed by the next one in a few turns. */
  #clearingLimit(): number {
    const { thresholds, settings } = this.#core;
    return Math.min(this.dueAt(), thresholds.autoCompactAt) * settings.clearSizeBelow;
  }

  /** Step 5: without a model call, where the notes are good for it. Undefined where they are not. */
  async #compactFromNotes(
    trigger: CompactInput["trigger"],
    signal: AbortSignal | undefined,
  ): Promise<Compacted | CompactionFailed | undefined> {
    const summary = await this.#notes?.summary(signal);
    if (summary?.kind !== "ready") return undefined;
    const { kind: _kind, ...prepared } = summary;
    const outcome = await this.compact({ trigger, prepared }, signal);
    if (
      outcome.kind === "failed" &&
      (outcome.reason === "above_threshold" || outcome.reason === "not_smaller")
    ) {
      const detail = outcome.failedAttempts.at(-1)?.detail ?? outcome.message;
      const threshold = this.#core.thresholds.autoCompactAt;
      this.#core.events.emit("session_memory_over_threshold", { detail, threshold });
    }
    return outcome;
  }

  async compactNow({ scope, instructions, signal }: CompactOptions): Promise<Compacted | CompactionFailed> {
    if (this.#core.settings.disableCompact) return failedAtOnce("disabled");
    if (scope === undefined && instructions === undefined) {
      const fromNotes = await this.#compactFromNotes("manual", signal);
      const isFinal =
        fromNotes?.kind === "compacted" || ["aborted", "blocked_by_hook"].includes(fromNotes?.reason ?? "");
      if (fromNotes !== undefined && isFinal) return fromNotes;
    }
    return this.compact(
      {
        trigger: "manual",
        ...(scope === undefined ? {} : { scope }),
        ...(instructions === undefined ? {} : { instructions }),
      },
      signal,
    );
  }

  async compact(
    given: Partial<CompactInput> & Pick<CompactInput, "trigger">,
    signal: AbortSignal | undefined,
  ): Promise<Compacted | CompactionFailed> {
    const core = this.#core;
    await core.pickUp();
    const before = core.state.live;
    const readState = core.options.state?.readState.snapshot();
    const scope = this.#scopeWithoutOpenCalls(given);
    if (scope === "calls_pending") return failedAtOnce(scope);
    const told: { compact?: EngineEvents["compact"] } = {};
    const ports = { ...this.#ports(signal), events: withholding(core.events, told) };
    const outcome = await compact(
      this.#input({ ...given, ...(scope === undefined ? {} : { scope }) }),
      ports,
    );
    if (outcome.kind === "failed") {
      core.ledger.add(outcome.calls);
      await core.ledger.save();
      if (given.trigger === "auto") this.#noteFailure(outcome);
      return outcome;
    }
    this.#notEarlyBefore = 0;
    const link = linkOf(core.chain);
    if (link.isRecompaction && link.turnsSinceLast < core.settings.recompactionTurns) {
      const { turnsSinceLast } = link;
      core.events.emit("recompacted_early", { turnsSinceLast, threshold: core.thresholds.autoCompactAt });
    }
    try {
      await this.#swap(outcome);
      // The boundary tells of them.
      core.ledger.add(outcome.calls, { isStored: true });
    } catch (error) {
      core.ledger.add(outcome.calls);
      // The store failed: nothing took effect, and trying again at once would pay for the same again.
      this.#breaker = afterFailure(this.#breaker, core.settings, core.clock.now());
      throw error;
    }
    if (told.compact !== undefined) core.events.emit("compact", extendEvent(told.compact, { chain: link }));
    this.#lastCompaction = { before, compacted: outcome, readState };
    return outcome;
  }

  /** While a call lacks its result its round is kept; undefined where the scope may stay what it is. */
  #scopeWithoutOpenCalls(given: Partial<CompactInput>): CompactionScope | "calls_pending" | undefined {
    const { state } = this.#core;
    if (!state.index.hasOpenCalls || given.prepared !== undefined) return undefined;
    const last = groupByRound(state.live).at(-1)?.[0];
    const { scope } = given;
    if (last === undefined) return undefined;
    if (scope === undefined || scope.kind === "full") return { kind: "up_to", pivot: last.uuid };
    const at = state.live.findIndex(({ uuid }) => uuid === scope.pivot);
    const open = state.live.indexOf(last);
    return scope.kind === "up_to" && at <= open ? undefined : "calls_pending";
  }

  #noteFailure({ reason, failedAttempts }: CompactionFailed): void {
    const core = this.#core;
    if (["aborted", "blocked_by_hook", "not_enough_messages", "unknown_pivot"].includes(reason)) return;
    if (core.state.size.padded < core.thresholds.autoCompactAt) {
      // Nothing had to be done: it is waited until there is more to gain.
      this.#notEarlyBefore = core.state.size.padded * EARLY_AGAIN;
      return;
    }
    // A model is asked next: only what it does counts.
    if (failedAttempts.at(-1)?.writer === "notes") return;
    this.#breaker = afterFailure(this.#breaker, core.settings, core.clock.now());
    const { failuresInARow, open } = this.#breaker;
    if (open !== undefined) {
      core.events.emit("breaker_tripped", { failuresInARow, reason, cooldownMs: open.forMs });
    }
  }

  /** Everything of a compaction takes effect here: first in the store, then in the conversation. */
  async #swap(compacted: Compacted): Promise<void> {
    const core = this.#core;
    const { variant, writer, restored } = compacted;
    await core.store(compacted.stored);
    core.replace(compacted.live);
    this.#breaker = closedBreaker;
    this.#lastResort = undefined;
    core.chain = afterCompaction(core.ids.next());
    const { state, cleanup } = core.options;
    if (restored !== undefined && state !== undefined) {
      const { readState, nestedMemory } = state;
      applyRestored(restored, { readState, nestedMemory, events: core.events });
    }
    cleanUpAfterCompaction({
      source: core.source,
      variant,
      writer,
      targets: {
        ...cleanup,
        microcompactState: () => {
          core.forgetClearings();
          cleanup?.microcompactState?.();
        },
        promptSections: () => {
          core.resetPrompt();
          cleanup?.promptSections?.();
        },
        breakBaseline: () => {
          core.watch.notifyCompaction(core.source);
          cleanup?.breakBaseline?.();
        },
      },
    });
    this.#notes?.noteCompaction();
    core.ttl.reconsider({ headTokens: core.state.size.shownOverhead });
  }

  #input(given: Partial<CompactInput> & Pick<CompactInput, "trigger">): CompactInput {
    const core = this.#core;
    const { size } = core.state;
    const params = core.builder.cacheSafeParams(core.source);
    const { transcriptPath, continuation } = core.options;
    const overhead = headTokens(size);
    return {
      live: core.state.live,
      scope: { kind: "full", ...keepRecent(core, overhead) },
      source: core.source,
      model: core.model,
      size: {
        tokensBefore: size.tokens,
        paddedBefore: size.padded,
        overhead,
        autoCompactAt: core.thresholds.autoCompactAt,
        contextWindow: core.thresholds.contextWindow,
        hardAt: core.thresholds.hardAt,
      },
      ...(params === undefined ? {} : { params }),
      ...(transcriptPath === undefined ? {} : { transcriptPath }),
      ...(continuation === undefined ? {} : { continuation }),
      ...given,
    };
  }

  #ports(signal: AbortSignal | undefined, isDry = false): CompactPorts {
    const core = this.#core;
    const { provider, hooks, state, onStatus, every, agentId } = core.options;
    const { estimator, clock, ids, settings } = core;
    return {
      estimator,
      clock,
      ids,
      settings,
      sessionId: core.options.sessionId,
      ...(isDry ? {} : { events: core.events }),
      ...(provider === undefined ? {} : { provider }),
      ...(hooks === undefined ? {} : { hooks }),
      ...(signal === undefined ? {} : { signal }),
      ...(onStatus === undefined ? {} : { onStatus }),
      ...(every === undefined ? {} : { every }),
      ...(state === undefined
        ? {}
        : {
            restore: ({ keptMessages, variant, signal: stop }) =>
              restoreState({
                ports: state.ports,
                readState: state.readState.snapshot(),
                keptMessages,
                variant,
                estimator,
                settings,
                clock,
                agentId,
                tools: core.compactable,
                events: isDry ? undefined : core.events,
                signal: stop,
                ...(state.exclude === undefined ? {} : { exclude: state.exclude }),
                ...(state.workingDirectory === undefined ? {} : { workingDirectory: state.workingDirectory }),
              }),
          }),
    };
  }

  async plan({
    scope,
    instructions,
  }: Pick<CompactOptions, "scope" | "instructions">): Promise<ConversationPlan> {
    const core = this.#core;
    const { tokens, padded } = core.state.size;
    if (scope === undefined && instructions === undefined) {
      const cheap = planClearing(core) ?? planOversize(core);
      if (cheap !== undefined) return cheap;
      const hasTried = isOpen(this.#breaker, core.clock.now()) && this.#lastResort !== undefined;
      const isDue = core.thresholds.isAutoCompactOn && padded >= this.dueAt();
      if (!isDue || hasTried) return { tier: "none", tokens };
      const bySize = planBySize(core, { limit: this.#clearingLimit() });
      if (bySize !== undefined) return { tier: "size-based", tokens, ...bySize };
    }
    await core.pickUp();
    const input = this.#input({
      trigger: scope === undefined ? "auto" : "manual",
      ...(scope === undefined ? {} : { scope }),
      ...(instructions === undefined ? {} : { instructions }),
    });
    return { tier: "full", tokens, plan: await planCompaction(input, this.#ports(undefined, true)) };
  }

  async undo(): Promise<Undone | NotUndone> {
    const core = this.#core;
    const last = this.#lastCompaction;
    if (last === undefined) {
      return { kind: "failed", reason: "another_conversation", message: "There is no compaction to undo." };
    }
    const { clock, ids, estimator } = core;
    const { shownOverhead } = core.state.size;
    const undone = undoCompaction(
      {
        ...last,
        now: core.state.live,
        tokens: (messages) =>
          shownOverhead + messages.reduce((sum, message) => sum + estimator.message(message), 0),
        mostTokens: core.thresholds.hardAt,
        isThinkingBound: findModel(core.model)?.capabilities.thinking.boundToPrefix ?? true,
      },
      { clock, ids, sessionId: core.options.sessionId },
    );
    if (undone.kind === "failed") return undone;
    await core.store(undone.stored);
    core.replace(undone.live);
    core.forgetClearings();
    if (last.readState !== undefined) core.options.state?.readState.restore(last.readState);
    core.watch.notifyCompaction(core.source);
    this.#lastCompaction = undefined;
    return undone;
  }
}

/** How much a conversation has to grow before it is compacted early again once that has failed. */
const EARLY_AGAIN = 1.25;

/** What the settings say, or less where the window has no room for it. */
function keepRecent(
  { settings, thresholds }: ConversationCore,
  overhead: number,
): { readonly keepRecentTokens: number; readonly keepLastTokens: number } {
  const share = Math.floor(Math.max(0, thresholds.autoCompactAt - overhead) / 4);
  return {
    keepRecentTokens: Math.min(settings.keepRecentTokens, share),
    keepLastTokens: Math.min(settings.keepLastTokens, share),
  };
}

const failedAtOnce = (reason: "disabled" | "calls_pending"): CompactionFailed => ({
  kind: "failed",
  reason,
  message: failureMessage(reason),
  failedAttempts: [],
  calls: [],
});

/** Tells everything but the success, which is only true once it took effect. */
const withholding = (events: EventEmitter, told: { compact?: EngineEvents["compact"] }): EventEmitter => ({
  on: (name, listener) => events.on(name, listener),
  emit(name, event) {
    if (name === "compact") told.compact = event as EngineEvents["compact"];
    else events.emit(name, event);
  },
});
