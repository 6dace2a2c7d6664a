/** One stretch of a summary that stands under the title of a section. */
export interface SectionPart {
  /** Which of the nine sections. */
  readonly number: number;
  /** Where the line of its title begins. */
  readonly start: number;
  /** Where its text begins. */
  readonly bodyStart: number;
  /** Where the next title begins, or the summary ends. */
  readonly end: number;
}

const TITLES: readonly (readonly [number, string])[] = [
  [1, "primary requests?(?: (?:and|&) intents?)?"],
  [2, "key (?:technical )?concepts?"],
  [3, "files? (?:and|&) code(?: sections?)?"],
  [4, "errors? (?:and|&) fix(?:es)?"],
  [5, "problem[ -]solving"],
  [6, "all user messages"],
  [7, "pending tasks?"],
  [8, "current work|work completed"],
  [9, "(?:optional )?next steps?|context for continuing(?: work)?"],
];

const MARKS = "[*_]{2,3}";
const HEADING = new RegExp(
  `^ {0,3}(?<level>#{1,6} {0,3})?(?:(?<bold>${MARKS}) ?)?(?:(?<number>\\d{1,2})[.):] {0,3})?(?:(?<boldToo>${MARKS}) ?)?` +
    `(?:${TITLES.map(([number, title]) => `(?<title${number}>${title})`).join("|")})` +
    ` ?(?:\\([^()\\n]{0,60}\\))? ?(?:${MARKS})? ?(?<colon>:)?(?:${MARKS})?(?<rest>.*)$`,
  "i",
);

interface Heading {
  readonly number: number;
  /** It stands there with a number. One without is a title only where no other is. */
  readonly isNumbered: boolean;
  /** What stands after the title on its line. */
  readonly rest: string;
}

/**
 * The section whose title a line is, however it is dressed up: `3. Files and code sections:`, `## 3. Files …`,
 * `**3. Files …**`, with words after its colon. Four blanks before it make it text.
 */
export function sectionHeading(line: string): Heading | undefined {
  const groups = HEADING.exec(line)?.groups;
  if (groups === undefined) return undefined;
  const number = TITLES.find(([section]) => groups[`title${section}`] !== undefined)?.[0];
  const rest = groups["rest"] ?? "";
  if (number === undefined) return undefined;
  const isBare = rest.trim() === "";
  const hasColon = groups["colon"] !== undefined;
  const isMarked =
    groups["level"] !== undefined || groups["bold"] !== undefined || groups["boldToo"] !== undefined;
  const given = groups["number"];
  const isTitle =
    given === undefined
      ? (isMarked && (isBare || hasColon)) || (isBare && hasColon)
      : Number(given) === number
        ? isBare || hasColon || /^\s*[-–—]/.test(rest)
        : isBare && (hasColon || isMarked);
  return isTitle ? { number, rest, isNumbered: given !== undefined } : undefined;
}

/** The sections of a summary in the order in which they stand; one may come in several parts. */
export function findSections(summary: string): readonly SectionPart[] {
  const headings = [...summary.matchAll(/^.+$/gm)].flatMap(({ 0: line, index }) => {
    const heading = sectionHeading(line);
    return heading === undefined
      ? []
      : [{ ...heading, start: index, bodyStart: index + line.length - heading.rest.length }];
  });
  const numbered = new Set(headings.filter(({ isNumbered }) => isNumbered).map(({ number }) => number));
  const titles = headings.filter(({ isNumbered, number }) => isNumbered || !numbered.has(number));
  return titles.map(({ number, start, bodyStart }, index) => {
    return { number, start, bodyStart, end: titles[index + 1]?.start ?? summary.length };
  });
}

/** What stands in one section, all its parts together. */
export const sectionBody = (summary: string, parts: readonly SectionPart[], number: number): string =>
  parts
    .filter((part) => part.number === number)
    .map((part) => summary.slice(part.bodyStart, part.end).trim())
    .filter((body) => body !== "")
    .join("\n");
