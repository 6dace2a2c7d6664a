import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { closedBlock, takeText, type AnswerBlock, type OpenBlock } from "./answer-blocks.js";

/** An answer that comes in these pieces. */
function said(pieces: readonly string[]): readonly AnswerBlock[] {
  const blocks: AnswerBlock[] = [];
  let open: OpenBlock | undefined;
  for (const piece of pieces) {
    const taken = takeText(open, piece);
    blocks.push(...taken.closed);
    open = taken.open;
  }
  return [...blocks, ...(open === undefined ? [] : closedBlock(open))];
}

const shapes = (blocks: readonly AnswerBlock[]) => blocks.map(({ kind, source }) => [kind, source.trimEnd()]);

describe("parts of an answer", () => {
  it("are paragraphs, headings, items of lists and fences", () => {
    const text =
      "# Title\nWords\ngo on.\n\n- one\n- two\n  more of two\n\n```js\nlet a;\n\nlet b;\n```\nThe end.";
    expect(shapes(said([text]))).toEqual([
      ["text", "# Title"],
      ["text", "Words\ngo on."],
      ["text", "- one"],
      ["text", "- two\n  more of two"],
      ["code", "let a;\n\nlet b;"],
      ["text", "The end."],
    ]);
  });

  it("keep a fence inside of an item together", () => {
    expect(shapes(said(["- run\n  ```sh\n  a\n\n  b\n  ```\n- next"]))).toEqual([
      ["text", "- run\n  ```sh\n  a\n\n  b\n  ```"],
      ["text", "- next"],
    ]);
  });

  it("take a fence that nobody closes for one that ends with the answer", () => {
    expect(shapes(said(["```\na\nb"]))).toEqual([["code", "a\nb"]]);
    expect(shapes(said(["```\na\n```"]))).toEqual([["code", "a"]]);
  });

  const piece = fc.constantFrom(
    "a",
    "word ",
    "\n",
    "\n\n",
    "- ",
    "1. ",
    "# ",
    "```",
    "~~~",
    "  ",
    "> ",
    "|",
    "日本",
    "é",
    "---\n",
  );

  it("are the same whatever the pieces, but for numbers that stop in the middle, and lose nothing", () => {
    fc.assert(
      fc.property(fc.array(piece, { maxLength: 40 }), (pieces) => {
        const whole = pieces.join("");
        const letters = (text: string): string => text.replaceAll(/[\s`~]/g, "");
        const inPieces = said(pieces);
        const opening = (blocks: readonly AnswerBlock[]): string =>
          blocks
            .map((block) => (block.kind === "code" ? (block.opening ?? "") : "") + block.source)
            .join("\n");
        expect(letters(opening(inPieces))).toBe(letters(whole));
        expect(letters(opening(said(Array.from(whole))))).toBe(letters(whole));
      }),
      { numRuns: 5000 },
    );
  });
});
