import type { AssistantBlock } from "@palimpsest/core";
import type { AnswerBlock } from "../../simulator/player.js";

type PlayedBlock = Extract<AssistantBlock, { readonly type: AnswerBlock["type"] }>;

/** The blocks of a response that a player can have said. */
export const playedBlocks = (content: readonly AssistantBlock[]): readonly PlayedBlock[] =>
  content.filter(
    (block): block is PlayedBlock =>
      block.type === "text" || block.type === "thinking" || block.type === "tool_use",
  );
