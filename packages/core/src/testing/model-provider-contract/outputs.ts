import type { ModelOutput } from "../../engine/ports/model-provider.js";
import type { AssistantBlock } from "../../messages/content.js";
import { check, checkSame } from "../check.js";

type Pieces = Extract<ModelOutput, { readonly kind: "text" | "thinking" | "tool-input" }>;

/**
 * Fails unless the outputs are in order: `start` first, blocks one after the other, their pieces adding up to
 * them, the blocks to the message, and one `message` or `error` at the end.
 */
export function checkOutputs(outputs: readonly ModelOutput[]): void {
  const last = outputs.at(-1);
  check(last !== undefined, "the stream yielded nothing");
  const ends = outputs.filter(({ kind }) => kind === "message" || kind === "error");
  check(ends.length === 1 && ends[0] === last, `expected one end, got: ${kindsOf(outputs)}`);
  const starts = outputs.filter(({ kind }) => kind === "start");
  const isStarted = outputs.length > 1 || last.kind === "message";
  check(
    isStarted ? starts.length === 1 && starts[0] === outputs[0] : starts.length === 0,
    `expected one start, before everything else, got: ${kindsOf(outputs)}`,
  );
  const blocks = checkBlocks(outputs);
  if (last.kind === "message") {
    check(blocks.open === undefined, "the message came before its last block was closed");
    checkSame(last.message.content, blocks.closed, "the content of the message, against the blocks");
  }
}

interface OpenBlock {
  readonly index: number;
  readonly type: string;
  readonly pieces: Pieces[];
}

function checkBlocks(outputs: readonly ModelOutput[]): {
  readonly closed: readonly AssistantBlock[];
  readonly open: OpenBlock | undefined;
} {
  const closed: AssistantBlock[] = [];
  let open: OpenBlock | undefined;
  for (const output of outputs) {
    if (output.kind === "block-start") {
      check(open === undefined, `block ${output.index} began within another one`);
      check(output.index === closed.length, `block ${closed.length} has the index ${output.index}`);
      open = { index: output.index, type: output.block.type, pieces: [] };
    } else if (output.kind === "block") {
      check(open?.index === output.index, `block ${output.index} ended without having begun`);
      checkPieces(open.pieces, output.block);
      closed.push(output.block);
      open = undefined;
    } else if (isPiece(output)) {
      check(open?.index === output.index, `a piece (${output.kind}) outside of its block ${output.index}`);
      check(contentOf(output) !== "", `an empty piece (${output.kind})`);
      open.pieces.push(output);
    }
  }
  return { closed, open };
}

function checkPieces(pieces: readonly Pieces[], block: AssistantBlock): void {
  const whole = pieces.map(contentOf).join("");
  if (block.type === "text") {
    check(whole === block.text, "the pieces of a text do not add up to it");
  } else if (block.type === "thinking") {
    check(whole === block.thinking, "the pieces of thinking do not add up to it");
  } else if (block.type === "tool_use" && whole !== "") {
    checkSame(JSON.parse(whole), block.input, "the pieces of an input, against the block");
  }
}

const isPiece = (output: ModelOutput): output is Pieces =>
  output.kind === "text" || output.kind === "thinking" || output.kind === "tool-input";

function contentOf(piece: Pieces): string {
  if (piece.kind === "text") return piece.text;
  return piece.kind === "thinking" ? piece.thinking : piece.json;
}

const kindsOf = (outputs: readonly ModelOutput[]): string => outputs.map(({ kind }) => kind).join(", ");
