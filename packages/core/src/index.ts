export type { BilledCall } from "./messages/billed-calls.js";
export type {
  ApiFailure,
  ApiFailureKind,
  Overflow,
  OverflowFailure,
  PlainFailure,
} from "./messages/call/failure.js";
export type { QuerySource } from "./messages/call/query-source.js";
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
  createUserMessage,
  type AssistantMessageParts,
  type Clock,
  type Ids,
  type MessageOrigin,
  type UserMessageParts,
} from "./messages/construct.js";
export type {
  AssistantMessage,
  Attachment,
  AttachmentMessage,
  CompactBoundary,
  CompactMetadata,
  Message,
  PreservedSegment,
  ProgressMessage,
  SummaryCall,
  SystemMessage,
  Usage,
  UserMessage,
} from "./messages/message.js";
export { normalise, type Normalised, type NormaliseOptions } from "./messages/normalise/normaliser.js";
export type { JsonSchema } from "./messages/normalise/repair-tool-input.js";
export type { Repair, RepairKind } from "./messages/normalise/repairs.js";
export { isCompactBoundary, isHumanMessage } from "./messages/predicates.js";
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
export type { Calibration } from "./engine/measure/calibration.js";
export type { Estimator, ShownGrowth } from "./engine/ports/estimator.js";
export type { Calibrations, CalibrationStore } from "./engine/measure/calibration-store.js";
export {
  accountByModel,
  accountBySource,
  accountOf,
  accountTotal,
  type Account,
  type AccountLine,
  type AccountSum,
  type AccountTotal,
} from "./engine/money/account.js";
export type { SentCall } from "./engine/money/call-meter.js";
export type { CallsPrice } from "./engine/events/calls-price.js";
export type { Accounting, DuplicateRead, Share } from "./engine/events/accounting.js";
export type { ContextSize } from "./engine/measure/context-meter.js";
export type { Pressure, Thresholds } from "./engine/measure/thresholds.js";
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
  type GivenSettings,
  type ResolvedSettings,
  type SettingDefinition,
  type SettingName,
  type SettingProblem,
  type Settings,
  type SettingSources,
} from "./engine/settings/settings.js";
export type { PinnedEdit } from "./engine/clear/cached-edits.js";
export type { DroppedHint } from "./engine/ports/dropped-hint.js";
export type { RecallHint } from "./engine/boundaries/cleared-result.js";
export {
  createCompactableTools,
  type CompactableKind,
  type CompactableTools,
  type CompactableToolsOptions,
} from "./engine/tools/compactable-tools.js";
export type { CacheFacts, CostVerdict } from "./engine/events/cost-verdict.js";
export type { EditPosition } from "./engine/boundaries/clearing-boundary.js";
export type {
  CallOptions,
  CallProgress,
  ModelCall,
  ModelOutput,
  ModelProvider,
} from "./engine/ports/model-provider.js";
export { messagesApiCapabilities, type ProviderCapabilities } from "./engine/ports/capabilities.js";
export type { CacheWrite } from "./engine/prompt/cache-writes.js";
export type { BlockPosition, Ttl } from "./engine/prompt/markers.js";
export type { BuiltRequest, CacheSafeParams, CallParameters } from "./engine/prompt/request-builder.js";
export type {
  ComputeSection,
  PromptBoundary,
  PromptSection,
  ResolvedSection,
  SystemPrompt,
} from "./engine/prompt/sections.js";
export type { SystemLayout } from "./engine/prompt/system-blocks.js";
export type { OfferedTool, ToolListOptions } from "./engine/prompt/tool-list.js";
export type { GapHistoryStore } from "./engine/prompt/ttl/gap-history-store.js";
export type { TtlCosts } from "./engine/prompt/ttl/expected-cost.js";
export type { GapBucket, GapEvidence, PromptRequest } from "./engine/prompt/ttl/gap-evidence.js";
export type { GapHistory } from "./engine/prompt/ttl/gap-history.js";
export type { TtlPolicy } from "./engine/prompt/ttl/ttl-policy.js";
export type { CacheAccount, SourceTtls, TtlDecision, TtlState } from "./engine/prompt/ttl/ttl-state.js";
export type {
  CompactHooks,
  HookContext,
  PostCompactInput,
  PreCompactInput,
  PreCompactOutput,
} from "./engine/ports/compact-hooks.js";
export { createConversation } from "./engine/conversation/conversation.js";
export type {
  BranchedOff,
  BranchStage,
  ConversationOptions,
} from "./engine/conversation/conversation-options.js";
export type {
  ConversationSystem,
  ConversationTool,
  GivenSystem,
  RestoreSources,
} from "./engine/conversation/host-options.js";
export { isPalimpsestError, PalimpsestError, type PalimpsestErrorCode } from "./messages/palimpsest-error.js";
export type { AnthropicMessage } from "./messages/import/from-anthropic.js";
export type {
  Answer,
  AskEvent,
  AskOptions,
  AppendOptions,
  BranchOptions,
  CompactOptions,
  Conversation,
  ConversationPlan,
  NotRewound,
  Rewound,
  ConversationSize,
  EngineStep,
  Held,
  Observed,
  Outcome,
  PlannedStep,
  Prepared,
  PreparedRequest,
  ConversationNotes,
  TurnEvent,
} from "./engine/conversation/conversation-api.js";
export type { Timer } from "./engine/ports/timer.js";
export type { MediaReason } from "./engine/events/media-reason.js";
export type { OverflowStore, OverflowText } from "./engine/ports/overflow-store.js";
export { failureSentence } from "./engine/conversation/failure-sentence.js";
export type { NotesStore } from "./engine/ports/notes-store.js";
export type {
  CompactionStage,
  NotesStage,
  Stage,
  StageChange,
  StageView,
  TotalsStage,
} from "./engine/conversation/stages.js";
export type { BreakReason, FromTo, MarkedPart, SectionChange } from "./engine/events/break-reason.js";
export type { CacheBreak } from "./engine/events/cache-break.js";
export type { ProviderDiagnosis } from "./engine/events/provider-diagnosis.js";
export type { BreakDiffs } from "./engine/watch/write-diffs.js";
