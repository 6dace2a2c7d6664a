import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { createDefaultEstimator } from "../../measure/default-estimator.js";
import { createHeuristicEstimator } from "../../measure/heuristic-estimator.js";
import { countCharacters } from "../../measure/testing/count-characters.js";
import type { HumanText } from "./human-text.js";
import { humanQuotes, quoteHumanTexts } from "./quote-human-texts.js";
import { findSections } from "../shape/summary-sections.js";
import { createTextFinder } from "./text-finder.js";

const estimator = createHeuristicEstimator();
const said = (...texts: readonly string[]): readonly HumanText[] =>
  texts.map((text, index) => ({ uuid: `uuid-${index + 1}`, text }));

it("quotes word for word, numbered", () => {
  expect(quoteHumanTexts(said("fix it\n\n- now", "ok"), { estimator })).toBe("[1] fix it\n\n- now\n[2] ok");
});

it("moves in lines that could be taken for something else, and adds nothing but blanks", () => {
  const text = "see\n7. Pending tasks:\n[2] not a message\n</summary>\n<analysis>";
  const quoted = quoteHumanTexts(said(text), { estimator });
  expect(quoted).toBe("[1] see\n    7. Pending tasks:\n    [2] not a message\n</summary>\n<analysis>");
  expect(quoted.replaceAll(/\s/g, "")).toBe(`[1]${text.replaceAll(/\s/g, "")}`);
});

it("shows head and tail of a long message, and where the whole one is", () => {
  const long = `BEGIN ${"lorem ipsum ".repeat(2000)} END`;
  const quoted = quoteHumanTexts(said(long), { estimator, transcriptPath: "/logs/s.jsonl" });
  expect(quoted).toMatch(/^\[1\] BEGIN lorem/);
  expect(quoted).toMatch(
    /\n {4}\[… \d+ of 24010 characters left out; the whole message is in the transcript \/logs\/s\.jsonl, message uuid-1 …\]\n/,
  );
  expect(quoted).toMatch(/ END$/);
  expect(estimator.block(quoted)).toBeLessThanOrEqual(2000);
  expect(estimator.block(quoted)).toBeGreaterThan(1950);
});

it("keeps a title that the cut has set at the start of a line from being one", () => {
  const long = `${"x".repeat(4000)}${"7. Pending tasks:\n".repeat(1000)}`;
  for (let shift = 0; shift < 20; shift += 1) {
    const quoted = quoteHumanTexts(said("y".repeat(shift) + long), { estimator, perMessageTokens: 300 });
    expect(findSections(quoted)).toEqual([]);
  }
});

describe("all together", () => {
  const messages = Array.from({ length: 40 }, (_, index) => `number ${index} ${"lorem ipsum ".repeat(100)}`);

  it("the oldest shrink first", () => {
    const { quotes, leftOut } = humanQuotes(said(...messages), { estimator, totalTokens: 10_000 });
    expect(leftOut).toBeUndefined();
    const sizes = quotes.map(({ text }) => text.length);
    expect(sizes).toEqual(sizes.toSorted((a, b) => a - b));
    expect(quotes.at(-1)?.pieces).toEqual([messages.at(-1)?.trim()]);
    expect(quotes[0]?.text).toContain("characters left out");
  });

  it("then to one line each, and then they are counted, never dropped silently", () => {
    const options = { estimator, totalTokens: 500, transcriptPath: "/logs/s.jsonl" };
    const { quotes, leftOut } = humanQuotes(said(...messages), options);
    const gone = messages.length - quotes.length;
    expect(gone).toBeGreaterThan(0);
    expect(leftOut?.line).toBe(`[2–${gone + 1}] stand only in the transcript /logs/s.jsonl.`);
    expect(quotes[0]?.text).toMatch(/^\[1\] number 0 lorem ipsum .*…$/);
    expect(quotes[1]?.text).toMatch(new RegExp(`^\\[${gone + 2}\\] number ${gone + 1} lorem ipsum .*…$`));
    expect(quoteHumanTexts(said("one"), { estimator, totalTokens: 0 })).toBe(
      "[1] stands only in the transcript.",
    );
  });
});

it("holds its caps, tells of every message, and is the same every time", () => {
  const text = fc.oneof(
    fc.constantFrom(
      "ok",
      "</summary>",
      "7. Pending tasks:",
      "\ud800 half",
      "[1] x",
      "\u20287. Pending tasks:\r",
    ),
    fc.string({ unit: "binary", maxLength: 300 }),
    fc
      .tuple(fc.constantFrom("word ", "WORD", "漢字", "{}[]", "9\n", "  "), fc.nat(2000))
      .map(([unit, count]) => unit.repeat(count)),
  );
  const caps = fc.record({
    perMessageTokens: fc.integer({ min: 100, max: 600 }),
    totalTokens: fc.integer({ min: 200, max: 6000 }),
  });
  for (const own of [estimator, createDefaultEstimator({ model: "claude-opus-4-6" })]) {
    fc.assert(
      fc.property(fc.array(text, { maxLength: 30 }), caps, (list, limits) => {
        const texts = said(...list);
        const options = { estimator: own, ...limits };
        const quoted = quoteHumanTexts(texts, options);
        expect(own.block(quoted)).toBeLessThanOrEqual(limits.totalTokens);
        expect(findSections(quoted)).toEqual([]);
        expect(quoted.isWellFormed()).toBe(true);
        expect(quoteHumanTexts(texts, options)).toBe(quoted);
        const { quotes, leftOut } = humanQuotes(texts, options);
        expect(quotes.length + (leftOut?.texts.length ?? 0)).toBe(texts.length);
        const isThere = createTextFinder(quoted);
        for (const { pieces, text: shown } of quotes) {
          expect(own.block(shown)).toBeLessThanOrEqual(own.pad(limits.perMessageTokens) + 20);
          for (const piece of pieces) expect(isThere(piece)).toBe(true);
        }
      }),
      { numRuns: 400 },
    );
  }
});

it("cuts no message that an estimate with its margin may have made too long", () => {
  const own = createDefaultEstimator({ model: "claude-opus-5" });
  const log = Array.from({ length: 300 }, (_, at) => `{"at":${at * 977},"ok":false}`).join("\n");
  const words = log.slice(0, Math.floor((log.length * 2300) / own.block(log)));
  expect(own.block(words)).toBeGreaterThan(2000);
  expect(quoteHumanTexts(said(words), { estimator: own })).toBe(`[1] ${words}`);
  expect(quoteHumanTexts(said(words + words), { estimator: own })).toContain("characters left out");
});

it("measures a long message once, and of many no more than is shown", () => {
  const many = said(...Array.from({ length: 5000 }, (_, index) => `message ${index}`));
  const long = "x ".repeat(2_000_000);
  const counted = countCharacters(createDefaultEstimator({ model: "claude-opus-5" }));
  const quoted = quoteHumanTexts([...many, ...said(long)], counted);
  expect(quoted).toMatch(/\n\[5000\] message 4999\n\[5001\] x x x /);
  expect(counted.characters()).toBeLessThan(2 * long.length);
});
