import type {
  FileResult,
  ForgottenSource,
  PolicyFigures,
  ReplayReport,
} from "../replay/results/policy-result.js";
import { describeBills, describeIntervals, describeRereads } from "./replay-totals.js";
import { shortName, tableOf } from "./text-table.js";
import { formatNumber, plural, printable } from "./terminal.js";

const dollars = (value: number): string => `$${value.toFixed(2)}`;
const percent = (share: number): string => `${(share * 100).toFixed(1)}%`;
const milliseconds = (value: number): string => value.toFixed(2);

interface Column {
  readonly title: string;
  readonly of: (figures: PolicyFigures) => string;
}

const share = (part: number, whole: number): string => percent(whole === 0 ? 0 : part / whole);

const columns: readonly Column[] = [
  { title: "full cost", of: ({ fullCost }) => dollars(fullCost) },
  { title: "blind edits", of: ({ blindEdits, edits }) => share(blindEdits, edits) },
  { title: "blind turns", of: ({ blindTurns, turns }) => share(blindTurns, turns) },
  { title: "cost", of: ({ cost }) => dollars(cost) },
  { title: "ratio", of: ({ costRatio }) => costRatio.toFixed(2) },
  { title: "cache hit", of: ({ cacheHit }) => percent(cacheHit) },
  { title: "recall", of: ({ recall }) => percent(recall) },
  { title: "user words", of: describeWords },
  { title: "invalid", of: ({ invalid }) => formatNumber(invalid) },
  { title: "overflow", of: ({ overflow }) => formatNumber(overflow) },
  { title: "CPU p99 ms", of: ({ cpuMsP99 }) => milliseconds(cpuMsP99) },
  { title: "compactions", of: ({ compactions }) => describeTiers(compactions) },
];

/** What a forgotten turn may be worth beyond the price of reading again, and what regaining came to. */
const regainColumns: readonly Column[] = [
  { title: "×1", of: ({ costAt }) => dollars(costAt["1"]) },
  { title: "×2", of: ({ costAt }) => dollars(costAt["2"]) },
  { title: "×4", of: ({ costAt }) => dollars(costAt["4"]) },
  {
    title: "break-even",
    of: ({ breakEven }) => (breakEven === null ? "–" : `×${breakEven.toFixed(breakEven < 10 ? 1 : 0)}`),
  },
  { title: "read again", of: ({ regainRequests }) => formatNumber(regainRequests) },
  { title: "seconds", of: ({ regainSeconds }) => formatNumber(Math.round(regainSeconds)) },
  { title: "lost", of: ({ lost }) => formatNumber(lost) },
  {
    title: "before a recorded compaction: full cost, blind edits, blind turns",
    of: ({ beforeRecordedCompaction: before }) =>
      [
        dollars(before.fullCost),
        share(before.blindEdits, before.edits),
        share(before.blindTurns, before.turns),
      ].join(", "),
  },
];

/** Without limits to what a summary quotes, where that makes a difference. */
function describeWords({ userWords, userWordsUncapped }: PolicyFigures): string {
  const [within, all] = [percent(userWords), percent(userWordsUncapped)];
  return within === all ? within : `${within} (${all} of all words)`;
}

const describeTiers = (compactions: PolicyFigures["compactions"]): string =>
  Object.entries(compactions)
    .map(([tier, count]) => `${formatNumber(count)} ${tier}`)
    .join(", ") || "none";

/** The figures of each policy over all files; with several files also what the first policy did with each. */
export function describeReplay(report: ReplayReport): string {
  const { total } = report;
  const played = report.files.filter((file): file is FileResult => !("error" in file));
  if (played.length === 0) return "";
  const policies = Object.entries(total.policies);
  const table = tableOf(
    ["policy", ...columns.map(({ title }) => title)],
    policies.map(([name, figures]) => [name, ...columns.map(({ of }) => of(figures))]),
  );
  const regaining = tableOf(
    ["cost + k × regaining", ...regainColumns.map(({ title }) => title)],
    policies.map(([name, figures]) => [name, ...regainColumns.map(({ of }) => of(figures))]),
  );
  const about =
    `${plural(total.files, "conversation")}, ${plural(total.rounds, "turn")}; ` +
    `never forgetting would cost ${dollars(total.unlimitedCost)} (the ratio's 1.00)\n`;
  const [first] = policies;
  const perFile =
    played.length < 2 || first === undefined
      ? ""
      : `\n${printable(first[0])}, file by file\n${fileTable(played, first[0])}`;
  return `${about}\n${table}${endings(played)}\n${regaining}${describeIntervals(total)}${describeBills(played)}${describeRereads(played, total)}${perFile}`;
}

function fileTable(files: readonly FileResult[], policy: string): string {
  return tableOf(
    ["file", "model", "turns", ...columns.map(({ title }) => title)],
    files.flatMap(({ file, model, rounds, policies }) => {
      const figures = policies[policy];
      if (figures === undefined) return [];
      return [[shortName(file), model, formatNumber(rounds), ...columns.map(({ of }) => of(figures))]];
    }),
  );
}

/** Where conversations could not go on. */
function endings(files: readonly FileResult[]): string {
  const counts = new Map<string, number>();
  for (const { policies } of files) {
    for (const [name, { endedAtTurn }] of Object.entries(policies)) {
      if (endedAtTurn !== null) counts.set(name, (counts.get(name) ?? 0) + 1);
    }
  }
  return [...counts]
    .map(([name, count]) => `${printable(name)} came to a halt in ${plural(count, "conversation")}\n`)
    .join("");
}

/** Turn by turn, what a policy had forgotten when the recorded action used it, and where that was from. */
export function describeMissing({ files }: ReplayReport): string {
  const lines: string[] = [];
  for (const file of files) {
    if ("error" in file) continue;
    for (const [name, { missing = [], forgotten = [] }] of Object.entries(file.policies)) {
      const names = missing.filter(({ kind }) => kind !== "path");
      if (names.length + forgotten.length === 0) continue;
      lines.push(
        `\n${printable(file.file)}, ${printable(name)}: ${plural(forgotten.length, "source")} forgotten, ` +
          `${plural(names.length, "other name")} missing`,
      );
      const told = [
        ...forgotten.map((one) => ({ turn: one.turn, told: describeForgotten(one) })),
        ...names.map(({ turn, tool, kind, reference }) => ({
          turn,
          told: `${printable(tool)}  ${kind}  ${printable(reference)}`,
        })),
      ];
      for (const one of told.toSorted((a, b) => a.turn - b.turn)) {
        lines.push(`  turn ${one.turn + 1}  ${one.told}`);
      }
    }
  }
  return lines.length === 0 ? "\nNothing was missing.\n" : `${lines.join("\n")}\n`;
}

/** `Edit  3 lines, 1 path of src/lamp.ts (disk, 31 turns ago): export const wick = …`. */
function describeForgotten(forgotten: ForgottenSource): string {
  const { tool, source, class: kind, roundsAgo, lines, missingLines, paths, isUnread } = forgotten;
  const what = [
    ...(missingLines === 0 ? [] : [plural(missingLines, "line")]),
    ...(paths.length === 0 ? [] : [plural(paths.length, "path")]),
    ...(isUnread ? ["no longer held as read"] : []),
  ].join(", ");
  const age = roundsAgo === null ? "" : `, ${plural(roundsAgo, "turn")} ago`;
  const first = lines[0] ?? paths[0];
  const example = first === undefined ? "" : `: ${printable(first)}`;
  return `${printable(tool)}  ${what} of ${printable(source)} (${kind}${age})${example}`;
}
