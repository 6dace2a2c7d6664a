export type { CleanupTarget } from "./engine/restore/cleanup.js";
export type { FileSkipReason } from "./engine/events/file-skip-reason.js";
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
export { compaction } from "./engine/conversation/compaction-stage.js";
