import type { ChainLink } from "../events/chain-link.js";

/** Where a conversation stands between two compactions. A plain value. */
export interface Chain {
  /** Whether it was compacted at all. */
  readonly isCompacted: boolean;
  /** Responses since the last compaction, or since the start. */
  readonly turns: number;
  /** Names the stretch since the last compaction. */
  readonly turnId: string;
}

export const startChain = (turnId: string): Chain => ({ isCompacted: false, turns: 0, turnId });

export const afterResponse = (chain: Chain): Chain => ({ ...chain, turns: chain.turns + 1 });

export const afterCompaction = (turnId: string): Chain => ({ isCompacted: true, turns: 0, turnId });

export const linkOf = ({ isCompacted, turns, turnId }: Chain, threshold: number): ChainLink => ({
  isRecompaction: isCompacted,
  turnsSinceLast: turns,
  previousTurnId: turnId,
  threshold,
});
