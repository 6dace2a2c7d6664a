/** What a compaction says of those before it. */
export interface ChainLink {
  readonly isRecompaction: boolean;
  readonly turnsSinceLast: number;
  readonly previousTurnId: string;
}
