/** The state of the provider's prompt cache for this conversation. */
export interface CacheFacts {
  /** `warm`: the prefix can be read; `cold`: it expired and is written anew in any case; `off`: nobody caches. */
  readonly state: "warm" | "cold" | "off";
  readonly ttl: "5m" | "1h";
}

/** Both sides of the inequality in dollars, and what they are made of. */
export interface CostVerdict {
  readonly pays: boolean;
  /** cleared × read price × rounds left */
  readonly saved: number;
  /** suffix × (write price − read price), once or each round, and the thinking lost */
  readonly spent: number;
  readonly cleared: number;
  readonly suffix: number;
  /** Tokens that were cached and are no longer of use. 0 where the cache is cold or off. */
  readonly cacheTokensLost: number;
  readonly expectedRoundsLeft: number;
  readonly cache: CacheFacts["state"];
}
