import type { MessageOrigin } from "../../messages/construct.js";
import type { Model } from "../../models/model.js";
import { bindsThinkingOf, findModel } from "../../models/table.js";
import { pricesAt, type CostFacts } from "../money/cost-rule.js";
import type { ClearContext } from "../clear/decision.js";
import type { MeasuredSizes } from "../measure/measured-sizes.js";
import { thresholdsFor, type Thresholds } from "../measure/thresholds.js";
import { ttlMilliseconds } from "../prompt/cache-writes.js";
import type { CacheSafeParams } from "../prompt/request-builder.js";
import { latchTtl } from "../prompt/ttl/ttl-state.js";
import { matchesPattern } from "../settings/matches-pattern.js";
import { isOpen } from "./breaker.js";
import { earlyThreshold } from "./early-threshold.js";
import type { Moment, Setup } from "./stages.js";
import type { ConversationState } from "./state.js";

export const estimatorOf = ({ setup, state }: Moment): MeasuredSizes => setup.estimatorOf(state.model);

/** For messages that come next. */
export const originOf = ({ setup, state }: Moment): MessageOrigin => ({
  clock: setup.clock,
  ids: setup.ids,
  sessionId: setup.options.sessionId,
  parentUuid: state.tip ?? state.context.last?.uuid ?? null,
});

/** A model that nobody knows: large enough to be left alone, priced by ratios. */
const unknownWindow = { contextWindow: 200_000, maxOutputTokens: 32_000 } as const;

/** Of a model that is in no table: others may have another window today. */
export const rememberedWindow = ({ options }: Setup, model: string): number | undefined =>
  findModel(model) === undefined ? options.calibrations?.of(model)?.window : undefined;

/** Where room has to be made for a model, the conversation's own by default. */
export function thresholdsOf({ setup, state }: Moment, model = state.model): Thresholds {
  const stated = state.windows.get(model) ?? rememberedWindow(setup, model);
  const known = findModel(model) ?? {
    ...unknownWindow,
    capabilities: { refusesInputPlusMaxTokens: false } as Model["capabilities"],
  };
  const { settings } = setup;
  const { window } = settings;
  return thresholdsFor(
    stated === undefined ? known : { ...known, contextWindow: stated },
    stated === undefined || window === undefined
      ? settings
      : { ...settings, window: Math.min(window, stated) },
    state.context.size.shownOverhead,
  );
}

/** Where it is compacted now: at the window's threshold, or before that where it costs less. */
function compactAt(moment: Moment): number {
  const { setup, state } = moment;
  const { size, stretch } = state.context;
  return earlyThreshold({
    thresholds: thresholdsOf(moment),
    settings: setup.settings,
    cost: costFactsOf(moment),
    tokens: size.reported,
    overhead: size.shownOverhead,
    stretch,
  });
}

/** What the last answered request was made of; what it left in the cache is as warm as the host has kept it. */
export function paramsOf({ setup, state }: Moment): CacheSafeParams | undefined {
  const params = state.cache.answered?.params;
  const write = params?.writes.at(-1);
  const usedAt = setup.options.keptWarmAt?.() ?? 0;
  return params === undefined || write === undefined || usedAt <= write.usedAt
    ? params
    : { ...params, writes: [...params.writes.slice(0, -1), { ...write, usedAt }] };
}

export const isBreakerOpen = ({ setup, state }: Moment): boolean =>
  isOpen(state.room.breaker, setup.clock.now());

/**
 * Padded tokens from which on room is made before the next request: the one figure for all who ask. What failed early
 * is not tried again before it has grown; what the breaker holds back, only at the last rung.
 */
export function dueAt(moment: Moment): number {
  const thresholds = thresholdsOf(moment);
  if (moment.setup.compaction === undefined) return thresholds.limit;
  if (!thresholds.isAutoCompactOn || isBreakerOpen(moment)) return thresholds.hardAt;
  return Math.min(thresholds.autoCompactAt, Math.max(compactAt(moment), moment.state.room.notEarlyBefore));
}

/** Prices and the state of the cache; undefined for models without known prices. */
function costFactsOf({ setup, state }: Moment): CostFacts | undefined {
  const model = findModel(state.model);
  if (model === undefined) return undefined;
  const { ttl } = latchTtl(state.cache.ttl, setup.ttlFacts(state.model)).latched.decision;
  const last = Math.max(
    state.context.index.lastResponseAt ?? -Infinity,
    setup.options.keptWarmAt?.() ?? -Infinity,
  );
  const isWarm = setup.clock.now() < last + ttlMilliseconds[ttl];
  const isOff = setup.capabilitiesOf(state.model).caching === "none" || !isCachingOn({ setup, state });
  return {
    prices: pricesAt(model, state.context.size.tokens),
    cache: { state: isOff ? "off" : isWarm ? "warm" : "cold", ttl },
  };
}

export function isCachingOn({ setup, state }: Moment): boolean {
  const { disablePromptCaching, disablePromptCachingModels } = setup.settings;
  return (
    !disablePromptCaching &&
    !disablePromptCachingModels.some((pattern) => matchesPattern(state.model, pattern))
  );
}

/** Whether the next request cannot read what the last one left: its time is over, or the first picture came. */
export function isCacheLost(moment: Moment): boolean {
  const { context, cache } = moment.state;
  const hasImages = context.media.totals.images > 0;
  return costFactsOf(moment)?.cache.state !== "warm" || hasImages !== cache.hadImages;
}

/** What every clearing is decided by. */
export function clearContextOf(moment: Moment): ClearContext {
  const { setup, state } = moment;
  const { of, decision } = setup.lastDecision;
  return {
    index: state.context.index,
    estimator: estimatorOf(moment),
    settings: setup.settings,
    model: findModel(state.model),
    cost: costFactsOf(moment),
    recallHint: setup.options.recallHint,
    previous: of === listOf(state) ? decision : undefined,
  };
}

/** Names the list that decisions were made for: as long as it only grows, they may stand. */
export const listOf = ({ generation, model }: ConversationState): string => `${generation} ${model}`;

/** Thinking is bound to what stands before it; also for a model that nobody knows. */
export const bindsThinking = ({ state }: Moment): boolean => isThinkingBound(state.model);

export const isThinkingBound = (model: string): boolean => bindsThinkingOf(model) ?? true;
