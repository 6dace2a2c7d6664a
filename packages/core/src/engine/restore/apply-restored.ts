import type { EventEmitter } from "../events/emitter.js";
import type { NestedMemory } from "./nested-memory.js";
import type { ReadState } from "../tools/read-state.js";
import type { Restored } from "./restored.js";

export interface ApplyRestoredOptions {
  readonly readState: Pick<ReadState, "restore">;
  readonly nestedMemory?: Pick<NestedMemory, "reset"> | undefined;
  readonly events?: EventEmitter | undefined;
}

/**
 * Makes true what was gathered, at the swap and not before: the read-state is what the model then knows, nested
 * memory may come again, and whoever listens is told which files are back. Does nothing with what was aborted.
 */
export function applyRestored(restored: Restored, options: ApplyRestoredOptions): void {
  if (restored.isAborted) return;
  options.readState.restore(restored.readStateAfter);
  options.nestedMemory?.reset();
  for (const { path, tokens, isTruncated = false } of restored.attachments) {
    if (path !== undefined) options.events?.emit("file_restored", { path, tokens, isTruncated });
  }
}
