import type { Message } from "../../../messages/message.js";
import type { SummaryVariant } from "../../events/summary-variant.js";

/** What is to be compacted. */
export type CompactionScope =
  /**
   * Everything; the newest whole rounds within `keepRecentTokens` stay word for word. The very newest one, whose
   * results the model has not read yet, may be as large as `keepLastTokens`.
   */
  | { readonly kind: "full"; readonly keepRecentTokens: number; readonly keepLastTokens?: number }
  /** Only what begins with this message; what stands before it stays. */
  | { readonly kind: "from"; readonly pivot: string }
  /** Only what stands before this message; it and what follows stay. */
  | { readonly kind: "up_to"; readonly pivot: string };

/** The live list, taken apart. */
export interface Division {
  readonly variant: SummaryVariant;
  /** What the summary takes the place of. */
  readonly summarised: readonly Message[];
  readonly kept: readonly Message[];
  /** Of what is summarised: what stays word for word all the same, right after the summary. */
  readonly pinned?: readonly Message[];
}
