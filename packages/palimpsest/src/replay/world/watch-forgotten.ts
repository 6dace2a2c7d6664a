import type { ReadState } from "@palimpsest/core/restore";
import { absolutePath, pathKey } from "./file-path.js";

/** A read-state as a policy is given it, and which files the policy took out of it that were not read again since. */
export function watchForgotten(readState: ReadState): {
  readonly watched: ReadState;
  readonly has: (path: string) => boolean;
} {
  const taken = new Map<string, string>();
  const take = (path: string): void => void taken.set(pathKey(path), path);
  return {
    watched: {
      ...readState,
      forget(path) {
        if (readState.has(path)) take(path);
        readState.forget(path);
      },
      clear() {
        for (const { path } of readState.snapshot().reads) take(path);
        readState.clear();
      },
      restore(snapshot) {
        for (const { path } of readState.snapshot().reads) take(path);
        readState.restore(snapshot);
      },
    },
    has(path) {
      const name = taken.get(pathKey(absolutePath(path, "/") ?? path));
      return name !== undefined && !readState.has(name);
    },
  };
}
