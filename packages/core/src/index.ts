export type {
  ApiFailure,
  ApiFailureKind,
  Overflow,
  OverflowFailure,
  PlainFailure,
} from "./messages/call/failure.js";
export { trackedAs, type QuerySource } from "./messages/call/query-source.js";
export type { ModelRequest, ToolDefinition } from "./messages/call/request.js";
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
  type SystemMessage,
  type Usage,
  type UserMessage,
} from "./messages/message.js";
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
  type LinkedConversation,
} from "./messages/transcript/live.js";
export { findProblems } from "./messages/validity/find-problems.js";
export { imageSize, type ImageSize } from "./messages/validity/image-size.js";
export type { JudgeOptions, Problem } from "./messages/validity/problem.js";
export { rules, type Rule } from "./messages/validity/rules.js";
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
export type { WireDelta, WireErrorBody, WireEvent } from "./protocols/anthropic-messages/wire.js";
export {
  encodeError,
  decodeError,
  errorStatus,
  type ErrorParts,
  type ErrorResponse,
} from "./protocols/anthropic-messages/errors.js";
export type { HeaderReader } from "./protocols/anthropic-messages/headers.js";
export {
  decodeRequestHead,
  encodeRequest,
  type EncodedRequest,
  type EncodeRequestOptions,
  type RequestHead,
} from "./protocols/anthropic-messages/request.js";
export { decodeResponse, type DecodedResponse } from "./protocols/anthropic-messages/response.js";
export {
  decodeSseEvent,
  formatSseEvent,
  startSse,
  stepSse,
  type SseEvent,
  type SseState,
  type SseStep,
} from "./protocols/anthropic-messages/sse.js";
export {
  endStream,
  startStream,
  stepStream,
  type StreamState,
  type StreamStep,
} from "./protocols/anthropic-messages/stream-decoder.js";
export { encodeStream, type EncodeStreamOptions } from "./protocols/anthropic-messages/stream-encoder.js";
export { billedUsage, contextTokens, type BilledUsage } from "./protocols/anthropic-messages/usage.js";
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
export type { Estimator } from "./engine/measure/estimator.js";
export { growthsIn, readUsage, type CountedUsage, type Growth } from "./engine/measure/growth.js";
export { createHeuristicEstimator } from "./engine/measure/heuristic-estimator.js";
export { createMemoryCalibrationStore, type CalibrationStore } from "./engine/ports/calibration-store.js";
export { accountFor, type Accounting, type DuplicateRead, type Share } from "./engine/measure/accounting.js";
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
export { applyMicrocompactions } from "./engine/clear/clear-results.js";
export { CLEARED_RESULT_TEXT, isClearedResult, type RecallHint } from "./engine/clear/cleared-result.js";
export {
  createCompactableTools,
  type CompactableKind,
  type CompactableTools,
  type CompactableToolsOptions,
} from "./engine/clear/compactable-tools.js";
export {
  CONTEXT_MANAGEMENT_BETA,
  type ClearThinkingEdit,
  type ClearToolUsesEdit,
  type ContextManagement,
} from "./engine/clear/context-management.js";
export {
  pricesAt,
  weighChange,
  type CacheFacts,
  type CostFacts,
  type CostVerdict,
  type PricedChange,
} from "./engine/clear/cost-rule.js";
export type {
  ClearContext,
  ClearDecision,
  ClearPlan,
  ClearRefusal,
  ClearTarget,
  KeepReason,
  PlannedResult,
} from "./engine/clear/decision.js";
export {
  applyClearing,
  type ApplyOptions,
  type Cleared,
  type DeletionNotice,
} from "./engine/clear/local-clearing.js";
export {
  isMicrocompactBoundary,
  removesContent,
  type EditPosition,
  type MicrocompactBoundary,
  type MicrocompactMetadata,
} from "./engine/clear/microcompact-boundary.js";
export { createMemoryReadState, type MemoryReadState, type ReadState } from "./engine/clear/read-state.js";
export { restateClearings } from "./engine/clear/restate-clearings.js";
export {
  createResultIndex,
  type IndexedResult,
  type ResultIndex,
  type ResultIndexOptions,
} from "./engine/clear/result-index.js";
export { decideSizeBased, type SizeBasedContext } from "./engine/clear/size-based.js";
export { decideTimeBased, type TimeBasedContext } from "./engine/clear/time-based.js";
export type { CallOptions, ModelCall, ModelOutput, ModelProvider } from "./engine/ports/model-provider.js";
export {
  chatCapabilities,
  messagesApiCapabilities,
  type ProviderCapabilities,
} from "./engine/prompt/capabilities.js";
