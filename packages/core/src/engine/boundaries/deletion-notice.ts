/** What break detection has to expect of the next response: a lower reading that is no break. */
export interface DeletionNotice {
  /** Tokens that leave the prompt, by the estimator. */
  readonly deletedTokens: number;
  /** Whether what stands after the first deletion stays cached: only if the provider deletes. */
  readonly keepsPrefix: boolean;
}
