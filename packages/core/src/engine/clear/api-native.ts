import type { CompactableTools } from "../tools/compactable-tools.js";
import { isWriteLike } from "../tools/compactable-tools.js";
import {
  clearedToolUses,
  contextManagementOf,
  type ClearToolUsesEdit,
  type ContextManagement,
} from "./context-management.js";
import { weighChange } from "../money/cost-rule.js";
import type { CostVerdict } from "../events/cost-verdict.js";
import type { ClearContext, KeepReason } from "./decision.js";
import { tellOfClearing, type ApplyOptions } from "./local-clearing.js";
import type { DeletionNotice } from "../boundaries/deletion-notice.js";
import { createClearingBoundary, type ClearingBoundary } from "../boundaries/clearing-boundary.js";
import type { ResultIndex } from "./result-index.js";

/** What is held until the next compaction, because the parameter is part of the cache key. */
export interface NativeClearing {
  /** The strategy for results, as it was first sent. */
  readonly toolUses: Omit<ClearToolUsesEdit, "type"> | undefined;
  readonly thinking: "all" | "last-turn";
  /** How many tool uses the provider had cleared for the last response. */
  readonly clearedToolUses: number;
}

/** The state of a new conversation, and of one after a compaction. */
export const noNativeClearing: NativeClearing = { toolUses: undefined, thinking: "all", clearedToolUses: 0 };

export interface NativeContext extends Omit<ClearContext, "target" | "recallHint" | "previous"> {
  readonly state: NativeClearing;
  readonly tools: CompactableTools;
  /** The tools that the request declares. */
  readonly declaredTools: readonly { readonly name: string }[];
  /** Whether the request asks for thinking: without it the provider refuses the strategy for it. */
  readonly isThinking: boolean;
  /** Tokens of the whole request, as measured. */
  readonly contextTokens: number;
  readonly thresholds: { readonly autoCompactAt: number; readonly effectiveWindow: number };
  /** Milliseconds since the epoch. */
  readonly now: number;
}

/** What the next request carries, and what becomes of results: in use, or the reason why not. */
export interface NativeDecision {
  readonly parameter: ContextManagement | undefined;
  readonly state: NativeClearing;
  readonly results:
    | {
        readonly kind: "clear";
        readonly cost?: CostVerdict;
        readonly tokensBefore: number;
        readonly tokensAfter: number;
      }
    | { readonly kind: "keep"; readonly reason: KeepReason; readonly cost?: CostVerdict };
}

const MINUTE = 60_000;

/**
 * The provider's own strategies. Thinking is kept, but for the last turn only once the conversation lay idle so
 * long that the cache is gone, and only where that pays; results are cleared from a size on, where that pays although the provider's
 * boundary moves on, and what stands after it is written again, with each new result.
 */
export function decideApiNative(context: NativeContext): NativeDecision {
  const { model, settings, state } = context;
  if (settings.disableCompact || settings.disableClearing) return unused(state, "disabled");
  if (model?.capabilities.contextEdits !== true) return unused(state, "not-supported");
  const thinking =
    state.thinking === "all" && isIdle(context) && thinkingPays(context) ? "last-turn" : state.thinking;
  const { results, toolUses } = decideResults(context);
  const next: NativeClearing = { ...state, thinking, toolUses };
  const parameter = contextManagementOf({ thinking: context.isThinking ? thinking : undefined, toolUses });
  return { parameter, results, state: next };
}

const unused = (state: NativeClearing, reason: KeepReason): NativeDecision => ({
  parameter: undefined,
  state,
  results: { kind: "keep", reason },
});

/**
 * Whether it pays to let old thinking go. Which turn is the last one changes with every response, so each of
 * them writes again what stands after the thinking that went: with a cache this hardly ever pays.
 */
function thinkingPays({ index, cost, settings, contextTokens }: NativeContext): boolean {
  if (cost === undefined) return true;
  const verdict = weighChange(
    {
      cleared: index.thinkingBehind(0),
      suffix: contextTokens,
      suffixEachRound: contextTokens,
      expectedRoundsLeft: cost.expectedRoundsLeft ?? settings.clearExpectedRounds,
    },
    cost,
  );
  return verdict.pays;
}

const isIdle = ({ index, now, settings }: NativeContext): boolean =>
  index.lastResponseAt !== undefined && now - index.lastResponseAt > settings.clearIdleMinutes * MINUTE;

/** 180,000 where that lies below the point of compaction, otherwise a share of the window. */
export function nativeTrigger({
  settings,
  thresholds,
}: Pick<NativeContext, "settings" | "thresholds">): number {
  return settings.clearNativeTrigger < thresholds.autoCompactAt
    ? settings.clearNativeTrigger
    : Math.max(1, Math.floor(thresholds.effectiveWindow * settings.clearNativeTriggerShare));
}

/** How many of the newest results hold about as many tokens as are to be kept. */
function nativeKeep({ index, settings }: Pick<NativeContext, "index" | "settings">): number {
  let tokens = 0;
  let count = 0;
  for (const result of index.newestFirst()) {
    tokens += result.tokens;
    if (tokens > settings.clearNativeKeepTokens) break;
    count += 1;
  }
  return Math.max(count, settings.clearNativeKeepLeast);
}

interface DecidedResults {
  readonly results: NativeDecision["results"];
  readonly toolUses: NativeClearing["toolUses"];
}

function decideResults(context: NativeContext): DecidedResults {
  const { index, settings, state, contextTokens } = context;
  const keep = (reason: KeepReason, cost?: CostVerdict): DecidedResults => ({
    results: { kind: "keep", reason, ...(cost === undefined ? {} : { cost }) },
    toolUses: undefined,
  });
  if (state.toolUses !== undefined) {
    const cleared = clearedBy(index, state.toolUses.keep.value);
    return { results: inUse(contextTokens, cleared.tokens), toolUses: state.toolUses };
  }
  const trigger = nativeTrigger(context);
  if (contextTokens <= trigger) return keep("below-trigger");
  const toolUses = strategyFor(context, trigger);
  const cleared = clearedBy(index, toolUses.keep.value);
  if (cleared.count === 0) return keep("nothing-to-clear");
  if (cleared.tokens < settings.clearNativeAtLeast) return keep("saves-too-little");
  const cost = costOf(context, cleared);
  if (cost?.pays === false) return keep("does-not-pay", cost);
  return { results: inUse(contextTokens, cleared.tokens, cost), toolUses };
}

const inUse = (before: number, cleared: number, cost?: CostVerdict): NativeDecision["results"] => ({
  kind: "clear",
  tokensBefore: before,
  tokensAfter: before - cleared,
  ...(cost === undefined ? {} : { cost }),
});

interface NativelyCleared {
  readonly count: number;
  readonly tokens: number;
  /** Tokens from the oldest result that is kept to the end. */
  readonly behind: number;
}

/** All but the newest `keep`. Costs what is kept. */
function clearedBy(index: ResultIndex, keep: number): NativelyCleared {
  let keptTokens = 0;
  let kept = 0;
  let behind = 0;
  for (const { tokens, tokensBefore } of index.newestFirst()) {
    if (kept >= keep) break;
    kept += 1;
    keptTokens += tokens;
    behind = index.totalTokens - tokensBefore;
  }
  return { count: index.activeCount - kept, tokens: index.activeTokens - keptTokens, behind };
}

/** The parameter is new: it costs the cache of all messages once, and then what is kept with each result. */
function costOf({ cost, settings, index }: NativeContext, cleared: NativelyCleared): CostVerdict | undefined {
  if (cost === undefined) return undefined;
  return weighChange(
    {
      cleared: cleared.tokens,
      suffix: Math.max(0, index.totalTokens - cleared.tokens),
      suffixEachRound: cleared.behind,
      expectedRoundsLeft: cost.expectedRoundsLeft ?? settings.clearExpectedRounds,
    },
    cost,
  );
}

function strategyFor(context: NativeContext, trigger: number): Omit<ClearToolUsesEdit, "type"> {
  const { declaredTools, tools, settings } = context;
  const names = declaredTools.map(({ name }) => name);
  const excluded = names.filter((name) => tools.kindOf(name) === undefined);
  const writing = names.filter((name) => isWriteLike(tools.kindOf(name)));
  return {
    trigger: { type: "input_tokens", value: trigger },
    keep: { type: "tool_uses", value: nativeKeep(context) },
    clear_at_least: { type: "input_tokens", value: settings.clearNativeAtLeast },
    ...(excluded.length === 0 ? {} : { exclude_tools: excluded }),
    ...(writing.length === 0 ? {} : { clear_tool_inputs: writing }),
  };
}

export interface NotedResponse {
  readonly state: NativeClearing;
  /** Set where the provider cleared more than for the response before. */
  readonly cleared?: { readonly boundary: ClearingBoundary; readonly notice: DeletionNotice };
}

/**
 * Takes note of what the provider says it cleared for a response (`context_management` of the response). The
 * messages stay; the boundary and the event record it.
 */
export function noteNativeResponse(
  state: NativeClearing,
  contextManagement: unknown,
  options: ApplyOptions & { readonly index: ResultIndex },
): NotedResponse {
  const { index, origin } = options;
  const applied = clearedToolUses(contextManagement);
  const count = applied?.count ?? 0;
  if (applied === undefined || count <= state.clearedToolUses) {
    return { state: count === state.clearedToolUses ? state : { ...state, clearedToolUses: count } };
  }
  const ids = newestBehind(index, state.toolUses?.keep.value ?? 0, count - state.clearedToolUses);
  const tokensBefore = index.totalTokens;
  const event = {
    variant: "api-native",
    trigger: "auto",
    toolUseIds: ids,
    tokensBefore,
    tokensAfter: Math.max(0, tokensBefore - applied.tokens),
  } as const;
  tellOfClearing({ ...event, filesLost: index.filesLostWith(new Set(ids)) }, options);
  return {
    state: { ...state, clearedToolUses: count },
    cleared: {
      boundary: createClearingBoundary(origin, event),
      notice: { deletedTokens: applied.tokens, keepsPrefix: false },
    },
  };
}

/** The ids of the `count` newest results after the newest `kept`, in the order of their calls. */
function newestBehind(index: ResultIndex, kept: number, count: number): readonly string[] {
  const ids: string[] = [];
  let seen = 0;
  for (const { id } of index.newestFirst()) {
    if (ids.length >= count) break;
    seen += 1;
    if (seen > kept) ids.push(id);
  }
  return ids.toReversed();
}
