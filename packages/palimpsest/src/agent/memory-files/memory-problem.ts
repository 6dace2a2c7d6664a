import type { FileReadOutcome } from "@palimpsest/core/restore";
import { shownPath } from "../base/shown-path.js";

/** Something that is wrong with a memory file, in a sentence for people and models. */
export interface MemoryProblem {
  readonly path: string;
  readonly message: string;
}

type Refusal = Exclude<FileReadOutcome["kind"], "text">;

const refusals: Readonly<Partial<Record<Refusal, string>>> = {
  binary: "is left out: it holds a NUL byte, or other bytes that are not text.",
  unreadable: "is left out: it cannot be read.",
  denied: "is left out: the system does not permit to read it.",
  outside: "is left out: it leads to a place outside the project.",
  "too-large": "is left out: it is too large.",
};

/** Undefined for a file that is not there. */
export function refusedMemory(path: string, kind: Refusal): MemoryProblem | undefined {
  const why = refusals[kind];
  return why === undefined ? undefined : { path, message: `${shownPath(path)} ${why}` };
}

export const longMemory = (path: string, characters: number): MemoryProblem => ({
  path,
  message: `${shownPath(path)} is longer than ${characters.toLocaleString("en-US")} characters: the rest is left out.`,
});

export const importLoop = (path: string, imported: string): MemoryProblem => ({
  path,
  message: `${shownPath(path)} imports ${shownPath(imported)}, from which it was imported itself: each is read once.`,
});

export const deepImport = (path: string, imported: string): MemoryProblem => ({
  path,
  message: `${shownPath(path)} imports ${shownPath(imported)}, which is left out: imports reach too deep.`,
});
