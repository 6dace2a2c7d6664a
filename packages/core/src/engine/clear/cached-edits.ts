import { createClearingBoundary } from "../boundaries/clearing-boundary.js";
import type { EditPosition, ClearingBoundary } from "../boundaries/clearing-boundary.js";
import { weighChange } from "../money/cost-rule.js";
import {
  blockedReason,
  refuse,
  refuseForNow,
  standingRefusal,
  triggerOf,
  type ClearContext,
  type ClearDecision,
  type ClearPlan,
} from "./decision.js";
import { planResult, tellOfClearing, type ApplyOptions } from "./local-clearing.js";
import type { DeletionNotice } from "../boundaries/deletion-notice.js";

/** Deletions that were sent together, and are sent again at the same place on every later request. */
export interface PinnedEdit {
  readonly position: EditPosition;
  readonly toolUseIds: readonly string[];
}

/**
 * What has to be remembered of deletions inside the provider's cache. Which results there are, and in which
 * order, the index knows; here is what it cannot know, because the messages stay as they are.
 */
export interface CachedEdits {
  readonly deleted: ReadonlySet<string>;
  /** Tokens of those, by the estimator. */
  readonly deletedTokens: number;
  readonly pinned: readonly PinnedEdit[];
  /** Announced tokens whose drop no response has shown yet. */
  readonly expectedDrop: number;
  /** What responses say of deleted tokens, all in all; the baseline for the next drop. */
  readonly reportedDeleted: number;
  /** Tokens that the last response left cached: its reads and writes. Undefined before the first. */
  readonly leftCached: number | undefined;
}

/** The state of a new conversation, and of one after a compaction. */
export const noCachedEdits: CachedEdits = {
  deleted: new Set(),
  deletedTokens: 0,
  pinned: [],
  expectedDrop: 0,
  reportedDeleted: 0,
  leftCached: undefined,
};

export interface CachedContext extends ClearContext {
  readonly state: CachedEdits;
  /** The provider deletes results inside its cached prefix. */
  readonly canEditCache: boolean;
}

/** From enough active results on, all but the newest are deleted where the provider keeps them. */
export function decideCached(context: CachedContext): ClearDecision {
  const { index, settings, state, target } = context;
  const blocked = blockedReason(context);
  if (!context.canEditCache) return refuse("cached", "not-supported");
  if (blocked !== undefined) return refuse("cached", blocked);
  const isEnough = index.activeCount - state.deleted.size >= settings.clearCachedTrigger;
  if (target === undefined && !isEnough) return refuse("cached", "below-trigger");
  const standing = standingRefusal(context);
  if (standing !== undefined) return standing;
  const results = index
    .clearable(target?.keep ?? settings.clearCachedKeep, state.deleted)
    .flatMap((result) => {
      // What would not shrink here is not worth an edit either; and stale edits can then be made up for.
      const planned = planResult(result, context);
      return planned === undefined ? [] : [{ ...planned, tokensAfter: 0 }];
    });
  if (results.length === 0) return refuseForNow(context, "cached", "nothing-to-clear");
  const cleared = results.reduce((sum, { tokensBefore }) => sum + tokensBefore, 0);
  const gone = state.deletedTokens;
  const {
    cost,
    settings: { clearExpectedRounds },
  } = context;
  const expectedRoundsLeft = cost?.expectedRoundsLeft ?? clearExpectedRounds;
  return {
    kind: "clear",
    variant: "cached",
    trigger: triggerOf(context),
    results,
    tokensBefore: index.totalTokens - gone,
    tokensAfter: index.totalTokens - gone - cleared,
    filesLost: index.filesLostWith(new Set([...state.deleted, ...results.map(({ id }) => id)])),
    // What stands after a deletion stays cached: nothing is written again.
    ...(cost === undefined
      ? {}
      : { cost: { ...weighChange({ cleared, suffix: 0, expectedRoundsLeft }, cost), cacheTokensLost: 0 } }),
  };
}

export interface AppliedEdits {
  readonly state: CachedEdits;
  readonly boundary: ClearingBoundary;
  readonly notice: DeletionNotice;
}

/** Pins the deletions of a plan at a place of the next request (`endOfRequest`). The messages stay. */
export function applyCached(
  state: CachedEdits,
  plan: ClearPlan,
  options: ApplyOptions & { readonly position: EditPosition },
): AppliedEdits {
  const { position, origin } = options;
  const { variant, trigger, tokensBefore, tokensAfter } = plan;
  const toolUseIds = plan.results.map(({ id }) => id).filter((id) => !state.deleted.has(id));
  const deletedTokens = tokensBefore - tokensAfter;
  const boundary = createClearingBoundary(origin, {
    variant,
    trigger,
    toolUseIds,
    tokensBefore,
    tokensAfter,
    pinnedAt: position,
  });
  tellOfClearing({ ...plan, toolUseIds }, options);
  return { state: pinDeletions(state, boundary), boundary, notice: { deletedTokens, keepsPrefix: true } };
}

/** The state after the deletions that a boundary tells of. */
export function pinDeletions(
  state: CachedEdits,
  { microcompactMetadata: { toolUseIds, tokensBefore, tokensAfter, pinnedAt } }: ClearingBoundary,
): CachedEdits {
  if (pinnedAt === undefined) return state;
  const deletedTokens = tokensBefore - tokensAfter;
  return {
    ...state,
    deleted: new Set([...state.deleted, ...toolUseIds]),
    deletedTokens: state.deletedTokens + deletedTokens,
    pinned: [...state.pinned, { position: pinnedAt, toolUseIds }],
    expectedDrop: state.expectedDrop + deletedTokens,
  };
}

/** What a response says of the cache. */
export interface CacheReport {
  readonly read: number;
  readonly written: number;
  /** Tokens that its edits deleted, all in all, where the provider says so. */
  readonly deleted?: number;
}

/** Deleted tokens are an estimate where the provider does not say: it may be too low by half. */
const ESTIMATE_ALLOWANCE = 1.5;
const SMALL_DROP_SHARE = 0.05;
const SMALL_DROP_TOKENS = 2000;

/**
 * The state after a response. Reads that fell further than the deletions explain mean that the cached prefix
 * is gone, and with it what the edits refer to: they are dropped (`stale`), and the time-based path takes over.
 */
export function noteCacheReport(
  state: CachedEdits,
  report: CacheReport,
): { readonly state: CachedEdits; readonly stale: boolean } {
  const leftCached = report.read + report.written;
  const deletedNow =
    report.deleted === undefined
      ? state.expectedDrop * ESTIMATE_ALLOWANCE
      : report.deleted - state.reportedDeleted;
  const expected = (state.leftCached ?? report.read) - Math.max(0, deletedNow);
  const drop = expected - report.read;
  const isBroken = drop > SMALL_DROP_TOKENS && drop > expected * SMALL_DROP_SHARE;
  if (isBroken && state.pinned.length > 0) return { state: { ...noCachedEdits, leftCached }, stale: true };
  const reportedDeleted = report.deleted ?? state.reportedDeleted;
  return { state: { ...state, leftCached, reportedDeleted, expectedDrop: 0 }, stale: false };
}
