import type { AssistantMessage, Message } from "../../messages/message.js";
import { findModel } from "../../models/table.js";
import type { CachedDeletion } from "../clear/cached-clearing.js";
import { isThinkingBlock } from "../../messages/predicates.js";
import type { ClearPlan, ClearTarget } from "../clear/decision.js";
import { decideSizeBased } from "../clear/size-based.js";
import { decideTimeBased } from "../clear/time-based.js";
import { isBlocked } from "../measure/thresholds.js";
import { decideMedia, type MediaPlan } from "../media/decide-media.js";
import type { PlannedCut } from "../oversize/decide-cuts.js";
import { isResponse } from "../oversize/unanswered.js";
import type { CompactionFailed } from "../summarise/run/compaction.js";
import type { Held } from "./conversation-api.js";
import { keptTokens } from "./early-threshold.js";
import {
  bindsThinking,
  clearContextOf,
  dueAt,
  estimatorOf,
  isBreakerOpen,
  isCacheLost,
  listOf,
  thresholdsOf,
} from "./facts.js";
import type { Moment } from "./stages.js";
import { noCompaction } from "./no-compaction.js";
import type { ConversationState } from "./state.js";
import { whyNoRoom } from "./window-room.js";

/** What is to be done next, before a request can be sent. */
export type Action =
  | { readonly do: "replace-media"; readonly plan: MediaPlan }
  /** A stage of the host's has its turn. */
  | { readonly do: "stage"; readonly at: number }
  /** Deletions inside a cache that is of no use any more are made up for in the messages themselves. */
  | { readonly do: "restate-deletions" }
  /** Results go from the messages, because they are stale or because room is needed. */
  | { readonly do: "clear"; readonly plan: ClearPlan; readonly isForRoom: boolean }
  /** Results go from the provider's cache; the messages stay. */
  | ({ readonly do: "delete" } & CachedDeletion)
  /** Texts that no compaction could make room for keep their ends. */
  | { readonly do: "cut"; readonly cuts: readonly PlannedCut[] }
  | { readonly do: "summarise"; readonly isLastResort: boolean }
  /** System prompt and tools are asked for. */
  | { readonly do: "resolve-head" }
  /** What thinking was bound to has changed: all of it goes, or the API would refuse it. */
  | { readonly do: "drop-thinking" }
  | { readonly do: "send" }
  | {
      readonly do: "hold";
      readonly reason: Held["reason"];
      readonly message: string;
      readonly failure?: CompactionFailed;
    };

/** What was done for one request so far. */
export interface Progress {
  /** Actions that are over, whether there was something to do or not. */
  readonly isMediaDone: boolean;
  readonly stagesDone: number;
  readonly isStaleDone: boolean;
  readonly isCutDone: boolean;
  /** Room was made, or could not be: `failure` says why. */
  readonly isRoomDone: boolean;
  readonly failure: CompactionFailed | undefined;
  /** System prompt and tools, once they are known. */
  readonly head: string | undefined;
}

export const noProgress: Progress = {
  isMediaDone: false,
  stagesDone: 0,
  isStaleDone: false,
  isCutDone: false,
  isRoomDone: false,
  failure: undefined,
  head: undefined,
};

const upToStale = { isMediaDone: true, isStaleDone: true };
const upToRoom = { ...upToStale, isCutDone: true, isRoomDone: true };

/** What was done, after an action; `failure` where room could not be made. */
export function afterAction(progress: Progress, action: Action, failure?: CompactionFailed): Progress {
  switch (action.do) {
    case "replace-media":
    case "restate-deletions":
      return { ...progress, isMediaDone: true };
    case "stage":
      return { ...progress, isMediaDone: true, stagesDone: action.at + 1 };
    case "delete":
      return { ...progress, ...upToStale };
    case "clear":
      return { ...progress, ...(action.isForRoom ? upToRoom : upToStale) };
    case "cut":
      return { ...progress, ...upToStale, isCutDone: true };
    case "summarise":
      return { ...progress, ...upToRoom, failure };
    default:
      return { ...progress, ...upToRoom, failure: undefined };
  }
}

/**
 * The next thing to do before a request is sent: the only place where that is decided. Nothing is changed here, so that
 * whoever asks what would happen gets the same answer.
 */
export function decide(moment: Moment, progress: Progress): Action {
  const { context } = moment.state;
  if (context.messages.length === 0) return hold("no-messages", "There is nothing to send yet.");
  const noRoom = whyNoRoom(moment);
  if (noRoom !== undefined) return hold("no-room", noRoom);
  return (
    (progress.isMediaDone ? undefined : replaceMedia(moment)) ??
    (progress.isStaleDone ? undefined : (nextStage(moment, progress) ?? clearStale(moment))) ??
    (progress.isCutDone ? undefined : cutUnanswered(moment)) ??
    makeRoom(moment, progress) ??
    finish(moment, progress)
  );
}

const hold = (reason: Held["reason"], message: string, failure?: CompactionFailed): Action => ({
  do: "hold",
  reason,
  message,
  ...(failure === undefined ? {} : { failure }),
});

/** Pictures and documents beyond what one request may carry become text, the oldest first. */
function replaceMedia({ setup: { settings }, state }: Moment): Action | undefined {
  const plan = decideMedia(state.context.media, { model: findModel(state.model), settings });
  return plan && { do: "replace-media", plan };
}

function nextStage({ setup: { stages } }: Moment, { stagesDone }: Progress): Action | undefined {
  return stagesDone < stages.length ? { do: "stage", at: stagesDone } : undefined;
}

/** What is stale goes where that costs nothing or pays. */
function clearStale(moment: Moment): Action | undefined {
  const { setup, state } = moment;
  const { lastResponseAt } = state.context.index;
  // What was deleted inside a cache that is gone would come back, all at once.
  if (state.cache.edits.deleted.size > 0 && isCacheLost(moment)) return { do: "restate-deletions" };
  const byTime = decideTimeBased({
    ...clearContextOf(moment),
    // As long as the cache was kept warm nothing has passed.
    now: setup.clock.now() - Math.max(0, (setup.options.keptWarmAt?.() ?? 0) - (lastResponseAt ?? 0)),
    isMainThread: setup.isMainThread,
    isCacheExpired: state.cache.areEditsStale,
  });
  if (byTime.kind === "clear") return { do: "clear", plan: byTime, isForRoom: false };
  const deletion = setup.options.cachedClearing?.decide(
    {
      ...clearContextOf(moment),
      state: state.cache.edits,
      canEditCache: setup.capabilitiesOf(state.model).cacheEdits,
    },
    state.context.messages,
  );
  if (deletion !== undefined) return { do: "delete", ...deletion };
  return setup.settings.clearEagerly ? clearEagerly(moment) : undefined;
}

function clearEagerly(moment: Moment): Action | undefined {
  const decision = decideSizeBased(clearContextOf(moment));
  Object.assign(moment.setup.lastDecision, { of: listOf(moment.state), decision });
  return decision.kind === "clear" ? { do: "clear", plan: decision, isForRoom: false } : undefined;
}

const mayCompact = (moment: Moment): boolean => {
  const { source } = moment.setup;
  return thresholdsOf(moment).isAutoCompactOn && source !== "compact" && source !== "session_memory";
};

function cutUnanswered(moment: Moment): Action | undefined {
  const cuts = mayCompact(moment) ? moment.setup.compaction?.cuts(moment) : undefined;
  return cuts && { do: "cut", cuts };
}

/** Where too much is there: results go where that is enough, else it is summarised. */
function makeRoom(moment: Moment, progress: Progress): Action | undefined {
  const { setup, state } = moment;
  const { size } = state.context;
  if (progress.isRoomDone) {
    return progress.failure === undefined ? undefined : heldBy(moment, progress.failure);
  }
  if (size.padded < dueAt(moment)) return undefined;
  if (isBlocked(thresholdsOf(moment), size.padded, setup.source)) {
    const what = setup.settings.disableCompact
      ? "compaction is switched off"
      : "compact the conversation to go on";
    return hold("window-full", `The context window is full: ${what}.`);
  }
  if (!mayCompact(moment)) return undefined;
  const isLastResort = setup.compaction !== undefined && isBreakerOpen(moment);
  if (isLastResort && state.room.lastResort !== undefined) return heldBy(moment, state.room.lastResort);
  const clearing = clearingForRoom(moment);
  if (clearing !== undefined) return { do: "clear", plan: clearing, isForRoom: true };
  if (setup.compaction === undefined) return heldBy(moment, noCompaction);
  return { do: "summarise", isLastResort };
}

/**
 * Only what is known holds a request up: the API may take what an estimate would not, and what it has refused it may
 * be asked again, for nothing.
 */
function heldBy(moment: Moment, failure: CompactionFailed): Action | undefined {
  if (failure.reason === "aborted") return hold("aborted", failure.message, failure);
  const { size, isRefused } = moment.state.context;
  if (size.tokens < thresholdsOf(moment).hardAt || isRefused) return undefined;
  const reason = failure.reason === "disabled" ? "window-full" : "compaction-failed";
  return hold(reason, failure.message, failure);
}

interface ClearAim {
  /** Below this the context has to be afterwards. */
  readonly limit: number;
  /** How far to go. Default: as the settings say. */
  readonly target?: ClearTarget;
}

/** Only where it gets the context below the limit: half a clearing would make a summary call cold. */
function clearingForRoom(moment: Moment): ClearPlan | undefined {
  for (const aim of clearingAims(moment)) {
    const plan = clearBySize(moment, aim);
    if (plan !== undefined) return plan;
  }
  return undefined;
}

function clearingAims(moment: Moment): readonly ClearAim[] {
  const { settings, compaction } = moment.setup;
  const { autoCompactAt, hardAt } = thresholdsOf(moment);
  if (compaction !== undefined) {
    // There a compaction keeps the newest rounds, and writes half as much anew as a clearing would.
    if (keptTokens(settings, moment.state.context.stretch) > settings.keepRecentTokens) return [];
    // A clearing that leaves little room would be followed by the next one in a few rounds.
    return [{ limit: Math.min(dueAt(moment), autoCompactAt) * settings.clearSizeBelow }];
  }
  // Nothing else comes after it: a clearing is worth it wherever it gets the next request through.
  const all = { tokens: 0, keep: settings.clearSizeKeep };
  return [{ limit: autoCompactAt }, { limit: autoCompactAt, target: all }, { limit: hardAt, target: all }];
}

function clearBySize(moment: Moment, { limit, target }: ClearAim): ClearPlan | undefined {
  const context = { ...clearContextOf(moment), isPressed: true };
  const decision = decideSizeBased(target === undefined ? context : { ...context, target });
  if (decision.kind !== "clear") return undefined;
  // After a clearing no response counts any more: everything is an estimate, and padded.
  const { size } = moment.state.context;
  const freed = decision.tokensBefore - decision.tokensAfter;
  const after = size.shownOverhead + estimatorOf(moment).pad(Math.max(0, size.messageTokens - freed));
  return after < limit ? decision : undefined;
}

function finish(moment: Moment, { head }: Progress): Action {
  if (head === undefined) return { do: "resolve-head" };
  const isBound = findModel(moment.state.model) !== undefined && bindsThinking(moment);
  return isBound && isThinkingLost(moment, head) ? { do: "drop-thinking" } : { do: "send" };
}

/** Whether there is thinking that the API would refuse. */
const isThinkingLost = ({ state }: Moment, head: string): boolean =>
  hasThinking(state.context.live) && (hasHeadChanged(state, head) || isThinkingOfAnother(state));

export const hasThinking = (live: readonly Message[]): boolean =>
  live.some((message) => message.type === "assistant" && holdsThinking(message));

/** Up to a response of a model that binds nothing, anything may have been changed without regard to thinking. */
function isThinkingOfAnother({ context: { live } }: ConversationState): boolean {
  const last = live.findLastIndex(
    (message) => message.type === "assistant" && isResponse(message) && isFree(message),
  );
  return hasThinking(live.slice(0, last + 1));
}

const isFree = ({ message }: AssistantMessage): boolean =>
  findModel(message?.model)?.capabilities.thinking.boundToPrefix === false;

/** Whether the newest response was given to another system prompt or other tools. */
function hasHeadChanged({ context: { live } }: ConversationState, now: string): boolean {
  const last = live.findLast(
    (message) => message.type === "assistant" && promptHeadOf(message) !== undefined,
  );
  const head = last === undefined ? undefined : promptHeadOf(last);
  return head !== undefined && head !== now;
}

/** Messages come from files and may be anything. */
const holdsThinking = ({ message }: AssistantMessage): boolean =>
  Array.isArray(message?.content) && message.content.some(isThinkingBlock);

/** What a response of ours was given to, where that matters; it may come from a file and be anything. */
function promptHeadOf(message: object): string | undefined {
  const { promptHead } = message as { readonly promptHead?: unknown };
  return typeof promptHead === "string" ? promptHead : undefined;
}
