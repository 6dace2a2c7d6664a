import fc from "fast-check";
import { createRequire } from "node:module";
import type * as Tokenizer from "gpt-tokenizer/encoding/o200k_base";
import { expect, it } from "vitest";
import { createBpeCounter, cutRuns } from "./bpe-counter.js";
import { readTokenTable } from "./token-table.js";

const longRun = /([^\s]{400,}|\s{400,})/;

it("cuts long runs and nothing else", () => {
  const blank = fc.constantFrom(" ", "\n", "\t", "\u00a0", "\u2003", "\ufeff", "\v");
  const letter = fc.constantFrom("a", "0", "=", "ä", "漢", "😀", "\u001b", "\u200b", "\u0085");
  const run = fc.tuple(fc.oneof(blank, letter), fc.integer({ min: 1, max: 900 }));
  fc.assert(
    fc.property(fc.array(run, { maxLength: 8 }), (runs) => {
      const text = runs.map(([character, length]) => character.repeat(length)).join("");
      const expected = text
        .split(longRun)
        .flatMap((part, index) => (index % 2 === 0 ? [part] : (part.match(/[^]{1,400}/g) ?? [])))
        .filter((part) => part !== "");
      expect([...cutRuns(text)]).toEqual(expected);
    }),
  );
});

it("counts what the tokenizer that its table is made from counts, whatever the text", () => {
  const { countTokens } = createRequire(import.meta.url)(
    "gpt-tokenizer/encoding/o200k_base",
  ) as typeof Tokenizer;
  const counter = createBpeCounter();
  const unit = fc.oneof(
    { weight: 4, arbitrary: fc.string({ unit: "grapheme-ascii" }) },
    fc.string({ unit: "binary" }),
    fc.constantFrom(
      " ",
      "\n\n",
      "\t",
      "'re",
      "12345",
      "HTTPServer",
      " über",
      "漢字",
      "👩‍👩‍👧",
      "\ud800",
      "<|endoftext|>",
    ),
  );
  fc.assert(
    fc.property(fc.array(unit, { maxLength: 12 }), (parts) => {
      // At the start of a piece it does not see a byte order mark.
      const text = parts.join("").replaceAll("\ufeff", "");
      const expected = [...cutRuns(text)].map((part) => countTokens(part, { disallowedSpecial: new Set() }));
      expect(counter.count(text)).toBe(expected.reduce((sum, tokens) => sum + tokens, 0));
    }),
    { numRuns: 1000 },
  );
});

it("knows every token of the table", () => {
  const tokens = createRequire(import.meta.url)("gpt-tokenizer/bpeRanks/o200k_base") as {
    readonly default: readonly (string | readonly number[])[];
  };
  const table = readTokenTable();
  const wrong = tokens.default.filter((token, rank) => {
    const bytes = Buffer.from(token as string);
    return table.rankOf(bytes, 0, bytes.length) !== rank;
  });
  expect(wrong).toEqual([]);
  expect(table.rankOf(Buffer.from("no such token"), 0, 13)).toBe(-1);
});

it("counts ten million characters without a blank, of any kind", () => {
  const counter = createBpeCounter();
  for (const character of ["a", "\u001b["]) {
    const tokens = counter.count(character.repeat(10_000_000 / character.length));
    expect(tokens).toBeGreaterThan(100_000);
  }
});

it("looks at each character once, also where runs are just not long", () => {
  const text = `${"a".repeat(399)} `.repeat(25_000);
  expect([...cutRuns(text)]).toEqual([text]);
});
