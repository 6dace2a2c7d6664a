import type { Repair, RepairKind } from "@palimpsest/core";
import type { Problem } from "@palimpsest/core/validity";
import { checkRecording } from "../../replay/check-recording.js";
import { noCounts, type RecordingCounts, type RecordingFormat } from "../../replay/readers/recording.js";
import { complain, recordingsIn, type ReadFile } from "../read-recordings.js";
import { formatNumber, plural, printable, type Terminal } from "../terminal.js";

interface FileReport extends RecordingCounts {
  readonly file: string;
  readonly format: RecordingFormat | null;
  readonly damagedLines: number;
  readonly damaged: readonly { readonly line: number; readonly reason: string }[];
  /** The last line was cut off by a crash; tolerated. */
  readonly tornLastLine: boolean;
  readonly valid: boolean;
  readonly problems: readonly Problem[];
  readonly repairs: Partial<Record<RepairKind, number>>;
  readonly repaired: readonly Repair[];
  readonly error?: { readonly code: string; readonly message: string };
}

export interface CheckArguments {
  readonly files: readonly string[];
  readonly json: boolean;
}

/** Checks every file, also after one that fails. Gives the exit code. */
export async function checkTranscripts({ files, json }: CheckArguments, terminal: Terminal): Promise<number> {
  const reports: FileReport[] = [];
  for await (const read of recordingsIn(files, terminal)) {
    const report = checkFile(read);
    reports.push(report);
    if (!json && report.error === undefined) terminal.stdout.write(describe(report));
    const failure = failureOf(report);
    if (failure !== undefined) complain(terminal, report.file, failure);
  }
  const total = totalOf(reports);
  if (json) terminal.stdout.write(`${JSON.stringify({ files: reports, total }, null, 2)}\n`);
  else if (reports.length > 1) terminal.stdout.write(`${describeTotal(total)}\n`);
  return reports.some((report) => failureOf(report) !== undefined) ? 1 : 0;
}

function checkFile(read: ReadFile): FileReport {
  const { file } = read;
  if ("error" in read) {
    return {
      file,
      format: null,
      ...noCounts,
      damagedLines: 0,
      damaged: [],
      tornLastLine: false,
      valid: false,
      problems: [],
      repairs: {},
      repaired: [],
      error: { code: read.error.code, message: read.error.message },
    };
  }
  const { format, counts, damaged, torn } = read.recording;
  return {
    file,
    format,
    ...counts,
    damagedLines: damaged.length,
    damaged: damaged.map(({ line, reason }) => ({ line, reason })),
    tornLastLine: torn !== undefined,
    ...checkRecording(read.recording),
  };
}

/** What is wrong with the file, as the end of a sentence that starts with its name. */
function failureOf(report: FileReport): string | undefined {
  if (report.error !== undefined) return report.error.message;
  const [problem] = report.problems;
  if (problem !== undefined) return `does not normalise to a valid request: ${problem.message}`;
  const [line] = report.damaged;
  if (line === undefined) return undefined;
  const others = report.damagedLines > 1 ? ` and ${plural(report.damagedLines - 1, "other")}` : "";
  return `is damaged: line ${line.line} is ${line.reason}${others}; the rest was read`;
}

function describe(report: FileReport): string {
  const repairs = Object.entries(report.repairs).filter(([, count]) => count > 0);
  const lines = [
    printable(report.file),
    `  ${report.format}: ${plural(report.messages, "message")}, ${plural(report.apiResponses, "response")}, ` +
      `${plural(report.humanTurns, "human turn")}, ${plural(report.toolCalls, "tool call")}, ` +
      `${report.boundaries === 1 ? "1 boundary" : `${report.boundaries} boundaries`}, ` +
      `at most ${formatNumber(report.maxContextTokens)} tokens`,
    `  ${report.valid ? "valid" : "NOT VALID"}, ${plural(report.damagedLines, "damaged line")}` +
      `${report.tornLastLine ? ", last line torn" : ""}, ` +
      (repairs.length === 0
        ? "no repairs"
        : `repairs: ${repairs.map(([kind, n]) => `${n} ${kind}`).join(", ")}`),
  ];
  return `${lines.join("\n")}\n`;
}

interface Total extends RecordingCounts {
  readonly files: number;
  readonly valid: number;
  readonly failed: number;
  readonly damagedLines: number;
  readonly repairs: number;
}

function totalOf(reports: readonly FileReport[]): Total {
  const sum = (pick: (report: FileReport) => number): number =>
    reports.reduce((total, report) => total + pick(report), 0);
  return {
    files: reports.length,
    valid: sum((report) => (report.valid ? 1 : 0)),
    failed: sum((report) => (failureOf(report) === undefined ? 0 : 1)),
    messages: sum((report) => report.messages),
    apiResponses: sum((report) => report.apiResponses),
    humanTurns: sum((report) => report.humanTurns),
    toolCalls: sum((report) => report.toolCalls),
    boundaries: sum((report) => report.boundaries),
    maxContextTokens: Math.max(0, ...reports.map((report) => report.maxContextTokens)),
    damagedLines: sum((report) => report.damagedLines),
    repairs: sum((report) => report.repaired.length),
  };
}

const describeTotal = (total: Total): string =>
  `${plural(total.files, "file")}: ${total.valid} valid, ${total.failed} failed, ` +
  `${plural(total.messages, "message")}, ${plural(total.toolCalls, "tool call")}, ` +
  `${plural(total.damagedLines, "damaged line")}, ${plural(total.repairs, "repair")}`;
