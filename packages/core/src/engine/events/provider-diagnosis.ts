/** The provider's own word on a cache miss. */
export interface ProviderDiagnosis {
  /**
   * As the provider calls it: `model_changed`, `system_changed`, `tools_changed`, `messages_changed`,
   * `previous_message_not_found`, `unavailable`, or a name that is not known yet. `none`: it compared the two
   * requests and found no difference. `pending`: it had not finished comparing.
   */
  readonly type: string;
  /** Tokens that it says would have been read. */
  readonly missedTokens?: number;
}
