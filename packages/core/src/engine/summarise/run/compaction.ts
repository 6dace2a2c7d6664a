import type { BilledCall } from "../../../messages/billed-calls.js";
import type { AttachmentMessage, CompactBoundary, Message } from "../../../messages/message.js";
import type { Restored } from "../../restore/restored.js";
import type { SummaryVariant } from "../../events/summary-variant.js";
import type {
  CompactionFailureReason,
  CompactionTrigger,
  FailedAttempt,
  Mended,
  WriterName,
} from "../../events/compaction-terms.js";

/** A compaction that is ready to be swapped in. Nothing of the conversation has changed yet. */
export interface Compacted {
  readonly kind: "compacted";
  readonly variant: SummaryVariant;
  readonly trigger: CompactionTrigger;
  readonly boundary: CompactBoundary;
  /** The summary; for the `server` writer the provider's own block. */
  readonly summaryMessages: readonly Message[];
  readonly kept: readonly Message[];
  readonly attachments: readonly AttachmentMessage[];
  readonly hookResults: readonly Message[];
  /** The new live list, in the order in which the model sees it. */
  readonly live: readonly Message[];
  /** What is to be appended to the transcript, in this order. */
  readonly stored: readonly Message[];
  /** The text of the summary. */
  readonly summary: string;
  readonly messageForPerson: string;
  readonly writer: WriterName;
  /** Every call that was made for it, those that came to nothing included. */
  readonly calls: readonly BilledCall[];
  readonly tokensBefore: number;
  readonly tokensAfter: number;
  readonly mended: Mended;
  readonly failedAttempts: readonly FailedAttempt[];
  /** What comes back; its read-state takes effect at the swap. */
  readonly restored?: Restored;
  readonly durationMs: number;
}

export interface CompactionFailed {
  readonly kind: "failed";
  readonly reason: CompactionFailureReason;
  /** One sentence: what happened and what to do. */
  readonly message: string;
  readonly failedAttempts: readonly FailedAttempt[];
  /** What it cost all the same. */
  readonly calls: readonly BilledCall[];
}
