export interface Share {
  readonly count: number;
  readonly tokens: number;
}

export interface DuplicateRead {
  readonly path: string;
  readonly count: number;
  /** Tokens spent on reading it more than once. */
  readonly wasted: number;
}

/** Where the context went. Tokens by the estimator, over the messages given (those after the last boundary). */
export interface Accounting {
  readonly total: number;
  readonly human: number;
  readonly assistant: number;
  readonly toolRequests: Readonly<Record<string, Share>>;
  readonly toolResults: Readonly<Record<string, Share>>;
  readonly localCommandOutput: number;
  readonly attachments: Readonly<Record<string, Share>>;
  /** Images and documents. */
  readonly other: number;
  readonly duplicateReads: readonly DuplicateRead[];
  /** Shares of the total, in percent. */
  readonly percentages: Readonly<
    Record<
      "human" | "assistant" | "toolRequests" | "toolResults" | "localCommandOutput" | "duplicateReads",
      number
    >
  >;
}
