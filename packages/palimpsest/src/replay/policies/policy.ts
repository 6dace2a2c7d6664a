import type {
  ApiFailure,
  Message,
  ModelCall,
  ModelProvider,
  ModelResponse,
  ToolDefinition,
  TranscriptWriter,
} from "@palimpsest/core";
import type { RecordedBill } from "../measures/recorded-bill.js";
import type { RecordedRound } from "../rounds/recorded-round.js";

/** How long a policy lets cache entries live; `auto` where it chooses itself. */
export type PolicyTtl = "5m" | "1h" | "auto";

/** What a policy decides within: the model, the window, the prompt's head, and a model to ask. */
export interface PolicyHost {
  readonly model: string;
  readonly window: number;
  /** Tokens that an answer may have. */
  readonly maxTokens: number;
  readonly ttl: PolicyTtl;
  readonly system: string;
  readonly tools: readonly ToolDefinition[];
  /** The `thinking` field of every request; left out where the recording has none. */
  readonly thinking?: Readonly<Record<string, unknown>>;
  /** The recorded time. */
  readonly now: () => number;
  readonly sessionId: string;
  /** For calls beside the conversation, such as for a summary: priced like every other. */
  readonly provider: ModelProvider;
  /** Where a policy that writes a transcript stores it. */
  readonly writer?: TranscriptWriter;
}

/** Something that a policy did to the context. */
export interface PolicyEdit {
  /** `full`, `time-based`, `truncate` … */
  readonly tier: string;
  readonly tokensBefore: number;
  readonly tokensAfter: number;
}

export type PolicyPrepared =
  | { readonly kind: "request"; readonly call: ModelCall; readonly edits: readonly PolicyEdit[] }
  /** No request can be sent: the conversation has come to its end. */
  | { readonly kind: "held"; readonly message: string; readonly edits: readonly PolicyEdit[] };

/** A policy at work on one conversation. */
export interface PolicyRun {
  /** The round that comes next as it was recorded, its answer included: only for playing the recording itself. */
  recorded?(round: RecordedRound): void;
  /** What people said, results and attachments, before the next request. */
  append(messages: readonly Message[]): Promise<void>;
  prepare(): Promise<PolicyPrepared>;
  /** The answer to what `prepare` gave last; it belongs to the conversation from now on. */
  answered(response: ModelResponse): Promise<readonly PolicyEdit[]>;
  /** What `prepare` gave last was refused. `retry`: something was done about it, prepare again. */
  refused(
    failure: ApiFailure,
  ): Promise<{ readonly next: "retry" | "end"; readonly edits: readonly PolicyEdit[] }>;
  /**
   * Whether the host would let the model edit this file: its read-state holds it. Asked between `prepare` and
   * `answered`. Left out: the host holds the files whose calls (reads, writes, edits) stand in the request.
   */
  holdsFile?(path: string): boolean;
  /** What the answers so far cost beside what was recorded for them: only where the recording itself is played. */
  bill?(): RecordedBill;
}

/** A way of keeping a conversation within its window. */
export interface Policy {
  readonly name: string;
  /** One line for people. */
  readonly description: string;
  /** The lifetimes it is measured with, the usual one first. */
  readonly ttls: readonly PolicyTtl[];
  /** The window it is played in, whatever the others have. */
  readonly window?: number;
  start(host: PolicyHost): PolicyRun;
}
