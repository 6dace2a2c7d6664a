export type {
  FileAccess,
  FileReadOptions,
  FileReadOutcome,
  FilePicture,
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
export {
  createNestedMemory,
  type NestedMemory,
  type MemoryRules,
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
  createMemoryPlan,
  type MemoryPlan,
  type PlanSource,
  type PlanState,
} from "./engine/restore/ports/plan-source.js";
export type { RestoredMemory } from "./engine/restore/ports/restored-memory.js";
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
export type { RestorePorts, RestoreOptions, RestoreSettings } from "./engine/restore/restore-state.js";
export { announce, type Announcement } from "./engine/restore/announce.js";
export type { ApplyRestoredOptions } from "./engine/restore/apply-restored.js";
export { dropToFit } from "./engine/restore/drop-to-fit.js";
export {
  createMemoryFileAccess,
  type MemoryFile,
  type MemoryFileAccess,
} from "./engine/restore/ports/memory-file-access.js";
export {
  createStaleReadWatch,
  findStaleReads,
  staleReadHint,
  type StaleRead,
  type StaleReadOptions,
  type StaleReadWatch,
} from "./engine/restore/stale-reads.js";
export { restore, type RestoreStage } from "./engine/restore/restore-stage.js";
