/** What other policies would have cost, and on what. Plain data. */
export interface WhatIfFigures {
  /** Dollars by policy, what was forgotten read again; `NAME@1h` is a policy whose cache entries live an hour. */
  readonly policies: Readonly<Record<string, number>>;
  readonly conversations: number;
  /** Requests that were played: those of which it is known what they used. */
  readonly requests: number;
  /** Dollars of these requests as billed. */
  readonly cost: number;
  /**
   * Dollars that the replay puts the same requests at, played as they were: what the policies' dollars are compared with. It begins
   * with a cold cache, where the real ones may have read what another conversation had written.
   */
  readonly simulated: number;
  /** Conversations that are not in it, by the reason. */
  readonly leftOut: Readonly<Record<string, number>>;
}
