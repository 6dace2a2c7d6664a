import type { NotUndone } from "../summarise/undo/undo.js";
import type { CompactionFailed } from "../summarise/run/compaction.js";

/** What a conversation without compaction answers where one would be needed. */
export const noCompaction: CompactionFailed = {
  kind: "failed",
  reason: "disabled",
  message:
    "The context window is full, and this conversation was created without compaction: begin a new one, or hand `compaction` in.",
  failedAttempts: [],
  calls: [],
};

export const nothingToUndo: NotUndone = {
  kind: "failed",
  reason: "nothing_to_undo",
  message: "There is no compaction to undo.",
};
