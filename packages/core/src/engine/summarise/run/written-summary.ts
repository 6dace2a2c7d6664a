import type { CompactionBlock } from "../../../messages/content.js";
import type { Mended, WriterName } from "../../events/compaction-terms.js";

/** A summary that can be used, as far as that can be told from the summary alone. */
export interface WrittenSummary {
  readonly writer: WriterName;
  readonly summary: string;
  /** What it and what stands beside it may use of the usual budgets. Default: all. */
  readonly share?: number;
  /** The provider's own block, in place of a summary message. */
  readonly block?: CompactionBlock;
  readonly mended: Mended;
}
