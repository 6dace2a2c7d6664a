import { figureNames, type FigureName, type Figures } from "./figures.js";

const COMPARISONS = [">=", "<=", "=", "<", ">"] as const;
type Comparison = (typeof COMPARISONS)[number];

/** `cacheHit>=0.9` */
export interface Assertion {
  readonly text: string;
  readonly name: FigureName;
  readonly comparison: Comparison;
  readonly value: number;
}

export type ParsedAssertions =
  | { readonly kind: "assertions"; readonly assertions: readonly Assertion[] }
  | { readonly kind: "problem"; readonly problem: string };

/** Reads `cacheHit>=0.9,breaks=0`. A problem is one sentence that lists the names. */
export function parseAssertions(text: string): ParsedAssertions {
  const assertions: Assertion[] = [];
  for (const item of text.split(",").map((part) => part.trim())) {
    const assertion = parseAssertion(item);
    if (typeof assertion === "string") return { kind: "problem", problem: assertion };
    assertions.push(assertion);
  }
  return { kind: "assertions", assertions };
}

function parseAssertion(text: string): Assertion | string {
  const match = /^([A-Za-z]+)\s*(>=|<=|==|=|<|>)\s*(\d+(?:\.\d+)?)$/.exec(text);
  const [, name = "", sign = "", value = ""] = match ?? [];
  const known = figureNames.find((figure) => figure === name);
  const comparison = COMPARISONS.find((item) => item === (sign === "==" ? "=" : sign));
  if (known === undefined || comparison === undefined) {
    return `"${text}" is not an assertion like cacheHit>=0.9: the names are ${figureNames.join(", ")}, the comparisons ${COMPARISONS.join(" ")}`;
  }
  return { text, name: known, comparison, value: Number(value) };
}

export interface JudgedAssertion {
  readonly assertion: string;
  readonly name: FigureName;
  readonly holds: boolean;
  /** Null where there was nothing to measure it by: such an assertion does not hold. */
  readonly figure: number | null;
}

/** Sums of dollars and shares end in digits that nobody wrote. */
const TOLERANCE = 1e-9;

export const judgeAssertions = (
  assertions: readonly Assertion[],
  figures: Figures,
): readonly JudgedAssertion[] =>
  assertions.map(({ text, name, comparison, value }) => {
    const figure = figures[name];
    return {
      assertion: text,
      name,
      holds: figure !== null && compare(figure, comparison, value),
      figure,
    };
  });

function compare(figure: number, comparison: Comparison, value: number): boolean {
  const isEqual = Math.abs(figure - value) <= TOLERANCE;
  switch (comparison) {
    case "=":
      return isEqual;
    case ">=":
      return figure > value || isEqual;
    case "<=":
      return figure < value || isEqual;
    case ">":
      return figure > value && !isEqual;
    case "<":
      return figure < value && !isEqual;
  }
}
