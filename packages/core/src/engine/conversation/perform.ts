import type { Message } from "../../messages/message.js";
import { findModel } from "../../models/table.js";
import type { CachedDeletion } from "../clear/cached-clearing.js";
import type { ClearPlan } from "../clear/decision.js";
import { applyClearing } from "../clear/local-clearing.js";
import { createClearingBoundary } from "../boundaries/clearing-boundary.js";
import { applyMedia } from "../media/apply-media.js";
import { decideMedia, type MediaPlan } from "../media/decide-media.js";
import type { EngineStep } from "./conversation-api.js";
import { describeClearing, describeMedia } from "./describe-step.js";
import { hasThinking, type Action } from "./decide.js";
import { bindsThinking, estimatorOf, isThinkingBound, originOf } from "./facts.js";
import { planForStage } from "./stage-clearing.js";
import type { Running } from "./stages.js";

/** Carries an action out that needs no model; undefined where there is nothing to tell of. */
export async function perform(running: Running, action: Action): Promise<EngineStep | undefined> {
  switch (action.do) {
    case "replace-media":
      return replaceMedia(running, action.plan);
    case "stage": {
      const stage = running.setup.stages[action.at];
      const plan = stage && (await planForStage(running, stage));
      return plan && clearResults(running, plan);
    }
    case "restate-deletions":
      await restateDeletions(running);
      return undefined;
    case "clear":
      return clearResults(running, action.plan);
    case "delete":
      return deleteCached(running, action);
    case "cut":
      return running.setup.compaction?.cut(running, action.cuts);
    case "drop-thinking":
      await dropThinking(running);
      return undefined;
    default:
      return undefined;
  }
}

/** Pictures and documents become text. */
async function replaceMedia(running: Running, plan: MediaPlan): Promise<EngineStep> {
  const { setup, state } = running;
  const tokensBefore = state.context.size.tokens;
  const { boundary, notice } = applyMedia(state.context.live, plan, {
    origin: originOf(running),
    events: setup.events,
    estimator: estimatorOf(running),
  });
  await running.commit({ kind: "media-replaced", boundary });
  setup.watch.notifyDeletion(setup.source, notice);
  const tokensAfter = running.state.context.size.tokens;
  const text = describeMedia(boundary.mediaMetadata.replaced, { tokensBefore, tokensAfter });
  return { tier: "media", added: [boundary], tokensBefore, tokensAfter, text };
}

/** The request has too many bytes: the older half of what pictures and documents have goes. */
export async function halveMedia(running: Running): Promise<EngineStep | undefined> {
  const { setup, state } = running;
  const { media } = state.context;
  const { bytes } = media.totals;
  if (bytes === 0) return undefined;
  const settings = { ...setup.settings, mediaBytes: Math.max(1, Math.floor(bytes / 2)) };
  const plan = decideMedia(media, { model: findModel(state.model), settings });
  return plan && replaceMedia(running, plan);
}

/** Results go from the messages. */
async function clearResults(running: Running, plan: ClearPlan): Promise<EngineStep> {
  const { setup, state } = running;
  const tokensBefore = state.context.size.tokens;
  const { boundary, notice } = applyClearing(state.context.live, plan, {
    origin: originOf(running),
    events: setup.events,
    readState: setup.options.state?.readState,
  });
  await running.commit({ kind: "cleared", boundary });
  setup.watch.notifyDeletion(setup.source, notice);
  const tier = plan.variant === "time-based" ? "time-based" : "size-based";
  const tokensAfter = running.state.context.size.tokens;
  return stepOf(tier, { plan, added: [boundary], tokensBefore, tokensAfter });
}

/** Results go from the provider's cache. */
async function deleteCached(
  running: Running,
  { plan, position }: CachedDeletion,
): Promise<EngineStep | undefined> {
  const { setup, state } = running;
  const applied = setup.options.cachedClearing?.apply(state.cache.edits, plan, {
    position,
    origin: originOf(running),
    events: setup.events,
    readState: setup.options.state?.readState,
  });
  if (applied === undefined) return undefined;
  const { boundary, notice } = applied;
  const tokensBefore = state.context.size.tokens;
  await running.commit({ kind: "cleared", boundary });
  setup.watch.notifyDeletion(setup.source, notice);
  return stepOf("cached", {
    plan,
    added: [boundary],
    tokensBefore,
    tokensAfter: tokensBefore - notice.deletedTokens,
  });
}

/** Deletions inside a cache that is of no use any more are made up for in the messages themselves. */
export async function restateDeletions(running: Running): Promise<void> {
  const { deleted, deletedTokens } = running.state.cache.edits;
  if (deleted.size > 0) {
    await takeOut(running, {
      toolUseIds: [...deleted],
      tokensBefore: deletedTokens,
      isThinkingLost: bindsThinking(running),
    });
  }
}

/** What thinking was bound to has changed: all of it goes. */
const dropThinking = (running: Running): Promise<void> =>
  takeOut(running, { toolUseIds: [], tokensBefore: 0, isThinkingLost: true });

/** Results go whose tokens are not there any more, and all thinking where nothing holds it. */
async function takeOut(
  running: Running,
  {
    isThinkingLost,
    ...gone
  }: {
    readonly toolUseIds: readonly string[];
    readonly tokensBefore: number;
    readonly isThinkingLost: boolean;
  },
): Promise<void> {
  const [first] = running.state.context.live;
  if (first === undefined) return;
  const boundary = createClearingBoundary(originOf(running), {
    variant: "size-based",
    trigger: "auto",
    ...gone,
    tokensAfter: 0,
    ...(isThinkingLost ? { thinkingRemovedAfter: first.uuid } : {}),
  });
  await running.commit({ kind: "cleared", boundary });
}

/**
 * Thinking of a model that binds it goes where the conversation is with one that does not: changes for that one leave it
 * where it is, and coming back it would be refused.
 */
export async function dropBoundThinking(running: Running): Promise<void> {
  const isBound = (message: Message): boolean =>
    message.type === "assistant" && isThinkingBound(message.message?.model) && hasThinking([message]);
  if (!bindsThinking(running) && running.state.context.live.some(isBound)) await dropThinking(running);
}

function stepOf(
  tier: "time-based" | "cached" | "size-based",
  facts: Pick<EngineStep, "added" | "tokensBefore" | "tokensAfter"> & { readonly plan: ClearPlan },
): EngineStep {
  const { plan, ...rest } = facts;
  return { tier, ...rest, text: describeClearing(plan.results.length, rest) };
}
