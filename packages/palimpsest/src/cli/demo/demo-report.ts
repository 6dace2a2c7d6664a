import { formatNumber, plural, printable } from "../terminal.js";
import type { Check } from "./check.js";
import type { LineOptions } from "./demo-lines.js";
import type { DemoOutcome } from "./demo-run.js";
import type { DemoPart } from "./demo-parts.js";
import { dollars, fitting, percent, thousands, wrapped } from "./demo-text.js";

export interface ReportFacts {
  readonly seconds: number;
  readonly without: ReadonlySet<DemoPart>;
  readonly isRepository: boolean;
}

export const isAllKept = ({ checks, problem }: DemoOutcome): boolean =>
  problem === undefined && checks.length > 0 && checks.every(({ holds }) => holds);

/** What a person reads at the end: a short table, and what was and was not forgotten. */
export function reportLines(
  outcome: DemoOutcome,
  { facts, ...options }: LineOptions & { readonly facts: ReportFacts },
): readonly string[] {
  const { columns, paint } = options;
  const { meter, checks, problem, steps } = outcome;
  const cleared = steps.filter(({ writer }) => writer === undefined).length;
  const compacted = steps.length - cleared;
  const rows = [
    ["", "cost", "against", "words kept"],
    ["this agent", dollars(meter.cost), "", percent(outcome.words)],
    [
      "summarise everything",
      dollars(meter.summariseAll),
      times(meter.summariseAll, meter.cost),
      percent(outcome.baselineWords),
    ],
    ["no caching", dollars(meter.withoutCaching), times(meter.withoutCaching, meter.cost), "–"],
  ];
  const failed = checks.filter(({ holds }) => !holds);
  return [
    "",
    ...wrapped(
      `${plural(meter.responses, "response")} in a window of ${formatNumber(meter.window)} tokens, ${thousands(meter.inputTokens)} tokens of input, ` +
        `${percent(meter.cacheHit)} of them read from the cache; cleared ${plural(cleared, "time")}, compacted ${plural(compacted, "time")}, in ${facts.seconds.toFixed(0)} s.`,
      columns - 2,
    ),
    "",
    ...table(rows, columns),
    "",
    paint.bold("Was anything forgotten?"),
    ...checks.flatMap((check) => checkLines(check, options)),
    "",
    ...(problem === undefined ? [] : [paint.red(fitting(printable(problem), columns))]),
    failed.length === 0 && problem === undefined
      ? paint.green(paint.bold("Nothing was forgotten."))
      : paint.red(paint.bold(fitting(`Lost: ${failed.map(({ name }) => name).join(", ")}.`, columns))),
    ...(facts.without.size === 0 ? [] : [paint.dim(`Switched off: ${[...facts.without].join(", ")}.`)]),
  ];
}

const times = (cost: number, ours: number): string => (ours === 0 ? "" : `${(cost / ours).toFixed(1)}×`);

function checkLines({ name, holds, detail }: Check, { columns, paint }: LineOptions): readonly string[] {
  const sign = holds ? paint.green("✓") : paint.red("✗");
  const width = 22;
  const room = columns - width - 5;
  if (room < 24)
    return [`  ${sign} ${name}`, ...wrapped(printable(detail), columns - 6).map((line) => `      ${line}`)];
  const [first = "", ...rest] = wrapped(printable(detail), room);
  return [
    `  ${sign} ${name.padEnd(width)}${paint.dim(first)}`,
    ...rest.map((line) => `    ${" ".repeat(width)}${paint.dim(line)}`),
  ];
}

/** A table; where it is too wide each row is told in a sentence. */
function table(rows: readonly (readonly string[])[], columns: number): readonly string[] {
  const widths = (rows[0] ?? []).map((_, at) => Math.max(...rows.map((row) => row[at]?.length ?? 0)));
  const lines = rows.map((row) =>
    `  ${row.map((cell, at) => (at === 0 ? cell.padEnd(widths[at] ?? 0) : cell.padStart(widths[at] ?? 0))).join("  ")}`.trimEnd(),
  );
  if (lines.every((line) => line.length <= columns)) return lines;
  return rows.slice(1).flatMap(([name = "", cost = "", against = "", kept = ""]) => {
    const more = [...(against === "" ? [] : [against]), ...(kept === "–" ? [] : [`words kept ${kept}`])];
    return [`  ${name}`, ...wrapped([cost, ...more].join(", "), columns - 4).map((line) => `    ${line}`)];
  });
}

/** The figures as one document. The names are a contract. */
export function reportDocument(outcome: DemoOutcome, facts: ReportFacts): unknown {
  const { model, window, meter, steps, checks, problem } = outcome;
  return {
    isAllKept: isAllKept(outcome),
    model,
    window,
    seconds: Number(facts.seconds.toFixed(2)),
    isRepository: facts.isRepository,
    without: [...facts.without],
    responses: meter.responses,
    calls: meter.calls,
    inputTokens: meter.inputTokens,
    outputTokens: meter.outputTokens,
    cacheHit: meter.cacheHit,
    cost: {
      palimpsest: meter.cost,
      withoutCaching: meter.withoutCaching,
      summariseAll: meter.summariseAll,
    },
    userWords: { palimpsest: outcome.words, summariseAll: outcome.baselineWords },
    summariseAllCompactions: outcome.baselineCompactions,
    steps,
    checks,
    ...(problem === undefined ? {} : { problem }),
  };
}
