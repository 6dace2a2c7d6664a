export {
  createBreakDiffDirectory,
  type BreakDiffDirectory,
  type BreakDiffDirectoryOptions,
} from "./break-diffs.js";
export { createCalibrationFile } from "./calibration-file.js";
export { createGapHistoryFile } from "./gap-history-file.js";
export type { FileStatus, FileSystem, OpenFile } from "./jsonl/file-system.js";
export { createJsonlStore, type Durability, type JsonlStoreOptions } from "./jsonl/store.js";
export { createMemoryStore } from "./memory.js";
export { createNotesFile } from "./notes-file.js";
export { createOverflowFiles } from "./overflow-files.js";
export { createStandInFiles, type StandInFiles, type StandInFilesOptions } from "./stand-in-files.js";
