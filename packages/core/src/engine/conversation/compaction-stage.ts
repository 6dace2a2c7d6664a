import { errorText } from "../../messages/error-text.js";
import type { EventEmitter } from "../events/emitter.js";
import type { CompactHooks, PreCompactOutput } from "../ports/compact-hooks.js";
import type { EngineEvents } from "../events/engine-events.js";
import { priceCalls } from "../money/price-calls.js";
import { cleanUpAfterCompaction, keepsPrompt } from "../restore/cleanup.js";
import { compact } from "../summarise/compact.js";
import type { CompactInput, CompactPorts } from "../summarise/run/compact-run.js";
import type { Compacted, CompactionFailed } from "../summarise/run/compaction.js";
import { failureMessage } from "../summarise/failure-message.js";
import type { CompactionScope } from "../summarise/run/division.js";
import { planCompaction, type CompactionPlan, type NoPlan } from "../summarise/plan.js";
import { groupByRound } from "../summarise/divide/rounds.js";
import { undoCompaction, type NotUndone, type Undone } from "../summarise/undo/undo.js";
import { mentionsOf } from "../summarise/record/used-names.js";
import { linkOf } from "./chain.js";
import type { CompactOptions } from "./conversation-api.js";
import { cutsFor, cutUnanswered } from "./cut-unanswered.js";
import { keptTokens } from "./early-threshold.js";
import { bindsThinking, estimatorOf, paramsOf, thresholdsOf } from "./facts.js";
import { nothingToUndo } from "./no-compaction.js";
import { dropBoundThinking } from "./perform.js";
import type { Moment } from "./stages.js";
import type { Running } from "./stages.js";
import type { CompactionRequest, CompactionStage } from "./stages.js";
import { watchFork } from "./watch-fork.js";

/** Summaries, what comes back after them, and the way out where no model answers. */
export const compaction: CompactionStage = {
  name: "compaction",
  see: mentionsOf,
  cuts: cutsFor,
  cut: cutUnanswered,
  perform,
  plan: planFor,
  undo,
};

/** From notes where they are asked for and good for it, else by whoever writes summaries. */
async function perform(
  running: Running,
  { usesNotes = false, ...request }: CompactionRequest,
): Promise<Compacted | CompactionFailed> {
  const { options, settings } = running.setup;
  if (settings.disableCompact) return failedAtOnce("disabled");
  const hooks = askedOnce(options.hooks);
  const fromNotes = usesNotes ? await performFromNotes(running, request, hooks) : undefined;
  // A person, or a hook of theirs, wants no compaction now.
  const isFinal = fromNotes?.kind === "compacted" || isCalledOff(fromNotes?.reason);
  return fromNotes !== undefined && isFinal ? fromNotes : summarise(running, request, hooks);
}

const isCalledOff = (reason: string | undefined): boolean =>
  reason === "aborted" || reason === "blocked_by_hook";

/** Hooks that hear of a compaction once, though notes are tried before it. */
function askedOnce(hooks: CompactHooks | undefined): CompactHooks | undefined {
  let said: Promise<PreCompactOutput> | undefined;
  return (
    hooks && {
      preCompact: (input, signal) => (said ??= hooks.preCompact(input, signal)),
      sessionStart: (input, signal) => hooks.sessionStart(input, signal),
      postCompact: (input, signal) => hooks.postCompact(input, signal),
    }
  );
}

/** Everything of a compaction takes effect at its commit: first in the store, then in the conversation. */
async function summarise(
  running: Running,
  { signal, isLastResort, toFit, ...given }: Omit<CompactionRequest, "usesNotes">,
  hooks: CompactHooks | undefined,
): Promise<Compacted | CompactionFailed> {
  const { setup, ledger } = running;
  const { events, settings, clock } = setup;
  await running.pickUp();
  const readState = setup.options.state?.readState.snapshot();
  const scope = scopeWithoutOpenCalls(running, given) ?? given.scope;
  if (scope === "calls_pending") return failedAtOnce(scope);
  const told: { compact?: EngineEvents["compact"] } = {};
  const ports = { ...portsOf(running, { signal, hooks }), events: withholding(events, told) };
  const chain = linkOf(running.state.chain, thresholdsOf(running).autoCompactAt);
  const input = { ...inputOf(running, { ...given, scope }, toFit), chain };
  const outcome = await compact(input, ports);
  if (outcome.kind === "failed") {
    ledger.add(outcome.calls);
    await ledger.save();
    await noteFailure(running, outcome, { isAuto: given.trigger === "auto", isLastResort });
    return outcome;
  }
  const { isRecompaction, roundsSinceLast, threshold } = chain;
  if (isRecompaction && roundsSinceLast < settings.recompactionRounds) {
    events.emit("recompacted_early", { roundsSinceLast, threshold });
  }
  const { failuresInARow, open } = running.state.room.breaker;
  try {
    const isPromptKept = keepsPrompt({ source: setup.source, ...outcome });
    const stretchId = setup.ids.next();
    await running.commit({ kind: "compacted", compacted: outcome, isPromptKept, stretchId, readState });
  } catch (error) {
    const { calls, failedAttempts, trigger } = outcome;
    ledger.add(calls);
    events.emit("compact_failed", {
      reason: "not_stored",
      message: failureMessage("not_stored", errorText(error)),
      trigger,
      source: setup.source,
      failedAttempts,
      calls,
      price: priceCalls(calls),
    });
    // Trying again at once would pay for the same again.
    await running.commit({ kind: "not-stored", at: clock.now() });
    throw error;
  }
  // The boundary tells of them.
  ledger.add(outcome.calls, { isStored: true });
  followUp(running, outcome);
  if (told.compact !== undefined) events.emit("compact", told.compact);
  if (open !== undefined) events.emit("breaker_closed", { failuresInARow });
  return outcome;
}

async function noteFailure(
  running: Running,
  failure: CompactionFailed,
  { isAuto, isLastResort }: { readonly isAuto: boolean; readonly isLastResort: boolean | undefined },
): Promise<void> {
  const { clock, events } = running.setup;
  const before = running.state.room.breaker;
  await running.commit({ kind: "failed", failure, isAuto, isLastResort, at: clock.now() });
  const { breaker } = running.state.room;
  if (breaker === before || breaker.open === undefined) return;
  const { failuresInARow, open } = breaker;
  events.emit("breaker_tripped", { failuresInARow, reason: failure.reason, cooldownMs: open.forMs });
}

/** What a compaction changes outside the conversation. */
function followUp(running: Running, { variant, writer, restored }: Compacted): void {
  const { options, source, events, watch } = running.setup;
  const { state, cleanup } = options;
  if (restored !== undefined && state !== undefined) {
    const { readState, nestedMemory } = state;
    state.restore.apply(restored, { readState, nestedMemory, events });
  }
  cleanUpAfterCompaction({
    source,
    variant,
    writer,
    targets: {
      ...cleanup,
      promptSections: () => {
        running.resetPrompt();
        cleanup?.promptSections?.();
      },
      breakBaseline: () => {
        watch.notifyCompaction(source);
        cleanup?.breakBaseline?.();
      },
    },
  });
  running.notes?.noteCompaction();
}

async function performFromNotes(
  running: Running,
  { trigger, signal }: CompactionRequest,
  hooks: CompactHooks | undefined,
): Promise<Compacted | CompactionFailed | undefined> {
  const summary = await running.notes?.summary(running.state.context.live, signal);
  if (summary?.kind !== "ready") return undefined;
  const { kind: _kind, ...prepared } = summary;
  const outcome = await summarise(running, { trigger, prepared, signal }, hooks);
  if (
    outcome.kind === "failed" &&
    (outcome.reason === "above_threshold" || outcome.reason === "not_smaller")
  ) {
    const detail = outcome.failedAttempts.at(-1)?.detail ?? outcome.message;
    const threshold = thresholdsOf(running).autoCompactAt;
    running.setup.events.emit("notes_over_threshold", { detail, threshold });
  }
  return outcome;
}

type Asked = Pick<CompactOptions, "scope" | "instructions">;

const isAsked = ({ scope, instructions }: Asked): boolean =>
  scope !== undefined || instructions !== undefined;

/** What `perform` would do. */
async function planFor(running: Running, asked: Asked): Promise<CompactionPlan | NoPlan> {
  if (running.setup.settings.disableCompact) return { kind: "none", reason: "disabled" };
  await running.pickUp();
  const later = await planWithWriter(running, asked);
  const summary = isAsked(asked) ? undefined : await running.notes?.summary(running.state.context.live);
  if (summary?.kind !== "ready") return later;
  const { kind: _kind, ...prepared } = summary;
  const plan = await planCompaction(
    inputOf(running, { trigger: "auto", prepared }),
    portsOf(running, { isDry: true }),
  );
  if (plan.kind !== "plan") return later;
  return { ...plan, writers: [...plan.writers, ...(later.kind === "plan" ? later.writers : [])] };
}

/** What `summarise` would do. */
async function planWithWriter(running: Running, asked: Asked): Promise<CompactionPlan | NoPlan> {
  const given = { ...asked, trigger: isAsked(asked) ? ("manual" as const) : ("auto" as const) };
  const scope = scopeWithoutOpenCalls(running, given) ?? asked.scope;
  if (scope === "calls_pending") return { kind: "none", reason: scope };
  return planCompaction(inputOf(running, { ...given, scope }), portsOf(running, { isDry: true }));
}

/** While a call lacks its result its round is kept; undefined where the scope may stay what it is. */
function scopeWithoutOpenCalls(
  { state: { context } }: Moment,
  { scope, prepared }: CompactionRequest,
): CompactionScope | "calls_pending" | undefined {
  if (!context.index.hasOpenCalls || prepared !== undefined) return undefined;
  const last = groupByRound(context.live).at(-1)?.[0];
  if (last === undefined) return undefined;
  if (scope === undefined || scope.kind === "full") return { kind: "up_to", pivot: last.uuid };
  const at = context.live.findIndex(({ uuid }) => uuid === scope.pivot);
  const open = context.live.indexOf(last);
  return scope.kind === "up_to" && at <= open ? undefined : "calls_pending";
}

function inputOf(moment: Moment, given: CompactionRequest, toFit?: string): CompactInput {
  const { setup, state } = moment;
  const { live, size } = state.context;
  const { transcriptPath, continuation, droppedHint } = setup.options;
  const { autoCompactAt, hardAt } = thresholdsOf(moment, toFit);
  return {
    live,
    source: setup.source,
    model: state.model,
    size: {
      tokensBefore: size.tokens,
      paddedBefore: size.padded,
      overhead: size.shownOverhead,
      autoCompactAt,
      contextWindow: thresholdsOf(moment).contextWindow,
      hardAt,
    },
    params: paramsOf(moment),
    transcriptPath,
    continuation,
    droppedHint,
    ...given,
    scope: given.scope ?? { kind: "full", ...keepRecent(moment) },
  };
}

/** Tokens that the window has beside system prompt and tools; below 0 where these alone are too much. */
const roomBeside = (moment: Moment): number =>
  thresholdsOf(moment).autoCompactAt - moment.state.context.size.shownOverhead;

/** What the settings say, or less where the window has no room for it. */
function keepRecent(moment: Moment): { readonly keepRecentTokens: number; readonly keepLastTokens: number } {
  const { settings } = moment.setup;
  const share = roomBeside(moment) / 4;
  return {
    keepRecentTokens: Math.min(keptTokens(settings, moment.state.context.stretch), share),
    keepLastTokens: Math.min(settings.keepLastTokens, share),
  };
}

function portsOf(
  moment: Moment,
  {
    signal,
    hooks,
    isDry = false,
  }: Pick<CompactionRequest, "signal"> & {
    readonly hooks?: CompactHooks | undefined;
    readonly isDry?: boolean;
  },
): CompactPorts {
  const { options, clock, ids, settings, events, compactable } = moment.setup;
  const { provider, state, onStatus, every, agentId } = options;
  const estimator = estimatorOf(moment);
  return {
    estimator,
    clock,
    ids,
    settings,
    sessionId: options.sessionId,
    ...(isDry ? {} : { events, onRequest: ({ fork }) => fork && watchFork(moment.setup, fork) }),
    ...(provider && { provider }),
    ...(hooks && { hooks }),
    ...(signal && { signal }),
    ...(onStatus && { onStatus }),
    ...(every && { every }),
    ...(state && {
      restore: ({ keptMessages, variant, signal: stop }) =>
        state.restore.gather({
          ports: state.ports,
          readState: state.readState.snapshot(),
          messages: moment.state.context.live,
          room: roomBeside(moment),
          keptMessages,
          variant,
          estimator,
          settings,
          clock,
          agentId,
          tools: compactable,
          events: isDry ? undefined : events,
          signal: stop,
          exclude: state.exclude?.(),
          workingDirectory: state.workingDirectory,
        }),
    }),
  };
}

async function undo(running: Running): Promise<Undone | NotUndone> {
  const { setup, state } = running;
  const last = state.undoable;
  if (last === undefined) return nothingToUndo;
  const { clock, ids, options, watch, source } = setup;
  const estimator = estimatorOf(running);
  const { live, size } = state.context;
  const undone = undoCompaction(
    {
      ...last,
      now: live,
      tokens: (messages) =>
        size.shownOverhead + messages.reduce((sum, message) => sum + estimator.message(message), 0),
      mostTokens: thresholdsOf(running).hardAt,
      isThinkingBound: bindsThinking(running),
    },
    { clock, ids, sessionId: options.sessionId },
  );
  if (undone.kind === "failed") return undone;
  await running.commit({ kind: "undone", undone });
  if (last.readState !== undefined) options.state?.readState.restore(last.readState);
  watch.notifyCompaction(source);
  await dropBoundThinking(running);
  return { ...undone, live: running.state.context.live };
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
