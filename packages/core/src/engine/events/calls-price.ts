/** What calls cost, in dollars, by the table of models. */
export interface CallsPrice {
  readonly dollars: number;
  /** What the same calls would have cost without a prompt cache. */
  readonly withoutCache: number;
  /** Calls to models that have no row there: they are in neither sum. */
  readonly unpricedCalls: number;
}
