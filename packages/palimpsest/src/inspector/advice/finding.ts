/** Something that a conversation paid for and did not need. Findings of several conversations with the same key are one. */
export interface Finding {
  readonly key: string;
  readonly dollars: number;
  /** What the sentence is made of: counted over all findings that are one. */
  readonly facts: FindingFacts;
}

export type FindingFacts =
  | {
      readonly kind: "lifetime";
      /** The one that would have cost less. */
      readonly better: "5m" | "1h";
      readonly requests: number;
      /** Pauses that a lifetime of five minutes does not outlast, and one of an hour does. */
      readonly pauses: number;
    }
  | {
      readonly kind: "unused-servers";
      readonly servers: readonly { readonly name: string; readonly tools: number; readonly tokens: number }[];
      readonly requests: number;
    }
  | {
      readonly kind: "changing";
      /** Whose bytes changed, for people. */
      readonly owners: readonly string[];
      readonly changes: number;
      readonly lostTokens: number;
      /** What the change looked like, the first time; null where it was more than some characters. */
      readonly example: { readonly before: string; readonly now: string } | null;
    }
  | {
      readonly kind: "repeated-reads";
      readonly reads: number;
      readonly tokens: number;
      /** Requests that had nothing else to bring. */
      readonly requests: number;
      /** The files by how much of them was read again, the most first. */
      readonly files: readonly { readonly name: string; readonly tokens: number }[];
    };
