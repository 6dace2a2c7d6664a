import type { ClosedBlock, StreamOutput } from "../../messages/call/stream.js";
import type { AssistantBlock } from "../../messages/content.js";
import { isFields } from "../../messages/fields.js";
import { inOrder, type BackwardList } from "../backward-list.js";
import { callBlock, closeCall, textBlock, thinkingBlock, type CallHead } from "./blocks.js";

/** A block that has begun and may still grow. */
export type OpenBlock = BlockStart & { readonly pieces: BackwardList<string> };

export type BlockStart =
  | { readonly kind: "text" | "thinking" }
  | { readonly kind: "call"; readonly head: CallHead };

export const withPiece = (block: BlockStart | OpenBlock, piece: string): OpenBlock => {
  const before = "pieces" in block ? block.pieces : undefined;
  return { ...block, pieces: piece === "" ? before : { item: piece, before } };
};

export const contentOf = ({ pieces }: OpenBlock): string => inOrder(pieces).join("");

/** Whether nothing more can belong to it once something else begins. */
export function isComplete(block: OpenBlock): boolean {
  if (block.kind !== "call") return true;
  try {
    return isFields(JSON.parse(contentOf(block)));
  } catch {
    return false;
  }
}

export function closeBlock(block: OpenBlock): ClosedBlock {
  return block.kind === "call"
    ? closeCall(block.head, contentOf(block))
    : { block: asBlock(block, contentOf(block)) };
}

export const startOutput = (index: number, block: BlockStart): StreamOutput => ({
  kind: "block-start",
  index,
  block: asBlock(block, ""),
});

interface Piece {
  readonly index: number;
  readonly piece: string;
}

/** Nothing for an empty piece. */
export function pieceOutputs({ kind }: BlockStart, { index, piece }: Piece): readonly StreamOutput[] {
  if (piece === "") return [];
  if (kind === "text") return [{ kind, index, text: piece }];
  return kind === "thinking"
    ? [{ kind, index, thinking: piece }]
    : [{ kind: "tool-input", index, json: piece }];
}

function asBlock(block: BlockStart, text: string): AssistantBlock {
  if (block.kind === "call") return callBlock(block.head);
  return block.kind === "text" ? textBlock(text) : thinkingBlock(text);
}
