import { applyCached, decideCached } from "../clear/cached-edits.js";
import { endOfRequest } from "../clear/cached-edits-request.js";
import type { ClearPlan, ClearTarget } from "../clear/decision.js";
import { clearResults } from "../boundaries/clear-results.js";
import { createMicrocompactBoundary } from "../boundaries/microcompact-boundary.js";
import { applyClearing } from "../clear/local-clearing.js";
import { decideSizeBased } from "../clear/size-based.js";
import { decideTimeBased } from "../clear/time-based.js";
import { headTokens } from "../measure/context-meter.js";
import { findModel } from "../../models/table.js";
import { applyMedia } from "../media/apply-media.js";
import { decideMedia } from "../media/decide-media.js";
import type { Settings } from "../settings/settings.js";
import type { ConversationCore } from "./conversation-core.js";
import type { ConversationPlan, EngineStep } from "./conversation.js";
import { describeClearing, describeMedia } from "./describe-step.js";

/** Step 1 of the pipeline: what is stale goes where that costs nothing or pays. */
export async function* clearWhatIsStale(core: ConversationCore): AsyncGenerator<EngineStep> {
  const media = await replaceMedia(core);
  if (media !== undefined) yield media;
  // What was deleted inside a cache that is gone would come back, all at once.
  if (core.edits.deleted.size > 0 && core.isCacheLost()) await clearWhatWasDeleted(core);
  const byTime = decideByTime(core);
  if (byTime !== undefined) {
    yield await applyLocally(core, byTime);
    core.areEditsStale = false;
    return;
  }
  const decision = decideCached({
    ...core.clearContext(),
    state: core.edits,
    canEditCache: core.capabilities.cacheEdits,
  });
  const position = endOfRequest(core.state.messages);
  if (decision.kind !== "clear" || position === undefined) {
    const eager = core.settings.clearEagerly ? decideEagerly(core) : undefined;
    if (eager !== undefined) yield await applyLocally(core, eager);
    return;
  }
  const { state, boundary, notice } = applyCached(core.edits, decision, {
    position,
    origin: core.origin(),
    events: core.events,
    ...readStateOf(core),
  });
  const tokensBefore = core.state.size.tokens;
  await core.add([boundary]);
  core.edits = state;
  core.watch.notifyDeletion(core.source, notice);
  yield stepOf("cached", {
    plan: decision,
    added: [boundary],
    tokensBefore,
    tokensAfter: tokensBefore - notice.deletedTokens,
  });
}

/** Pictures and documents beyond what one request may carry become text, the oldest first. */
async function replaceMedia(
  core: ConversationCore,
  settings: Settings = core.settings,
): Promise<EngineStep | undefined> {
  const plan = decideMedia(core.state.media, { model: findModel(core.model), settings });
  if (plan === undefined) return undefined;
  const tokensBefore = core.state.size.tokens;
  const { messages, boundary, notice } = applyMedia(core.state.live, plan, {
    origin: core.origin(),
    events: core.events,
    estimator: core.estimator,
  });
  await core.store([boundary]);
  core.replace(messages);
  core.watch.notifyDeletion(core.source, notice);
  const tokensAfter = core.state.size.tokens;
  const text = describeMedia(boundary.mediaMetadata.replaced, { tokensBefore, tokensAfter });
  return { tier: "media", added: [boundary], tokensBefore, tokensAfter, text };
}

/** The request has too many bytes: the older half of what pictures and documents have goes. */
export async function halveMedia(core: ConversationCore): Promise<EngineStep | undefined> {
  const { bytes } = core.state.media.totals;
  return bytes === 0
    ? undefined
    : replaceMedia(core, { ...core.settings, mediaBytes: Math.max(1, Math.floor(bytes / 2)) });
}

interface ClearAim {
  /** Below this the context has to be afterwards. */
  readonly limit: number;
  /** How far to go. Default: as the settings say. */
  readonly target?: ClearTarget;
}

/** Step 4: only where it gets the context below the limit; half a clearing would make a summary call cold. */
export async function clearBySize(core: ConversationCore, aim: ClearAim): Promise<EngineStep | undefined> {
  const plan = decideBySize(core, aim);
  return plan === undefined ? undefined : applyLocally(core, plan);
}

/** Deletions inside a cache that is of no use any more are made up for in the messages themselves. */
export async function clearWhatWasDeleted(core: ConversationCore): Promise<void> {
  const toolUseIds = [...core.edits.deleted];
  const [first] = core.state.live;
  if (toolUseIds.length === 0 || first === undefined) return;
  const isBound = findModel(core.model)?.capabilities.thinking.boundToPrefix ?? true;
  const boundary = createMicrocompactBoundary(core.origin(), {
    variant: "size-based",
    trigger: "auto",
    toolUseIds,
    tokensBefore: core.edits.deletedTokens,
    tokensAfter: 0,
    ...(isBound ? { thinkingRemovedAfter: first.uuid } : {}),
  });
  await core.store([boundary]);
  core.replace(clearResults(core.state.live, boundary));
  core.forgetClearings();
}

/** What thinking was bound to has changed: all of it goes, or the API would refuse it. */
export async function dropThinking(core: ConversationCore): Promise<void> {
  const [first] = core.state.live;
  if (first === undefined) return;
  const boundary = createMicrocompactBoundary(core.origin(), {
    variant: "size-based",
    trigger: "auto",
    toolUseIds: [],
    tokensBefore: 0,
    tokensAfter: 0,
    thinkingRemovedAfter: first.uuid,
  });
  const messages = clearResults(core.state.live, boundary);
  await core.store([boundary]);
  core.replace(messages);
}

interface PlannedClearing {
  readonly tokensAfter: number;
  readonly toolUseIds: readonly string[];
}

/** What `clearWhatIsStale` would do. */
export function planClearing(core: ConversationCore): ConversationPlan | undefined {
  const { tokens } = core.state.size;
  const media = planMedia(core);
  if (media > 0) return { tier: "media", tokens, count: media };
  const stale = planned(core, decideByTime(core));
  if (stale !== undefined) return { tier: "time-based", tokens, ...stale };
  const cached = planCached(core);
  return cached === undefined ? undefined : { tier: "cached", tokens, ...cached };
}

/** What would be deleted inside the provider's cache. */
function planCached(core: ConversationCore): PlannedClearing | undefined {
  const canEditCache = core.capabilities.cacheEdits;
  const decision = decideCached({ ...core.clearContext(), state: core.edits, canEditCache });
  return planned(core, decision.kind === "clear" ? decision : undefined);
}

/** How many pictures and documents would become text. */
const planMedia = (core: ConversationCore): number =>
  decideMedia(core.state.media, { model: findModel(core.model), settings: core.settings })?.replaced.length ??
  0;

/** What `clearBySize` would clear. */
export const planBySize = (core: ConversationCore, aim: ClearAim): PlannedClearing | undefined =>
  planned(core, decideBySize(core, aim));

const planned = (core: ConversationCore, plan: ClearPlan | undefined): PlannedClearing | undefined =>
  plan && {
    tokensAfter: core.state.size.tokens - (plan.tokensBefore - plan.tokensAfter),
    toolUseIds: plan.results.map(({ id }) => id),
  };

function decideByTime(core: ConversationCore): ClearPlan | undefined {
  const decision = decideTimeBased({
    ...core.clearContext(),
    now: core.clock.now(),
    isMainThread: core.isMainThread,
    isCacheExpired: core.areEditsStale,
  });
  return decision.kind === "clear" ? decision : undefined;
}

function decideEagerly(core: ConversationCore): ClearPlan | undefined {
  const decision = decideSizeBased(core.clearContext());
  core.lastDecision = decision;
  return decision.kind === "clear" ? decision : undefined;
}

function decideBySize(core: ConversationCore, { limit, target }: ClearAim): ClearPlan | undefined {
  const context = { ...core.clearContext(), isPressed: true };
  const decision = decideSizeBased(target === undefined ? context : { ...context, target });
  if (decision.kind !== "clear") return undefined;
  // Behind a clearing no response counts any more: everything is an estimate, and padded.
  const { size } = core.state;
  const freed = decision.tokensBefore - decision.tokensAfter;
  const after = headTokens(size) + core.estimator.pad(Math.max(0, size.messageTokens - freed));
  return after < limit ? decision : undefined;
}

async function applyLocally(core: ConversationCore, plan: ClearPlan): Promise<EngineStep> {
  const tokensBefore = core.state.size.tokens;
  const { messages, boundary, notice } = applyClearing(core.state.live, plan, {
    origin: core.origin(),
    events: core.events,
    ...readStateOf(core),
  });
  await core.store([boundary]);
  core.replace(messages);
  core.forgetClearings();
  core.watch.notifyDeletion(core.source, notice);
  const variant = plan.variant === "time-based" ? "time-based" : "size-based";
  return stepOf(variant, { plan, added: [boundary], tokensBefore, tokensAfter: core.state.size.tokens });
}

const readStateOf = ({ options }: ConversationCore) =>
  options.state === undefined ? {} : { readState: options.state.readState };

function stepOf(
  tier: "time-based" | "cached" | "size-based",
  facts: Pick<EngineStep, "added" | "tokensBefore" | "tokensAfter"> & { readonly plan: ClearPlan },
): EngineStep {
  const { plan, ...rest } = facts;
  return { tier, ...rest, text: describeClearing(plan.results.length, rest) };
}
