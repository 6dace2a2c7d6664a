import fc from "fast-check";
import { expect, it } from "vitest";
import { createBpeCounter } from "./bpe-counter.js";
import { noKinds, tokensIn } from "./piece-facts.js";
import { createSharedCounter } from "./shared-counter.js";

const { kinds, count } = createBpeCounter();

it("tells words after a blank from those that something is joined to", () => {
  expect(kinds("the lamp\nwas lit")).toEqual({ ...noKinds(), words: 4, rest: 1 });
  expect(kinds("(the)lamp.was_lit")).toMatchObject({ words: 0, joined: 4 });
  expect(kinds("\tlamp")).toMatchObject({ words: 0, joined: 1 });
  expect(kinds("getLampById")).toMatchObject({ words: 1, joined: 3 });
});

it("counts letters after the fourth, and tokens after the first", () => {
  expect(kinds(" information")).toMatchObject({ words: 1, longLetters: 7, moreTokens: 0 });
  const rare = kinds(" zqxwvkjhgf");
  expect(rare).toMatchObject({ words: 1, longLetters: 6 });
  expect(rare.moreTokens).toBe(count(" zqxwvkjhgf") - 1);
});

it("has capitals, other letters, runs longer than words, and the rest apart", () => {
  expect(kinds(" HALL")).toEqual({ ...noKinds(), capitals: count(" HALL") });
  expect(kinds(" A")).toEqual({ ...noKinds(), words: 1 });
  expect(kinds(" зал für")).toEqual({ ...noKinds(), otherLetters: count(" зал für") });
  const run = "acgt".repeat(20);
  expect(kinds(run)).toEqual({ ...noKinds(), otherLetters: count(run) });
  expect(kinds("12 → 345\n\n  };")).toEqual({ ...noKinds(), rest: count("12 → 345\n\n  };") });
  expect(kinds("")).toEqual(noKinds());
});

it("leaves no token out, whatever the text, and says the same when it is shared", () => {
  const shared = createSharedCounter();
  const part = fc.oneof(
    fc.string({ unit: "binary" }),
    fc.constantFrom(" word", "Word", "WORDS", ".x", "\n\t", " ", "漢字", "é", "123", "=>", "a".repeat(450)),
  );
  fc.assert(
    fc.property(fc.array(part, { maxLength: 12 }), (parts) => {
      const text = parts.join("");
      const found = kinds(text);
      for (const value of Object.values(found)) expect(value).toBeGreaterThanOrEqual(0);
      expect(tokensIn(found)).toBe(count(text));
      expect(shared.kinds?.(text)).toEqual(found);
      expect(shared.count(text)).toBe(count(text));
    }),
  );
});
