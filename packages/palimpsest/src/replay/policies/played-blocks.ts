import type { AssistantBlock } from "@palimpsest/core";
import { asFields } from "@palimpsest/core/engine";
import type { AnswerBlock } from "../../simulator/player.js";

/** The blocks of a response that a player can have said. */
export const playedBlocks = (content: readonly AssistantBlock[]): readonly AnswerBlock[] =>
  content.flatMap((block): readonly AnswerBlock[] => {
    if (block.type === "tool_use") return [{ ...block, input: asFields(block.input) }];
    return block.type === "text" || block.type === "thinking" ? [block] : [];
  });
