import type { ChainLink } from "../events/chain-link.js";

/** Where a conversation stands between two compactions. A plain value. */
export interface Chain {
  /** Whether it was compacted at all. */
  readonly isCompacted: boolean;
  /** Responses since the last compaction, or since the start. */
  readonly rounds: number;
  /** Names the stretch since the last compaction. */
  readonly stretchId: string;
}

export const startChain = (stretchId: string): Chain => ({ isCompacted: false, rounds: 0, stretchId });

export const afterResponse = (chain: Chain): Chain => ({ ...chain, rounds: chain.rounds + 1 });

export const afterCompaction = (stretchId: string): Chain => ({ isCompacted: true, rounds: 0, stretchId });

export const linkOf = ({ isCompacted, rounds, stretchId }: Chain, threshold: number): ChainLink => ({
  isRecompaction: isCompacted,
  roundsSinceLast: rounds,
  previousStretchId: stretchId,
  threshold,
});
