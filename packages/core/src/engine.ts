export {
  decodeLine,
  encodeLine,
  decodeEntry,
  type DecodedLine,
  type ForeignEntry,
} from "./messages/transcript/line.js";
export {
  liveMessages,
  conversationWindows,
  linkLive,
  undoneBoundary,
  type LinkedConversation,
} from "./messages/transcript/live.js";
export type { BreakDiff, BreakDiffStore } from "./engine/ports/break-diff-store.js";
export { isBilledCallsRecord, readBilledCalls, type BilledCallsRecord } from "./messages/billed-calls.js";
export { isMainThread } from "./messages/call/query-source.js";
export { createCompactBoundary, createSystemMessage, type SystemMessageParts } from "./messages/construct.js";
export { hashMessage, hashValue } from "./messages/hash.js";
export { SYNTHETIC_MODEL } from "./messages/message.js";
export { originOf, type ListOrigin } from "./messages/list-origin.js";
export { imageSize, type ImageSize } from "./messages/image-size.js";
export { createNormaliser, type Normaliser } from "./messages/normalise/normaliser.js";
export { countRepairs } from "./messages/normalise/repairs.js";
export { isSyntheticError, preservedSegmentOf, reachesModel } from "./messages/predicates.js";
export { asFields, isTooDeep } from "./messages/fields.js";
export { readCalibration, uncalibrated } from "./engine/measure/calibration.js";
export {
  createDefaultEstimator,
  type DefaultEstimator,
  type DefaultEstimatorOptions,
} from "./engine/measure/default-estimator.js";
export { readUsage, type CountedUsage } from "./engine/measure/growth.js";
export { createHeuristicEstimator } from "./engine/measure/heuristic-estimator.js";
export { createMemoryCalibrationStore } from "./engine/measure/calibration-store.js";
export { addCall, emptyAccount } from "./engine/money/account.js";
export { billCall } from "./engine/money/bill-call.js";
export { createCallMeter, type CallMeter } from "./engine/money/call-meter.js";
export { sentBlocks } from "./engine/measure/sent-blocks.js";
export { accountFor } from "./engine/measure/account-for.js";
export {
  createContextMeter,
  type ContextMeter,
  type ContextMeterOptions,
} from "./engine/measure/context-meter.js";
export { createMeasuredSizes, type MeasuredSizes } from "./engine/measure/measured-sizes.js";
export { pressureOf, thresholdsFor, type ThresholdSettings } from "./engine/measure/thresholds.js";
export {
  decideApiNative,
  noNativeClearing,
  noteNativeResponse,
  type NativeClearing,
  type NativeContext,
  type NativeDecision,
  type NotedResponse,
} from "./engine/clear/api-native.js";
export {
  placeCachedEdits,
  type CacheEditsBlock,
  type EditableRequestMessage,
  type ReferencedResultBlock,
} from "./engine/clear/cached-edits-request.js";
export {
  applyCached,
  decideCached,
  noCachedEdits,
  noteCacheReport,
  type AppliedEdits,
  type CachedContext,
  type CachedEdits,
  type CacheReport,
} from "./engine/clear/cached-edits.js";
export { cachedClearing, type CachedClearing } from "./engine/clear/cached-clearing.js";
export { applyClearings } from "./engine/boundaries/clear-results.js";
export { CLEARED_RESULT_TEXT } from "./engine/boundaries/cleared-result.js";
export type {
  ClearThinkingEdit,
  ClearToolUsesEdit,
  ContextManagement,
} from "./engine/clear/context-management.js";
export { pricesAt, type CostFacts } from "./engine/money/cost-rule.js";
export { priceCalls } from "./engine/money/price-calls.js";
export type {
  ClearContext,
  ClearDecision,
  ClearPlan,
  ClearRefusal,
  ClearTarget,
  KeepReason,
  PlannedResult,
} from "./engine/clear/decision.js";
export { applyClearing, type ApplyOptions, type Cleared } from "./engine/clear/local-clearing.js";
export type { DeletionNotice } from "./engine/boundaries/deletion-notice.js";
export {
  isClearingBoundary,
  type ClearingBoundary,
  type ClearingMetadata,
} from "./engine/boundaries/clearing-boundary.js";
export { restateClearings } from "./engine/clear/restate-clearings.js";
export {
  createResultIndex,
  type IndexedResult,
  type ResultIndex,
  type ResultIndexOptions,
} from "./engine/clear/result-index.js";
export { recallTool, RECALL_LIMITS, RECALL_TOOL } from "./engine/tools/recall-tool.js";
export { droppedHint, recallById, recallHint } from "./engine/tools/recall-hints.js";
export { decideSizeBased, type SizeBasedContext } from "./engine/clear/size-based.js";
export { decideTimeBased, type TimeBasedContext } from "./engine/clear/time-based.js";
export { buildFork, cloneStates, type Cloneable, type ForkParts } from "./engine/prompt/fork.js";
export {
  createRequestBuilder,
  type RequestBuilder,
  type RequestParts,
} from "./engine/prompt/request-builder.js";
export {
  createSystemLayouter,
  type SystemLayouter,
  type SystemParts,
} from "./engine/prompt/system-blocks.js";
export { createSystemPrompt, dynamicBoundary, section, volatileSection } from "./engine/prompt/sections.js";
export { createToolList, type ToolList, type ToolListing } from "./engine/prompt/tool-list.js";
export { addToHistory, noGapHistory, readGapHistory } from "./engine/prompt/ttl/gap-history.js";
export { keepAliveRequest } from "./engine/prompt/ttl/keep-alive-request.js";
export {
  decideKeepAlive,
  type ColdSummary,
  type KeepAliveDecision,
  type KeepAliveFacts,
  type KeepAlivePlan,
  type KeepAliveSettings,
} from "./engine/prompt/ttl/keep-alive.js";
export { recordedRequests, type RecordedRequest } from "./engine/prompt/ttl/recorded-requests.js";
export { createTtlPolicy, type TtlPolicyOptions } from "./engine/prompt/ttl/ttl-policy.js";
export type { TtlFacts, TtlSettings } from "./engine/prompt/ttl/ttl-state.js";
export { matchesPattern } from "./engine/settings/matches-pattern.js";
export { earlyThreshold, type EarlyFacts, type Stretch } from "./engine/conversation/early-threshold.js";
export { applyBoundaries } from "./engine/conversation/apply-boundaries.js";
export {
  isMediaBoundary,
  type MediaBoundary,
  type MediaMetadata,
  type ReplacedMedia,
} from "./engine/boundaries/media-boundary.js";
export { capabilitiesOfModel, chatCapabilities, cloudCapabilities } from "./engine/ports/capabilities.js";
export { createMemoryOverflow } from "./engine/ports/overflow-store.js";
export { capResult, type CapResultOptions } from "./engine/conversation/cap-result.js";
export { describeBreak } from "./engine/watch/describe-break.js";
export {
  createCacheWatch,
  type CacheWatch,
  type CacheWatchOptions,
  type WatchSettings,
} from "./engine/watch/cache-watch.js";
export type {
  WatchedAnswer,
  WatchedCall,
  WatchedFacts,
  WatchedSection,
} from "./engine/watch/watched-call.js";
export {
  cacheFigures,
  costOfLoss,
  judgeReading,
  type CacheFigures,
  type Loss,
} from "./engine/watch/judge-reading.js";
export { cleanUpAfterCompaction, type CleanupOptions, type CleanupReport } from "./engine/restore/cleanup.js";
export { compact } from "./engine/summarise/compact.js";
export type { CompactInput, PreparedSummary } from "./engine/summarise/run/compact-run.js";
export type { SizeFacts } from "./engine/summarise/run/new-size.js";
export { planCompaction } from "./engine/summarise/plan.js";
export { USUAL_SUMMARY_TOKENS } from "./engine/summarise/write/fork-price.js";
export { summaryPrompt, type SummaryPromptOptions } from "./engine/summarise/write/prompt.js";
export { sectionTitles } from "./engine/summarise/shape/sections.js";
export { undoCompaction, type UndoInput } from "./engine/summarise/undo/undo.js";
export type { HumanText } from "./engine/summarise/people/human-text.js";
export { humanTextsOf } from "./engine/summarise/people/human-texts.js";
export { writeDiffs } from "./engine/watch/write-diffs.js";
export { takeTurn, type TurnEnd, type TurnOptions } from "./engine/conversation/turn.js";
export { untilAnswered, type TurnParts } from "./engine/conversation/until-answered.js";
export { endOf } from "./engine/conversation/end-of.js";
export { telling } from "./engine/conversation/telling.js";
export { isRewound } from "./messages/rewound.js";
