import type { FileResult, ReplayReport } from "../replay/results/policy-result.js";
import type { RecordedBill } from "../replay/measures/recorded-bill.js";
import type { RereadCalls } from "../replay/results/rereads.js";
import { shortName, tableOf } from "./text-table.js";
import { formatNumber, plural } from "./terminal.js";

const dollars = (value: number): string => `$${value.toFixed(2)}`;
const percent = (share: number): string => `${(share * 100).toFixed(1)}%`;
const signed = (share: number): string => `${share > 0 ? "+" : ""}${percent(share)}`;

/** How each figure is shown; one that is not here is a share. */
const shown: Readonly<Record<string, (value: number) => string>> = {
  fullCost: dollars,
  cost: dollars,
  costRatio: (value) => value.toFixed(2),
};

/** From where to where the totals lie, as far as the conversations tell. Nothing where all are about one repository. */
export function describeIntervals({ files, repositories, policies }: ReplayReport["total"]): string {
  const rows = Object.entries(policies).flatMap(([name, { intervals }]) =>
    intervals === null ? [] : [{ name, intervals }],
  );
  const [first] = rows;
  if (first === undefined) return "";
  const figures = Object.keys(first.intervals);
  const about = `95% intervals: ${plural(files, "conversation")} of ${formatNumber(repositories)} repositories, drawn by repository`;
  const table = tableOf(
    ["policy", ...figures, ""],
    rows.map(({ name, intervals }) => [
      name,
      ...figures.map((figure) => {
        const show = shown[figure] ?? percent;
        return (intervals[figure] ?? []).map(show).join(" – ");
      }),
      "",
    ]),
  );
  return `\n${about}\n${table}`;
}

/** The simulator's bill for what was recorded beside the recorded one, file by file. */
export function describeBills(files: readonly FileResult[]): string {
  const rows = files.flatMap(({ file, policies }) =>
    Object.values(policies).flatMap(({ recordedBill }) =>
      recordedBill === undefined || recordedBill.responses === 0 ? [] : [{ file, bill: recordedBill }],
    ),
  );
  if (rows.length === 0) return "";
  const table = tableOf(
    ["file", "responses", "recorded", "simulated", "error", "prompt", "output", "left", "explained"],
    rows.map(({ file, bill }) => [
      shortName(file),
      formatNumber(bill.responses),
      dollars(bill.recorded.cost),
      dollars(bill.simulated.cost),
      signed(bill.error),
      signed(promptOf(bill.simulated) / promptOf(bill.recorded) - 1),
      signed(bill.simulated.outputTokens / Math.max(1, bill.recorded.outputTokens) - 1),
      signed(bill.unexplainedError),
      explanation(bill),
    ]),
  );
  return (
    "\nThe simulator's bill against the recorded usage, and what is left of the error without what no transcript tells\n" +
    `(what a first request read of another conversation's cache counts as written, so this is not what was paid)\n${table}`
  );
}

/** The dollars of each cause, the largest first; nothing that rounds to none. */
function explanation({ causes, explained }: RecordedBill): string {
  const shownCauses = Object.entries(causes)
    .filter(([, sum]) => Math.abs(sum) >= 0.005)
    .toSorted(([, a], [, b]) => Math.abs(b) - Math.abs(a))
    .map(([cause, sum]) => `${cause} ${signedDollars(sum)}`);
  return shownCauses.length === 0 ? "" : `${signedDollars(explained)}: ${shownCauses.join(", ")}`;
}

const signedDollars = (value: number): string => `${value < 0 ? "-" : "+"}${dollars(Math.abs(value))}`;

/** What was really read again after recorded compactions beside what the judge expects, file by file and in total. */
export function describeRereads(files: readonly FileResult[], { policies }: ReplayReport["total"]): string {
  const rows = files.flatMap(({ file, policies: own }) =>
    Object.values(own).flatMap(({ rereads }) =>
      rereads === undefined ? [] : [{ name: shortName(file), rereads }],
    ),
  );
  const totals = Object.values(policies).flatMap(({ rereads }) =>
    rereads === undefined ? [] : [{ name: "total", rereads }],
  );
  const shownRows = [...rows, ...(files.length > 1 ? totals : [])].filter(
    ({ rereads }) => rereads.compactions > 0,
  );
  if (shownRows.length === 0) return "";
  const shownCalls = ({ files: read, reads, commands }: RereadCalls): string =>
    `${read} / ${reads} / ${commands}`;
  const table = tableOf(
    ["file", "compactions", "rounds", "after", "before", "observed", "predicted", "same files", ""],
    shownRows.map(({ name, rereads }) => [
      name,
      formatNumber(rereads.compactions),
      formatNumber(rereads.rounds),
      shownCalls(rereads.after),
      shownCalls(rereads.before),
      shownCalls(rereads.observed),
      shownCalls(rereads.predicted),
      formatNumber(rereads.matched),
      "",
    ]),
  );
  return `\nRead again around recorded compactions: files / reads of them / commands\n${table}`;
}

const promptOf = (side: RecordedBill["recorded"]): number =>
  side.inputTokens + side.cacheReadTokens + side.cacheWriteTokens;
