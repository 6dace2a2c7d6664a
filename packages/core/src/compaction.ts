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
export type { FileExclusions } from "./engine/restore/choose-files.js";
export type { CleanupTarget } from "./engine/restore/cleanup.js";
export type { NestedMemory } from "./engine/restore/nested-memory.js";
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
export type {
  RestoreChannel,
  Restored,
  RestoredItem,
  SkippedItem,
  SkipReason,
} from "./engine/restore/restored.js";
export type { FileSkipReason } from "./engine/events/file-skip-reason.js";
export type { RestorePorts } from "./engine/restore/restore-state.js";
export type {
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
export type { CompactionScope } from "./engine/summarise/run/division.js";
export type { CompactionPlan, NoPlan, PlannedCost } from "./engine/summarise/plan.js";
export type { SummaryVariant } from "./engine/events/summary-variant.js";
export type { NotUndone, Undone } from "./engine/summarise/undo/undo.js";
export { fit, type FitOptions, type Fitted } from "./engine/conversation/fit.js";
export { compaction } from "./engine/conversation/compaction-stage.js";
