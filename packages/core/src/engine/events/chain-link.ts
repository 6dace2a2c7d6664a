/** What a compaction says of those before it. */
export interface ChainLink {
  readonly isRecompaction: boolean;
  readonly roundsSinceLast: number;
  /** Names the stretch that it ends. */
  readonly previousStretchId: string;
  /** Where conversations are compacted at the latest, in tokens. */
  readonly threshold: number;
}
