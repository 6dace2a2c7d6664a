/** Where the notes of one conversation are kept. */
export interface NotesStore {
  /** What the model and the person call the file. */
  readonly path: string;
  /** Undefined where there is none yet. */
  readonly read: () => Promise<string | undefined>;
  /** Replaces the whole file at once: whoever reads it sees the old text or the new one. */
  readonly write: (notes: string) => Promise<void>;
}

/** Notes that live as long as the process. */
export function createMemoryNotesStore(path = "session-memory/summary.md", notes?: string): NotesStore {
  let known = notes;
  return {
    path,
    read: async () => known,
    write: async (text) => {
      known = text;
    },
  };
}
