export type {
  FileAccess,
  FileReadOptions,
  FileReadOutcome,
  FileRefusal,
  FileText,
} from "./engine/ports/file-access.js";
export {
  createMemoryReadState,
  type ReadRecord,
  type ReadState,
  type ReadStateOptions,
  type ReadStateSnapshot,
  type RememberedRead,
} from "./engine/tools/read-state.js";
export { announce, type Announcement } from "./engine/restore/announce.js";
export { applyRestored, type ApplyRestoredOptions } from "./engine/restore/apply-restored.js";
export { memoryFileNames, type FileExclusions } from "./engine/restore/choose-files.js";
export {
  cleanUpAfterCompaction,
  cleanupTargets,
  type CleanupOptions,
  type CleanupReport,
  type CleanupTarget,
} from "./engine/restore/cleanup.js";
export { dropToFit, restoredTokens } from "./engine/restore/drop-to-fit.js";
export {
  createNestedMemory,
  type MemoryRules,
  type NestedMemory,
  type NestedMemoryOptions,
} from "./engine/restore/nested-memory.js";
export {
  createMemoryAnnouncements,
  type Announced,
  type Announcements,
  type AnnouncementSource,
  type MemoryAnnouncements,
} from "./engine/restore/ports/announcement-source.js";
export {
  createMemoryBackgroundAgents,
  type BackgroundAgent,
  type BackgroundAgents,
  type BackgroundStatus,
  type MemoryBackgroundAgents,
} from "./engine/restore/ports/background-agents.js";
export {
  createMemoryInvokedSkills,
  type InvokedSkill,
  type InvokedSkills,
  type MemoryInvokedSkills,
} from "./engine/restore/ports/invoked-skills.js";
export {
  createMemoryFileAccess,
  type MemoryFile,
  type MemoryFileAccess,
} from "./engine/restore/ports/memory-file-access.js";
export {
  createMemoryPlan,
  type MemoryPlan,
  type PlanSource,
  type PlanState,
} from "./engine/restore/ports/plan-source.js";
export {
  createMemoryTodos,
  type MemoryTodos,
  type Todo,
  type TodoSource,
} from "./engine/restore/ports/todo-source.js";
export {
  restoreChannels,
  type RestoreChannel,
  type Restored,
  type RestoredItem,
  type SkippedItem,
  type SkipReason,
} from "./engine/restore/restored.js";
export type { FileSkipReason } from "./engine/events/file-skip-reason.js";
export {
  restoreState,
  type RestoreOptions,
  type RestorePorts,
  type RestoreSettings,
} from "./engine/restore/restore-state.js";
export {
  createStaleReadWatch,
  findStaleReads,
  staleReadHint,
  type StaleRead,
  type StaleReadOptions,
  type StaleReadWatch,
} from "./engine/restore/stale-reads.js";
export { compact } from "./engine/summarise/compact.js";
export type {
  CompactInput,
  CompactPhase,
  CompactPorts,
  CompactStatus,
  RestoreRequest,
  SummaryRequestSent,
} from "./engine/summarise/run/compact-run.js";
export type { Compacted, CompactionFailed } from "./engine/summarise/run/compaction.js";
export type {
  CompactionFailureReason,
  CompactionTrigger,
  FailedAttempt,
  Mended,
  WriterName,
} from "./engine/events/compaction-terms.js";
export type { SizeFacts } from "./engine/summarise/run/new-size.js";
export type { CompactionScope } from "./engine/summarise/run/division.js";
export {
  planCompaction,
  type CompactionPlan,
  type NoPlan,
  type PlannedCost,
} from "./engine/summarise/plan.js";
export { summaryPrompt, type SummaryPromptOptions } from "./engine/summarise/write/prompt.js";
export { sectionTitles } from "./engine/summarise/shape/sections.js";
export type { SummaryVariant } from "./engine/events/summary-variant.js";
export { undoCompaction, type NotUndone, type Undone, type UndoInput } from "./engine/summarise/undo/undo.js";
export type { HumanText } from "./engine/summarise/people/human-text.js";
export { humanTextsOf } from "./engine/summarise/people/human-texts.js";
export { quoteHumanTexts, type QuoteOptions } from "./engine/summarise/people/quote-human-texts.js";
export { verifySummary, type VerifiedSummary, type VerifyOptions } from "./engine/summarise/verify/verify.js";
export { writeDigest, type DigestOptions } from "./engine/summarise/write/extractive/digest.js";
export {
  writeExtractive,
  type ExtractiveOptions,
  type ExtractiveSummary,
} from "./engine/summarise/write/extractive/write-extractive.js";
export { fit, type FitOptions, type Fitted } from "./engine/conversation/fit.js";
export { compaction } from "./engine/conversation/compaction-stage.js";
