import type { CacheBreak } from "../../simulator/breaks/break-finder.js";
import { formatNumber, plural, printable } from "../terminal.js";
import type { FigureName } from "./figures.js";
import type { CacheTestReport } from "./report.js";

const MOST_LINES = 20;

/** What a person reads after the program has ended; every line ends with a line end. */
export function describeReport(report: CacheTestReport): string {
  const { figures, assertions, breaks, refused } = report;
  const failing = assertions.filter(({ holds }) => !holds);
  const isAbout = (...names: readonly FigureName[]): boolean =>
    failing.some(({ name }) => names.includes(name));
  return [
    `palimpsest: ${ended(report)}`,
    `palimpsest: ${plural(figures.requests ?? 0, "request")}, ${shown("cacheHit", figures.cacheHit)} of ` +
      `${plural(figures.inputTokens ?? 0, "input token")} read from the cache, ${plural(figures.breaks ?? 0, "break")}, ` +
      `${formatNumber(figures.refused ?? 0)} refused, ${shown("cost", figures.cost)}`,
    ...failing.map(
      ({ assertion, name, figure }) =>
        `palimpsest: ${printable(assertion)} does not hold: ${name} is ${shown(name, figure)}`,
    ),
    ...(report.problem === null ? [] : [`palimpsest: ${report.problem}`]),
    ...some(breaks, describeBreak),
    ...(isAbout("refused", "invalid", "errors")
      ? some(refused, ({ request, status, message }) => `request ${request}: ${status}, ${message}`)
      : []),
    ...(isAbout("cacheHit", "readTokens", "freshTokens") && report.shortPrompts > 0
      ? [`  ${plural(report.shortPrompts, "request")} had a marker on less than the model caches at least`]
      : []),
    ...(report.holds && assertions.length > 0
      ? [
          `palimpsest: ${plural(assertions.length, "assertion")} ${assertions.length === 1 ? "holds" : "hold"}`,
        ]
      : []),
    "",
  ].join("\n");
}

function ended({ command, child }: CacheTestReport): string {
  const name = printable(command.join(" "));
  if (child.problem !== null) return `${name} could not be started: ${printable(child.problem)}`;
  if (child.signal !== null) return `${name} was ended by ${child.signal} (exit code ${child.exitCode})`;
  return child.exitCode === 0 ? `${name} ended` : `${name} failed with exit code ${child.exitCode}`;
}

function some<Item>(items: readonly Item[], describe: (item: Item) => string): readonly string[] {
  const lines = items.slice(0, MOST_LINES).map((item) => `  ${printable(describe(item))}`);
  return items.length > MOST_LINES ? [...lines, `  and ${items.length - MOST_LINES} more`] : lines;
}

function shown(name: FigureName, figure: number | null): string {
  if (figure === null) return "unknown, as nothing was received to measure it by";
  if (name === "cacheHit" || name === "kept") return `${(100 * figure).toFixed(1)}%`;
  return name === "cost" ? `$${figure.toFixed(4)}` : formatNumber(figure);
}

const reasons: Readonly<Partial<Record<CacheBreak["reason"], string>>> = {
  expired: "its time was over",
  "outside-lookback": "it lies more than 20 blocks before the next marker",
  "not-readable-yet": "the response that writes it had not begun",
  "no-marker": "no marker of the request reaches it",
  "edited-by-the-api": "the API's own edits changed it",
};

function describeBreak({ request, since, reason, difference, tokens }: CacheBreak): string {
  const lost = `${plural(tokens, "cached token")} of request ${since} not read`;
  if (difference === null) return `request ${request}: ${lost}: ${reasons[reason] ?? reason}`;
  const { owner, path, what, byte, before, now } = difference;
  if (what !== "changed") return `request ${request}: ${lost}: ${owner} (${path}) was ${what}`;
  const place = byte === null ? owner : `byte ${formatNumber(byte)} of ${owner} (${path})`;
  return `request ${request}: ${lost}: ${place} differs: ${JSON.stringify(before)} is now ${JSON.stringify(now)}`;
}
