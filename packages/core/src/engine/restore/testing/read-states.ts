import { createMemoryReadState, type ReadRecord, type ReadState } from "../../tools/read-state.js";

/** A read-state in which these were read one after the other, the first one first. */
export function readStateWith(paths: readonly string[], record: Partial<ReadRecord> = {}): ReadState {
  const state = createMemoryReadState();
  for (const [index, path] of paths.entries()) {
    state.remember(path, { timestamp: index + 1, mtime: 1, ...record });
  }
  return state;
}
