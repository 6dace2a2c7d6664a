import type { AssistantMessage, Model } from "@palimpsest/core";
import { blockTokens, TOKENS_PER_MESSAGE } from "../../simulator/tokens/block-tokens.js";
import type { TokenCounter } from "../../simulator/tokens/bpe-counter.js";
import type { RecordedRound } from "../rounds/recorded-round.js";
import { requestTail, spokenMessage } from "./playable-round.js";

/** Counts the rounds of a recording, one after the other, as a request that forgets nothing would hold them. */
export interface RecordedTokens {
  /**
   * `response`: what the model said. `incoming`: what the request grows by since the one before, but for what the
   * model said between them.
   */
  next(round: RecordedRound): { readonly incoming: number; readonly response: number };
}

export function createRecordedTokens(model: Model, counter: TokenCounter): RecordedTokens {
  let before: AssistantMessage | undefined;
  const count = (block: unknown): number => blockTokens(block, model, counter);
  return {
    next({ incoming, response }) {
      let tokens = 0;
      // Results only count after the calls that they answer.
      for (const { role, content } of requestTail(before, incoming)) {
        tokens += TOKENS_PER_MESSAGE;
        if (role === "assistant") continue;
        const blocks = typeof content === "string" ? [{ type: "text", text: content }] : content;
        tokens += blocks.reduce<number>((sum, block) => sum + count(block), 0);
      }
      before = spokenMessage(response);
      const said = response.content.reduce(
        (sum, block) =>
          sum + (block.type === "thinking" ? Math.max(block.hiddenTokens ?? 0, count(block)) : count(block)),
        0,
      );
      return { incoming: tokens, response: said };
    },
  };
}
