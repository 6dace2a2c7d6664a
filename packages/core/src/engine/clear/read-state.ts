/** What is known of the files that the model has read. Clearing a read takes its file out. */
export interface ReadState {
  /** The model no longer sees this file: a later read has to show it again. */
  forget(path: string): void;
}

export interface MemoryReadState extends ReadState {
  remember(path: string): void;
  has(path: string): boolean;
}

/** A read-state that lives as long as the process. */
export function createMemoryReadState(paths: Iterable<string> = []): MemoryReadState {
  const known = new Set(paths);
  return {
    forget: (path) => void known.delete(path),
    remember: (path) => void known.add(path),
    has: (path) => known.has(path),
  };
}
