import { isLateAnswer } from "../../messages/late-answer.js";
import type { AssistantMessage, Message } from "../../messages/message.js";
import { isCompactBoundary, isHumanMessage, isSyntheticError } from "../../messages/predicates.js";
import type { ResponseUsage } from "../../messages/call/response.js";
import { noNativeClearing } from "../clear/api-native.js";
import { noCachedEdits, noteCacheReport, pinDeletions } from "../clear/cached-edits.js";
import { clearResults } from "../boundaries/clear-results.js";
import { isLocalClearing, type ClearingBoundary } from "../boundaries/clearing-boundary.js";
import { applyMediaBoundary } from "../media/apply-media.js";
import { applyCuts } from "../oversize/apply-cuts.js";
import { heldHeadIn } from "../prompt/request-state.js";
import { answeredBy, withPrefix } from "../prompt/request-builder.js";
import { freshTtlState, noteRequest, reconsiderTtl } from "../prompt/ttl/ttl-state.js";
import { afterFailure, closedBreaker } from "./breaker.js";
import { cacheReportOf, noUsage, promptRequestOf, promptTokensOf } from "./cache-report.js";
import { afterCompaction, afterResponse } from "./chain.js";
import type { AnsweredRequest, ConversationEvent } from "./event.js";
import { thresholdsOf } from "./facts.js";
import { placeAnswers } from "./place-answers.js";
import type { Setup } from "./stages.js";
import { sharedBeginning } from "./shared-beginning.js";
import { nothingCached, type CacheMemory, type ConversationState, type RoomMemory } from "./state.js";

type State = ConversationState;

/** What a conversation is after an event. The one place in which it changes; nothing here touches the world. */
export function apply(setup: Setup, state: State, event: ConversationEvent): State {
  switch (event.kind) {
    case "appended":
      return appended(state, event.messages);
    case "resumed":
      return resumed(state, event);
    case "answered":
      return answered(setup, state, event);
    case "cleared":
      return cleared(state, event.boundary);
    case "media-replaced":
      return withList(state, applyMediaBoundary(state.context.live, event.boundary));
    case "cut": {
      const { boundary } = event;
      return withList(state, [...applyCuts(state.context.live, boundary.oversizeMetadata.cut), boundary]);
    }
    case "compacted":
      return compacted(setup, state, event);
    case "undone":
      return { ...withHeadOf(withoutClearings(withList(state, event.undone.live))), undoable: undefined };
    case "rewound":
      return rewound(state, event.earlier);
    case "failed":
      return failed(setup, state, event);
    case "not-stored":
      return withRoom(state, { breaker: afterFailure(state.room.breaker, setup.settings, event.at) });
    case "refused": {
      const { tokens, window } = event;
      const windows =
        window === undefined ? state.windows : new Map([...state.windows, [state.model, window]]);
      return {
        ...state,
        windows,
        context: tokens === undefined ? state.context : state.context.refused(tokens),
      };
    }
    case "reacting": {
      const { reactions, guesses } = state.room;
      return withRoom(state, { reactions: reactions + 1, guesses: guesses + (event.isStated ? 0 : 1) });
    }
    case "reacted-in-vain":
      return withRoom(state, { reactions: Infinity });
    case "model-switched":
      return switched(setup, state, event);
    case "head-held":
      return { ...appended(state, [event.record]), head: event.head, isHeadStored: true };
    case "head-measured":
      return { ...state, context: state.context.useHead(event.tokens) };
    case "requested":
      return withCache(state, { native: event.native, ttl: event.ttl });
    case "notes-written":
      return appended(state, [event.record]);
    case "ttl-noted":
      return withCache(state, { ttl: event.ttl });
    case "native-noted":
      return withCache(state, { native: event.native });
    case "picked-up":
      return withCache(state, { answered: answeredBy(event.built, event) });
    case "told":
      return setup.totals?.apply(setup, state, event.record) ?? appended(state, [event.record]);
    case "billed":
    case "branched":
      return state;
  }
}

const withCache = (state: State, change: Partial<CacheMemory>): State => ({
  ...state,
  cache: { ...state.cache, ...change },
});

const withRoom = (state: State, change: Partial<RoomMemory>): State => ({
  ...state,
  room: { ...state.room, ...change },
});

/** The live list is another one from here on: as much is cached as both begin with. */
function withList(state: State, live: readonly Message[]): State {
  const context = state.context.replace(live);
  const { answered: last } = state.cache;
  const kept = last && withPrefix(last, sharedBeginning(state.context.messages, context.messages));
  return {
    ...withCache(state, { answered: kept }),
    context,
    generation: state.generation + 1,
    tip: undefined,
  };
}

/** System prompt and tools as the list itself tells of them. */
function withHeadOf(state: State): State {
  const head = heldHeadIn(state.context.live);
  return { ...state, head, isHeadStored: head !== undefined };
}

/** What was cleared was of another list. */
const withoutClearings = (state: State): State =>
  withCache(state, {
    edits: noCachedEdits,
    areEditsStale: false,
    native: noNativeClearing,
    promptTokens: state.context.size.shownOverhead,
  });

function appended(state: State, messages: readonly Message[]): State {
  if (messages.length === 0) return state;
  const next = { ...state, context: state.context.append(messages), tip: undefined };
  return messages.some(isHumanMessage) ? withRoom(next, { reactions: 0, guesses: 0 }) : next;
}

/** What it was then; what is known of models, lifetimes and the beginning that is still cached stays known. */
function rewound(now: State, earlier: State): State {
  const { answered: last, ttl } = now.cache;
  const shared = sharedBeginning(now.context.messages, earlier.context.messages);
  return {
    ...earlier,
    windows: now.windows,
    generation: now.generation + 1,
    cache: { ...earlier.cache, ttl, answered: last && withPrefix(last, shared) },
  };
}

/** Messages of a transcript, in their order. */
function resumed(state: State, { messages, isOld }: Extract<ConversationEvent, { kind: "resumed" }>): State {
  const context = state.context.append(messages);
  const hadImages = context.media.totals.images > 0;
  let { chain, cache } = state;
  const boundary = messages.find(isCompactBoundary);
  if (boundary !== undefined) chain = afterCompaction(boundary.uuid);
  if (isOld) cache = { ...nothingCached, ttl: cache.ttl };
  let lastId: string | undefined;
  for (const message of isOld ? [] : messages) {
    if (message.type !== "assistant" || isSyntheticError(message)) continue;
    const { id, usage } = message.message ?? {};
    if (id === lastId || usage === undefined) continue;
    lastId = id;
    chain = afterResponse(chain);
    cache = noteUsage(cache, usage);
  }
  return { ...state, context, chain, cache: { ...cache, hadImages }, tip: undefined };
}

/** What a response says of the cache. */
function noteUsage(cache: CacheMemory, usage: ResponseUsage): CacheMemory {
  const { state: edits, stale } = noteCacheReport(cache.edits, cacheReportOf(usage));
  return {
    ...cache,
    edits,
    areEditsStale: cache.areEditsStale || stale,
    promptTokens: promptTokensOf(usage),
  };
}

function answered(
  setup: Setup,
  state: State,
  { message, request }: { readonly message: AssistantMessage; readonly request?: AnsweredRequest },
): State {
  const usage = (message.message.usage ?? noUsage) as ResponseUsage;
  const placed = withAnswer(state, message);
  const chain = afterResponse(state.chain);
  const { undoResponses, recompactionRounds } = setup.settings;
  const cache = noteUsage(placed.cache, usage);
  return {
    ...placed,
    chain,
    cache: {
      ...cache,
      hadImages: placed.context.media.totals.images > 0,
      ...(request === undefined ? {} : noteAnswered(placed, { message, request, usage })),
    },
    room: {
      ...placed.room,
      reactions: 0,
      guesses: chain.rounds > recompactionRounds ? 0 : placed.room.guesses,
    },
    // What stood before a compaction is held for undoing it, and no longer.
    undoable: chain.rounds > undoResponses ? undefined : state.undoable,
  };
}

/** At the end, or before what was said while it was on its way. */
function withAnswer(state: State, message: AssistantMessage): State {
  if (!isLateAnswer(message)) {
    return { ...state, context: state.context.append([message]), tip: undefined };
  }
  return { ...withList(state, placeAnswers([...state.context.live, message])), tip: message.uuid };
}

function noteAnswered(
  { cache }: State,
  {
    message,
    request: { built, at, isCurrent },
    usage,
  }: { readonly message: AssistantMessage; readonly request: AnsweredRequest; readonly usage: ResponseUsage },
): Partial<CacheMemory> {
  const ttl = noteRequest(cache.ttl, promptRequestOf(usage, { at, before: cache.promptTokens }));
  const { id } = message.message;
  return { ttl, ...(isCurrent ? { answered: answeredBy(built, { messageId: id, at }) } : {}) };
}

function cleared(state: State, boundary: ClearingBoundary): State {
  const { variant, toolUseIds } = boundary.microcompactMetadata;
  if (isLocalClearing(boundary)) {
    const next = withList(state, clearResults(state.context.live, boundary));
    // Thinking alone leaves everything else where it is.
    return toolUseIds.length === 0 ? next : withoutClearings(next);
  }
  const next = { ...state, context: state.context.append([boundary]), tip: undefined };
  return variant === "cached" ? withCache(next, { edits: pinDeletions(state.cache.edits, boundary) }) : next;
}

function compacted(
  setup: Setup,
  state: State,
  { compacted: done, isPromptKept, stretchId, readState }: Extract<ConversationEvent, { kind: "compacted" }>,
): State {
  const { boundary, live, stored } = done;
  const next = withoutClearings(withList(state, live));
  const headTokens = next.context.size.shownOverhead;
  return {
    ...withCache(next, {
      ttl: reconsiderTtl(next.cache.ttl, { ...setup.ttlFacts(state.model), headTokens }),
    }),
    chain: afterCompaction(stretchId),
    head: isPromptKept ? state.head : undefined,
    isHeadStored: false,
    room: { ...next.room, breaker: closedBreaker, lastResort: undefined, notEarlyBefore: 0 },
    undoable: { before: state.context.live, compacted: { boundary, live, stored }, readState },
  };
}

/** How much a conversation has to grow before it is compacted early again once that has failed. */
const EARLY_AGAIN = 1.25;
/** Nobody's fault: they count for nothing. */
const blameless: ReadonlySet<string> = new Set([
  "aborted",
  "blocked_by_hook",
  "not_enough_messages",
  "unknown_pivot",
]);

function failed(
  setup: Setup,
  before: State,
  { failure, isAuto, isLastResort, at }: Extract<ConversationEvent, { kind: "failed" }>,
): State {
  const { reason, failedAttempts } = failure;
  const lastResort = isLastResort === true && reason !== "aborted" ? failure : undefined;
  const state = isLastResort === undefined ? before : withRoom(before, { lastResort });
  if (!isAuto || blameless.has(reason)) return state;
  const { padded } = state.context.size;
  // Nothing had to be done: it is waited until there is more to gain.
  if (padded < thresholdsOf({ setup, state }).autoCompactAt) {
    return withRoom(state, { notEarlyBefore: padded * EARLY_AGAIN });
  }
  // A model is asked next: only what it does counts.
  if (failedAttempts.at(-1)?.writer === "notes") return state;
  return withRoom(state, { breaker: afterFailure(state.room.breaker, setup.settings, at) });
}

/** Its list is measured in other tokens, and what was cached is another model's. */
function switched(
  setup: Setup,
  state: State,
  { model, maxTokens = state.maxTokens }: Extract<ConversationEvent, { kind: "model-switched" }>,
): State {
  if (model === state.model) return { ...state, maxTokens };
  const { live, size } = state.context;
  const context = setup.contextFor(model, size.shownOverhead).replace(live);
  const next = { ...state, context, model, maxTokens };
  return withCache(withoutClearings(next), { ttl: freshTtlState });
}
