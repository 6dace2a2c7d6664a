import type { ApiFailure, ModelCall } from "@palimpsest/core";
import type { AnswerBlock } from "../../simulator/player.js";

/** Who answers calls beside the conversation, such as for summaries. */
export interface SummaryWriter {
  /** Undefined where the simulator's own player is to answer. Throws where the replay cannot go on. */
  answer(call: ModelCall): Promise<WrittenSummary | undefined>;
}

type WrittenSummary = { readonly content: readonly AnswerBlock[] } | { readonly failure: ApiFailure };
