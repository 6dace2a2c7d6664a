import type { ApiFailure } from "../../messages/call/failure.js";
import type { QuerySource } from "../../messages/call/query-source.js";
import type { BilledCall } from "../../messages/billed-calls.js";
import type {
  CompactionFailureReason,
  CompactionTrigger,
  FailedAttempt,
  Mended,
  WriterName,
} from "./compaction-terms.js";
import type { SummaryVariant } from "./summary-variant.js";
import type { ChainLink } from "./chain-link.js";
import type { CostVerdict } from "./cost-verdict.js";
import type { Accounting } from "./accounting.js";
import type { MediaReason } from "./media-reason.js";
import type { FileSkipReason } from "./file-skip-reason.js";
import type { CacheBreak } from "./cache-break.js";
import type { CallsPrice } from "./calls-price.js";

/** Which way of clearing old results was taken. */
export type ClearVariant = "time-based" | "cached" | "api-native" | "size-based";

/** What each event of the engine says. Later stages add theirs. */
export interface EngineEvents {
  /** Old tool results were cleared without a model call. */
  readonly clearing: {
    readonly variant: ClearVariant;
    /** `manual` where the caller named a target of its own. */
    readonly trigger: "auto" | "manual";
    readonly toolUseIds: readonly string[];
    readonly tokensBefore: number;
    readonly tokensAfter: number;
    /** Both sides of the question whether it pays, where prices were known. */
    readonly cost?: CostVerdict;
  };
  /** Images and documents that the API would have refused became text; once for each reason. */
  readonly media_replaced: {
    readonly count: number;
    /** Of their data, as far as it was part of the request. */
    readonly bytes: number;
    readonly reason: MediaReason;
  };
  /** Texts that nobody had answered yet and that could not fit were cut to their ends. */
  readonly oversize_cut: {
    readonly texts: number;
    /** Where the whole texts are kept; none where the host keeps none. */
    readonly kept: readonly string[];
    /** Of everything that nobody had answered yet. */
    readonly tokensBefore: number;
    readonly tokensAfter: number;
  };
  /** A compaction begins. `compact` or `compact_failed` tells how it ended, once for each of these. */
  readonly compact_started: {
    readonly trigger: CompactionTrigger;
    readonly source: QuerySource;
    /** Of the conversation: who writes the summary is told at the end. */
    readonly model: string;
    readonly tokensBefore: number;
    /** Where compaction would start by itself, at the latest. */
    readonly threshold: number;
  };
  /** A conversation was compacted, and goes on with the summary. */
  readonly compact: {
    readonly trigger: CompactionTrigger;
    readonly variant: SummaryVariant;
    readonly writer: WriterName;
    readonly source: QuerySource;
    readonly tokensBefore: number;
    readonly tokensAfter: number;
    /** Every call that was made for it, with its model. */
    readonly calls: readonly BilledCall[];
    /** What they cost, and what they would have cost without a prompt cache. */
    readonly price: CallsPrice;
    /** How much of what those calls read came from the cache, from 0 to 1; absent where none was made. */
    readonly cacheHitShare?: number;
    /** Where the context went, before the compaction. */
    readonly accounting: Accounting;
    readonly mended: Mended;
    readonly failedAttempts: readonly FailedAttempt[];
    readonly durationMs: number;
    /** Where it stands in the chain of compactions, where a conversation drives it. */
    readonly chain?: ChainLink;
  };
  /** An adapter has let a conversation go that it held in memory; it comes back from the store. */
  readonly conversation_evicted: {
    readonly sessionId: string;
    readonly characters: number;
    /** The option whose limit was reached. */
    readonly limit: "maxThreads" | "maxHeldCharacters";
    /** Conversations that are still held. */
    readonly held: number;
  };
  /** The store in memory had no room for these: conversations that they belong to may have to be made fit again. */
  readonly stand_ins_dropped: { readonly entries: number; readonly characters: number };
  /** The store of an adapter failed. The request goes on without it. */
  readonly stand_in_store_failed: {
    readonly operation: "find" | "insert";
    /** As the store said it. */
    readonly message: string;
  };
  /** A call for a summary (`compact`) or for notes (`session_memory`) failed and is made again after a while. */
  readonly summary_retried: {
    readonly source: QuerySource;
    /** The attempt that failed, from 1. */
    readonly attempt: number;
    readonly failure: ApiFailure;
    readonly waitMs: number;
  };
  /** An adapter has no model that it could ask for summaries: they will be extracts. Once for a conversation. */
  readonly summary_writer_missing: {
    readonly model: string;
    /** One sentence: why, and what to do. */
    readonly message: string;
  };
  /** The notes were brought up to date, or an update came to nothing. */
  readonly notes_extracted: {
    readonly outcome: "updated" | "unchanged" | "failed";
    readonly edits: number;
    /** Calls for another tool or file, or edits that could not be made. */
    readonly refused: number;
    readonly calls: readonly BilledCall[];
    readonly durationMs: number;
    readonly message?: string;
  };
  /** A compaction from notes would have to be compacted again at once: a model writes the summary instead. */
  readonly notes_over_threshold: { readonly detail: string; readonly threshold: number };
  /** A compaction so soon after the last one: its summary is too large, or what it keeps. */
  readonly recompacted_early: { readonly roundsSinceLast: number; readonly threshold: number };
  /** Automatic compaction stops for a while. */
  readonly breaker_tripped: {
    readonly failuresInARow: number;
    readonly reason: CompactionFailureReason;
    readonly cooldownMs: number;
  };
  /** A compaction has succeeded: automatic compaction, which had stopped, goes on. */
  readonly breaker_closed: { readonly failuresInARow: number };
  /** A compaction came to nothing; the conversation is what it was. */
  readonly compact_failed: {
    readonly reason: CompactionFailureReason;
    /** One sentence: what happened and what to do. */
    readonly message: string;
    readonly trigger: CompactionTrigger;
    readonly source: QuerySource;
    readonly failedAttempts: readonly FailedAttempt[];
    /** What it cost all the same: every call that was made for it, with its model. */
    readonly calls: readonly BilledCall[];
    readonly price: CallsPrice;
  };
  /** A call came into the account of the conversation: its own, a compaction's, the notes', a subagent's. */
  readonly call_billed: BilledCall & { readonly price: CallsPrice };
  /** A response showed how far the estimate was off. */
  readonly estimator_calibrated: {
    readonly model: string;
    readonly estimated: number;
    readonly actual: number;
    readonly scale: number;
  };
  /** Nothing is known of the model: so large a window is assumed until the API says how large it is. */
  readonly window_assumed: { readonly model: string; readonly window: number };
  /** The API has said how large the window of the model is, and it is not what it was taken for. */
  readonly window_learned: { readonly model: string; readonly window: number; readonly before: number };
  /** A file that was read before a compaction is in the context again. */
  readonly file_restored: {
    readonly path: string;
    readonly tokens: number;
    readonly isTruncated: boolean;
  };
  /** A file that was to be restored after a compaction is not. */
  readonly file_restore_failed: { readonly path: string; readonly reason: FileSkipReason };
  /** A prefix that was cached was not read. */
  readonly cache_break: CacheBreak;
}
