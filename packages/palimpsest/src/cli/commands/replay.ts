import { InvalidArgumentError, Option, type Command } from "commander";
import { writeFile } from "node:fs/promises";
import { findModel } from "@palimpsest/core";
import type { FailedFile, ReplayReport } from "../../replay/results/policy-result.js";
import type { ReplayOptions, ReplayProgress } from "../../replay/replay-files.js";
import { complain } from "../read-recordings.js";
import { wholeNumber } from "../whole-number.js";
import { chooseSummaries, describeSummaries, type SummaryFlags } from "../replay-summaries.js";
import { describeMissing, describeReplay } from "../replay-table.js";
import { createProgress, plural, printable, type Terminal } from "../terminal.js";

const ALL_POLICIES =
  "palimpsest,none,truncate,mask,clear-tool-uses,summarise-all,classic,pi,codex,as-recorded";

interface ReplayFlags extends SummaryFlags {
  readonly policy: string;
  readonly window?: number;
  readonly model?: string;
  readonly html?: string;
  readonly json?: boolean;
  readonly missing?: boolean;
  readonly workers?: number;
  readonly summaryCharacters?: number;
}

/** `finish` is told the exit code of the command that ran. */
export function addReplayCommand(
  program: Command,
  terminal: Terminal,
  finish: (exitCode: number) => void,
): void {
  program
    .command("replay")
    .description(
      "says what other policies would have cost on recorded conversations, and what they would have forgotten",
    )
    .argument("<file...>", "transcripts, lists of messages, or folders of them")
    .option("--policy <list>", "policies, with options of their own in brackets: mask(keep=20)", ALL_POLICIES)
    .option("--window <tokens>", "the context window (default: the model's own)", wholeNumber)
    .option("--model <name>", "for conversations whose own model is not known (default: claude-opus-4-5)")
    .option("--html <file>", "write a report with charts")
    .option("--missing", "list what was missing at each turn")
    .option(
      "--workers <count>",
      "files played at the same time (default: one for each processor)",
      wholeNumber,
    )
    .option(
      "--summary-characters <count>",
      "about how long the simulated model's summaries get",
      wholeNumber,
      12_000,
    )
    .addOption(
      new Option("--summaries <who>", "who writes the summaries that policies ask for")
        .choices(["simulated", "provider"])
        .default("simulated"),
    )
    .option("--answers <folder>", "where the provider's answers are kept (default: this program's data)")
    .option("--yes", "ask the provider whatever is expected to be spent")
    .option("--max-cost <dollars>", "ask the provider up to so much", dollarAmount)
    .option("--json", "print one JSON document")
    .addHelpText(
      "after",
      [
        "",
        "Without --summaries provider nothing is sent anywhere. No tool is run: the recorded responses are played through",
        "each policy against the simulated API, at the recorded times. Settings of the engine: palimpsest(keepRecentTokens=20000),",
        "or their PALIMPSEST_ variables. See docs/replay.md.",
        "",
        "Example:",
        "  $ palimpsest replay session.jsonl --policy palimpsest,summarise-all --window 200000 --html report.html",
      ].join("\n"),
    )
    .action(async (paths: readonly string[], flags: ReplayFlags) => {
      finish(await replay(paths, flags, terminal));
    });
}

async function replay(paths: readonly string[], flags: ReplayFlags, terminal: Terminal): Promise<number> {
  const { parsePolicies, PolicyError } = await import("../../replay/policies/parse-policies.js");
  try {
    parsePolicies(flags.policy, terminal.env);
  } catch (error) {
    if (!(error instanceof PolicyError)) throw error;
    terminal.stderr.write(`palimpsest: ${printable(error.message)}\n`);
    return 2;
  }
  if (flags.model !== undefined && findModel(flags.model) === undefined) {
    terminal.stderr.write(`palimpsest: no prices are known for the model ${printable(flags.model)}\n`);
    return 2;
  }
  const { findRecordings } = await import("../../replay/find-recordings.js");
  const { files, failed, same } = await findRecordings(paths);
  for (const { file, as } of same) complain(terminal, file, `holds the same as ${as}, which is played once`);
  const { replayFiles } = await import("../../replay/replay-files.js");
  const progress = createProgress(terminal.stderr);
  const options: ReplayOptions = {
    policies: flags.policy,
    env: engineVariables(terminal.env),
    ...(flags.window === undefined ? {} : { window: flags.window }),
    ...(flags.model === undefined ? {} : { model: flags.model }),
    ...(flags.summaryCharacters === undefined ? {} : { summaryCharacters: flags.summaryCharacters }),
    ...(flags.workers === undefined ? {} : { workers: flags.workers }),
    series: flags.html !== undefined,
    missing: flags.missing === true,
    onProgress: (at) => progress.show(describeProgress(at)),
  };
  const summaries =
    flags.summaries === "provider"
      ? await chooseSummaries({ files, options, flags, terminal, stdin: process.stdin })
      : undefined;
  progress.clear();
  if (typeof summaries === "number") return summaries;
  const played = await replayFiles(files, { ...options, ...(summaries === undefined ? {} : { summaries }) });
  progress.clear();
  const problem = summaries?.problem();
  if (problem !== undefined) {
    terminal.stderr.write(`palimpsest: ${printable(problem)}\n`);
    return 1;
  }
  const report = withFailed(played, failed, summaries?.figures());
  const isSound = complainOfFiles(report, terminal);
  if (flags.json === true) terminal.stdout.write(`${JSON.stringify(withoutSeries(report), null, 2)}\n`);
  else {
    terminal.stdout.write(describeReplay(report));
    if (summaries !== undefined) terminal.stdout.write(describeSummaries(summaries));
    if (flags.missing === true) terminal.stdout.write(describeMissing(report));
  }
  const isWritten = flags.html === undefined || (await writeReport(flags.html, report, { flags, terminal }));
  return isSound && isWritten ? 0 : 1;
}

const withFailed = (
  { files, total }: ReplayReport,
  failed: readonly FailedFile[],
  summaries: ReplayReport["summaries"],
): ReplayReport => ({
  files: [...failed, ...files],
  total: { ...total, failed: total.failed + failed.length },
  ...(summaries === undefined ? {} : { summaries }),
});

function dollarAmount(value: string): number {
  const amount = Number(value);
  if (value.trim() === "" || !Number.isFinite(amount) || amount < 0) {
    throw new InvalidArgumentError("An amount of dollars is expected.");
  }
  return amount;
}

/** One sentence for each file that was not played, or not all of it. Says whether there was none. */
function complainOfFiles({ files }: ReplayReport, terminal: Terminal): boolean {
  let isSound = true;
  for (const file of files) {
    const damaged = "error" in file ? 0 : file.damagedLines;
    if (!("error" in file) && damaged === 0) continue;
    isSound = false;
    const what =
      "error" in file
        ? file.error
        : `is damaged: ${plural(damaged, "line")} could not be read; the rest was played`;
    complain(terminal, file.file, what);
  }
  return isSound;
}

/** Figures have been printed by now: where the report cannot be written, nothing else is lost. */
async function writeReport(
  path: string,
  report: ReplayReport,
  { flags, terminal }: { readonly flags: ReplayFlags; readonly terminal: Terminal },
): Promise<boolean> {
  const { renderReport } = await import("../../replay/report/render-report.js");
  try {
    await writeFile(path, renderReport(report));
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException;
    complain(terminal, path, `cannot be written (${code ?? message})`);
    return false;
  }
  if (flags.json !== true) terminal.stdout.write(`\nReport: ${printable(path)}\n`);
  return true;
}

/** What the engine reads of the environment, and no more: it travels to workers. */
const engineVariables = (env: Terminal["env"]): Readonly<Record<string, string>> =>
  Object.fromEntries(
    Object.entries(env).flatMap(([name, value]) =>
      value !== undefined && /^(?:PALIMPSEST_|DISABLE_|CLAUDE_AUTOCOMPACT_)/.test(name)
        ? [[name, value]]
        : [],
    ),
  );

const BAR = 24;

function describeProgress({ filesDone, files, playing }: ReplayProgress): string {
  const share =
    (filesDone + playing.reduce((sum, { round, rounds }) => sum + round / Math.max(1, rounds), 0)) / files;
  const full = Math.min(BAR, Math.round(share * BAR));
  const bar = `${"█".repeat(full)}${"░".repeat(BAR - full)}`;
  const names = playing.map(({ file }) => file.slice(file.lastIndexOf("/") + 1).slice(0, 28)).join(", ");
  return `${bar} ${Math.floor(share * 100)}%  ${filesDone} of ${plural(files, "file")}  ${names}`;
}

/** The charts' data is for the report alone. */
function withoutSeries(report: ReplayReport): unknown {
  return JSON.parse(
    JSON.stringify(report, (key, value: unknown) =>
      key === "series" || key === "largest" ? undefined : value,
    ),
  );
}
