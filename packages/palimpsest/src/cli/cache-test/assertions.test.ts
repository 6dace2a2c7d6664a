import { describe, expect, it } from "vitest";
import { judgeAssertions, parseAssertions } from "./assertions.js";
import { createFigureMeter, figureNames, type Figures } from "./figures.js";

const figures: Figures = { ...createFigureMeter().figures([]), cacheHit: 0.9, breaks: 2, cost: 0.1 + 0.2 };

const judged = (text: string): readonly (readonly [boolean, number | null])[] => {
  const parsed = parseAssertions(text);
  if (parsed.kind === "problem") throw new Error(parsed.problem);
  return judgeAssertions(parsed.assertions, figures).map(({ holds, figure }) => [holds, figure]);
};

describe("assertions", () => {
  it.each([
    ["cacheHit>=0.9", true],
    ["cacheHit>0.9", false],
    ["cacheHit<=0.9", true],
    ["cacheHit<0.9", false],
    ["cacheHit=0.9", true],
    ["breaks = 2", true],
    ["breaks==2", true],
    ["breaks<2", false],
    ["breaks<3", true],
    ["cost=0.3", true],
    ["cost<=0.3", true],
    ["cost>0.3", false],
    ["requests=0", true],
  ])("%s is %s", (text, holds) => {
    expect(judged(text).map(([is]) => is)).toEqual([holds]);
  });

  it("what nothing was measured by does not hold, either way", () => {
    expect(judged("kept>=0,kept<=1")).toEqual([
      [false, null],
      [false, null],
    ]);
  });

  it("several are judged each", () => {
    expect(judged("cacheHit>=0.5, breaks=0 ,refused=0")).toEqual([
      [true, 0.9],
      [false, 2],
      [true, 0],
    ]);
  });

  it.each([
    "",
    "cacheHit",
    "cacheHit>=",
    "cacheHit>=x",
    "cacheHit>=-1",
    "cacheHit=>0.9",
    "cachehit>=0.9",
    "__proto__=0",
    "constructor=1",
    "breaks=0,",
    "breaks=0;refused=0",
    "breaks=1e999",
    "cacheHit>=90%",
  ])("%j is told in one sentence with the names", (text) => {
    const parsed = parseAssertions(text);
    expect(parsed.kind).toBe("problem");
    const problem = parsed.kind === "problem" ? parsed.problem : "";
    expect(problem).toContain(figureNames.join(", "));
    expect(problem).not.toContain("\n");
  });
});
