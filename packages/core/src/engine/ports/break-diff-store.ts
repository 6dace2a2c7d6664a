/** What a cache break was about, for a person to read. It holds parts of the prompt: keep it private. */
export interface BreakDiff {
  /** Unique within one watch; not safe as a file name. */
  readonly id: string;
  /** When the break was seen, in milliseconds. */
  readonly at: number;
  readonly text: string;
}

/** Where such texts go. A failure loses nothing but the text. */
export interface BreakDiffStore {
  save(diff: BreakDiff): Promise<void>;
}

export interface MemoryBreakDiffStore extends BreakDiffStore {
  /** Oldest first. */
  readonly diffs: readonly BreakDiff[];
}

/** The newest texts, as long as the process lives. */
export function createMemoryBreakDiffStore(most = 20): MemoryBreakDiffStore {
  const diffs: BreakDiff[] = [];
  return {
    diffs,
    async save(diff) {
      diffs.push(diff);
      if (diffs.length > most) diffs.shift();
    },
  };
}
