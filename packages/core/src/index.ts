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
