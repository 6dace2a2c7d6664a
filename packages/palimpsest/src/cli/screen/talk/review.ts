import type { SummaryReview } from "../../../agent/session/reviewed-compaction.js";

/** The person wants to see a summary before it is taken; undefined as long as they do not. */
export interface Review {
  current: SummaryReview | undefined;
}
