export {
  isBilledCallsRecord,
  readBilledCalls,
  type BilledCall,
  type BilledCallsRecord,
} from "./messages/billed-calls.js";
export type {
  ApiFailure,
  ApiFailureKind,
  Overflow,
  OverflowFailure,
  PlainFailure,
} from "./messages/call/failure.js";
export { isMainThread, trackedAs, type QuerySource } from "./messages/call/query-source.js";
export type { ModelRequest, ToolDefinition } from "./messages/call/request.js";
export type {
  SendableAssistantBlock,
  SendableMessage,
  SendableRequest,
  SendableText,
  SendableTool,
  SendableUserBlock,
} from "./messages/call/sendable-request.js";
export type { ModelResponse, ResponseUsage, UsageIteration } from "./messages/call/response.js";
export type { ClosedBlock, StreamOutput, StreamViolation } from "./messages/call/stream.js";
export type {
  AssistantBlock,
  AssistantRequestMessage,
  CacheControl,
  CompactionBlock,
  ContainerUploadBlock,
  ContentBlock,
  DocumentBlock,
  ImageBlock,
  RedactedThinkingBlock,
  RequestMessage,
  SearchResultBlock,
  ServerToolResultBlock,
  ServerToolUseBlock,
  TextBlock,
  ThinkingBlock,
  ToolReferenceBlock,
  ToolResultBlock,
  ToolResultContent,
  ToolUseBlock,
  UserBlock,
  UserRequestMessage,
} from "./messages/content.js";
export {
  createAssistantMessage,
  createAttachmentMessage,
  createCompactBoundary,
  createSystemMessage,
  createUserMessage,
  type AssistantMessageParts,
  type Clock,
  type Ids,
  type MessageOrigin,
  type SystemMessageParts,
  type UserMessageParts,
} from "./messages/construct.js";
export { EMPTY_LIST_HASH, extendListHash, hashList, hashMessage, hashValue } from "./messages/hash.js";
export {
  SYNTHETIC_MODEL,
  type AssistantMessage,
  type Attachment,
  type AttachmentMessage,
  type CompactBoundary,
  type CompactMetadata,
  type Message,
  type PreservedSegment,
  type ProgressMessage,
  type SummaryCall,
  type SystemMessage,
  type Usage,
  type UserMessage,
} from "./messages/message.js";
export { imageSize, type ImageSize } from "./messages/image-size.js";
export {
  createNormaliser,
  normalise,
  type Normalised,
  type Normaliser,
  type NormaliseOptions,
} from "./messages/normalise/normaliser.js";
export { repairToolInput, type JsonSchema } from "./messages/normalise/repair-tool-input.js";
export { countRepairs, repairKinds, type Repair, type RepairKind } from "./messages/normalise/repairs.js";
export {
  isCompactBoundary,
  isHumanMessage,
  isSyntheticError,
  isThinkingOnly,
  isVisibleUserMessage,
  preservedSegmentOf,
  reachesModel,
} from "./messages/predicates.js";
export { asFields, isTooDeep } from "./messages/fields.js";
export {
  decodeEntry,
  decodeLine,
  encodeLine,
  type DecodedLine,
  type ForeignEntry,
} from "./messages/transcript/line.js";
export {
  conversationWindows,
  linkLive,
  liveMessages,
  undoneBoundary,
  type LinkedConversation,
} from "./messages/transcript/live.js";
export type {
  ImageLimits,
  Model,
  ModelCapabilities,
  Prices,
  ThinkingSupport,
  TokenizerGeneration,
} from "./models/model.js";
export { findModel, models } from "./models/table.js";
export {
  TranscriptError,
  type DamagedLine,
  type TranscriptContent,
  type TranscriptErrorCode,
  type TranscriptInfo,
  type TranscriptStore,
  type TranscriptWriter,
} from "./engine/ports/transcript-store.js";
export {
  calibrate,
  errorBound,
  readCalibration,
  uncalibrated,
  type Calibration,
} from "./engine/measure/calibration.js";
export {
  createDefaultEstimator,
  type DefaultEstimator,
  type DefaultEstimatorOptions,
} from "./engine/measure/default-estimator.js";
export type { Estimator, ShownGrowth } from "./engine/ports/estimator.js";
export { readUsage, type CountedUsage } from "./engine/measure/growth.js";
export { createHeuristicEstimator } from "./engine/measure/heuristic-estimator.js";
export {
  createMemoryCalibrationStore,
  type Calibrations,
  type CalibrationStore,
} from "./engine/measure/calibration-store.js";
export {
  accountByModel,
  accountBySource,
  accountOf,
  accountTotal,
  addCall,
  emptyAccount,
  type Account,
  type AccountLine,
  type AccountSum,
  type AccountTotal,
} from "./engine/money/account.js";
export { createCallMeter, type CallMeter, type SentCall } from "./engine/money/call-meter.js";
export { priceCall, type CallPrice } from "./engine/money/price-call.js";
export { accountFor } from "./engine/measure/account-for.js";
export type { Accounting, DuplicateRead, Share } from "./engine/events/accounting.js";
export {
  createContextMeter,
  type ContextMeter,
  type ContextMeterOptions,
  type ContextSize,
} from "./engine/measure/context-meter.js";
export {
  isBlocked,
  percentLeft,
  pressureOf,
  thresholdsFor,
  type Pressure,
  type Thresholds,
  type ThresholdSettings,
} from "./engine/measure/thresholds.js";
export {
  createEventEmitter,
  type EventEmitter,
  type EventName,
  type Listener,
} from "./engine/events/emitter.js";
export type { ClearVariant, EngineEvents } from "./engine/events/engine-events.js";
export {
  defaultSettings,
  resolveSettings,
  settingDefinitions,
  type ResolvedSettings,
  type SettingDefinition,
  type SettingName,
  type SettingProblem,
  type Settings,
  type SettingSources,
} from "./engine/settings/settings.js";
export {
  decideApiNative,
  nativeKeep,
  nativeTrigger,
  noNativeClearing,
  noteNativeResponse,
  type NativeClearing,
  type NativeContext,
  type NativeDecision,
  type NotedResponse,
} from "./engine/clear/api-native.js";
export {
  endOfRequest,
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
  restoreCachedEdits,
  type AppliedEdits,
  type CachedContext,
  type CachedEdits,
  type CacheReport,
  type PinnedEdit,
} from "./engine/clear/cached-edits.js";
export { applyMicrocompactions } from "./engine/boundaries/clear-results.js";
export { CLEARED_RESULT_TEXT, isClearedResult, type RecallHint } from "./engine/boundaries/cleared-result.js";
export {
  createCompactableTools,
  type CompactableKind,
  type CompactableTools,
  type CompactableToolsOptions,
} from "./engine/tools/compactable-tools.js";
export {
  CONTEXT_MANAGEMENT_BETA,
  type ClearThinkingEdit,
  type ClearToolUsesEdit,
  type ContextManagement,
} from "./engine/clear/context-management.js";
export { pricesAt, weighChange, type CostFacts, type PricedChange } from "./engine/money/cost-rule.js";
export type { CacheFacts, CostVerdict } from "./engine/events/cost-verdict.js";
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
  isMicrocompactBoundary,
  removesContent,
  type EditPosition,
  type MicrocompactBoundary,
  type MicrocompactMetadata,
} from "./engine/boundaries/microcompact-boundary.js";
export { restateClearings } from "./engine/clear/restate-clearings.js";
export {
  createResultIndex,
  type IndexedResult,
  type ResultIndex,
  type ResultIndexOptions,
} from "./engine/clear/result-index.js";
export { decideSizeBased, type SizeBasedContext } from "./engine/clear/size-based.js";
export { decideTimeBased, type TimeBasedContext } from "./engine/clear/time-based.js";
export type {
  CallOptions,
  CallProgress,
  ModelCall,
  ModelOutput,
  ModelProvider,
} from "./engine/ports/model-provider.js";
export {
  chatCapabilities,
  messagesApiCapabilities,
  type ProviderCapabilities,
} from "./engine/ports/capabilities.js";
export { buildFork, cloneStates, type Cloneable, type ForkParts } from "./engine/prompt/fork.js";
export type { CacheWrite } from "./engine/prompt/cache-writes.js";
export {
  placeMarkers,
  type BlockPosition,
  type MarkedParts,
  type MarkerOptions,
  type Ttl,
  type UnmarkedParts,
} from "./engine/prompt/markers.js";
export {
  createRequestBuilder,
  type BuiltRequest,
  type CacheSafeParams,
  type CallParameters,
  type RequestBuilder,
  type RequestParts,
} from "./engine/prompt/request-builder.js";
export {
  createSystemPrompt,
  dynamicBoundary,
  section,
  volatileSection,
  type ComputeSection,
  type PromptBoundary,
  type PromptSection,
  type ResolvedSection,
  type SystemPrompt,
} from "./engine/prompt/sections.js";
export {
  createSystemLayouter,
  type SystemLayout,
  type SystemLayouter,
  type SystemParts,
} from "./engine/prompt/system-blocks.js";
export {
  createToolList,
  type OfferedTool,
  type ToolList,
  type ToolListing,
  type ToolListOptions,
} from "./engine/prompt/tool-list.js";
export { createMemoryGapHistoryStore, type GapHistoryStore } from "./engine/prompt/ttl/gap-history-store.js";
export { expectedCost, relativePrices, type TtlCosts } from "./engine/prompt/ttl/expected-cost.js";
export type { GapBucket, GapEvidence, PromptRequest } from "./engine/prompt/ttl/gap-evidence.js";
export {
  addToHistory,
  noGapHistory,
  readGapHistory,
  type GapHistory,
} from "./engine/prompt/ttl/gap-history.js";
export { keepAliveRequest } from "./engine/prompt/ttl/keep-alive-request.js";
export {
  decideKeepAlive,
  type KeepAliveDecision,
  type KeepAliveFacts,
  type KeepAlivePlan,
  type KeepAliveSettings,
} from "./engine/prompt/ttl/keep-alive.js";
export { recordedRequests, type RecordedRequest } from "./engine/prompt/ttl/recorded-requests.js";
export { createTtlPolicy, type TtlPolicy, type TtlPolicyOptions } from "./engine/prompt/ttl/ttl-policy.js";
export type {
  CacheAccount,
  SourceTtls,
  TtlDecision,
  TtlFacts,
  TtlSettings,
  TtlState,
} from "./engine/prompt/ttl/ttl-state.js";
export {
  createMemoryBreakDiffStore,
  type BreakDiff,
  type BreakDiffStore,
  type MemoryBreakDiffStore,
} from "./engine/ports/break-diff-store.js";
export { matchesPattern } from "./engine/settings/matches-pattern.js";
export type {
  CompactHooks,
  HookContext,
  PostCompactInput,
  PreCompactInput,
  PreCompactOutput,
} from "./engine/ports/compact-hooks.js";
export { COMPACTION_BETA } from "./engine/prompt/request-builder.js";
export { applyBoundaries } from "./engine/conversation/apply-boundaries.js";
export { createConversation } from "./engine/conversation/conversation.js";
export type { ConversationOptions } from "./engine/conversation/conversation-options.js";
export type { ConversationSystem, RestoreSources } from "./engine/conversation/host-options.js";
export type {
  CompactOptions,
  Conversation,
  ConversationPlan,
  ConversationSize,
  EngineStep,
  Held,
  Observed,
  Outcome,
  PlannedStep,
  Prepared,
  PreparedRequest,
} from "./engine/conversation/conversation-api.js";
export type { Timer } from "./engine/ports/timer.js";
export {
  applyMedia,
  applyMediaBoundaries,
  type AppliedMedia,
  type ApplyMediaOptions,
} from "./engine/media/apply-media.js";
export { decideMedia, type MediaPlan, type PlannedMedia } from "./engine/media/decide-media.js";
export type { MediaReason } from "./engine/events/media-reason.js";
export {
  isMediaBoundary,
  type MediaBoundary,
  type MediaMetadata,
  type ReplacedMedia,
} from "./engine/boundaries/media-boundary.js";
export {
  createMediaIndex,
  type IndexedMedia,
  type MediaIndex,
  type MediaTotals,
} from "./engine/media/media-index.js";
export type { MediaOptions } from "./engine/media/media-limits.js";
export { applyOversizeBoundaries } from "./engine/oversize/apply-cuts.js";
export {
  isOversizeBoundary,
  type CutText,
  type OversizeBoundary,
  type OversizeMetadata,
} from "./engine/boundaries/oversize-boundary.js";
export {
  createMemoryOverflow,
  type OverflowStore,
  type OverflowText,
} from "./engine/ports/overflow-store.js";
export { capResult, type CapResultOptions } from "./engine/conversation/cap-result.js";
export { failureSentence } from "./engine/conversation/failure-sentence.js";
export { createMemoryNotesStore, type NotesStore } from "./engine/ports/notes-store.js";
export type { ConversationNotes } from "./engine/conversation/conversation-api.js";
export type {
  CompactionStage,
  NotesStage,
  Stage,
  StageChange,
  StageView,
} from "./engine/conversation/stages.js";
export type { BreakReason, FromTo, MarkedPart, SectionChange } from "./engine/events/break-reason.js";
export { describeBreak } from "./engine/watch/describe-break.js";
export type { CacheBreak } from "./engine/events/cache-break.js";
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
export type { ProviderDiagnosis } from "./engine/events/provider-diagnosis.js";
