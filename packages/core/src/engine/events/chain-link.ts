/** What a compaction says of those before it. */
export interface ChainLink {
  readonly isRecompaction: boolean;
  readonly turnsSinceLast: number;
  readonly previousTurnId: string;
  /** Where conversations are compacted at the latest, in tokens. */
  readonly threshold: number;
}
