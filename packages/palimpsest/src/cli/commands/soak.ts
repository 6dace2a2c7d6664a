import { InvalidArgumentError, type Command } from "commander";
import type { ListedRun, SoakReport } from "../../soak/index.js";
import { repeatCommand } from "../repeat-command.js";
import {
  createProgress,
  formatNumber,
  plural,
  printable,
  printableText,
  type Terminal,
} from "../terminal.js";
import { wholeNumber } from "../whole-number.js";

/** Seconds without progress after which a run has failed: far more than a busy machine needs for a step. */
const PATIENCE = 300;
const INTERRUPTED = 130;

interface SoakFlags {
  readonly only?: readonly string[];
  readonly minutes?: number;
  readonly seed?: number;
  readonly patience: number;
  readonly runs?: string;
  readonly list?: boolean;
  readonly json?: boolean;
  /** The program's own flag. */
  readonly debug?: boolean;
}

/** `finish` is told the exit code of the command that ran. */
export function addSoakCommand(
  program: Command,
  terminal: Terminal,
  finish: (exitCode: number) => void,
): void {
  program
    .command("soak")
    .description(
      "tries the engine, the stores, the agent and the simulator on this machine, as long as you like",
    )
    .option("--only <names>", "only these runs, with commas between (--list names them)", (text) =>
      text.split(",").map((name) => name.trim()),
    )
    .option("--minutes <n>", "so long in all, each run its share (default: each run in full)", minutesOf)
    .option("--seed <number>", "the same again; a failure says which (default: any)", seedOf)
    .option("--patience <seconds>", "a run without progress for so long has failed", wholeNumber, PATIENCE)
    .option("--runs <file>", "a module that exports more runs, as soakRuns")
    .option("--list", "say which runs there are, and run none")
    .option("--json", "print one JSON document")
    .addHelpText(
      "after",
      [
        "",
        "No key, no network: the simulated API answers. Processes are started and killed, and files written to the folder",
        "for temporary files and removed. Ctrl-C stops it and prints what was tried so far.",
        "Exit code: 0 nothing failed, 1 something did, 130 interrupted. See docs/proof.md.",
        "",
        "Example:",
        "  $ palimpsest soak --minutes 5",
        "  $ palimpsest soak --only conversation-chaos --seed 20261116 --json",
      ].join("\n"),
    )
    .action(async (_, command: Command) => {
      const flags = command.optsWithGlobals<SoakFlags>();
      const { listRuns } = await import("../../soak/index.js");
      const known = await listRuns(flags.runs);
      const unknown = flags.only?.find((only) => !known.some(({ name }) => name === only));
      if (unknown !== undefined) {
        const names = known.map(({ name }) => name).join(", ");
        return command.error(`no run is named "${printable(unknown)}" (there are ${names})`);
      }
      const chosen = known.filter(({ name }) => flags.only?.includes(name) ?? true);
      if (flags.list !== true) return finish(await soak(chosen, flags, terminal));
      const listed = chosen.map(({ name, about, passes }) => ({ name, about, passes }));
      const width = Math.max(...listed.map(({ name }) => name.length));
      const lines = listed.map(({ name, about }) => `${name.padEnd(width)}  ${about}\n`);
      terminal.stdout.write(
        flags.json === true ? `${JSON.stringify({ runs: listed }, null, 2)}\n` : lines.join(""),
      );
    });
}

function minutesOf(text: string): number {
  const minutes = Number(text);
  if (text.trim() === "" || !Number.isFinite(minutes) || minutes <= 0)
    throw new InvalidArgumentError("A number greater than 0 is expected.");
  return minutes;
}

function seedOf(text: string): number {
  const seed = Number(text);
  if (text.trim() === "" || !Number.isInteger(seed) || seed < 0 || seed > 0xffffffff)
    throw new InvalidArgumentError("A whole number from 0 to 4294967295 is expected.");
  return seed;
}

/** The first signal, or a reader that goes away, ends it in good order; the second signal is the system's own. */
async function soak(runs: readonly ListedRun[], flags: SoakFlags, terminal: Terminal): Promise<number> {
  const { runSoak } = await import("../../soak/index.js");
  const { seed = (Date.now() ^ process.pid) >>> 0, minutes, patience, json } = flags;
  const stop = new AbortController();
  const onSignal = (): void => stop.abort();
  const signals = ["SIGINT", "SIGTERM", "SIGHUP"] as const;
  for (const signal of signals) process.once(signal, onSignal);
  process.stdout.once("error", onSignal);
  const progress = createProgress(terminal.stderr);
  const reports: SoakReport[] = [];
  if (json !== true) terminal.stdout.write(`seed ${seed}\n`);
  try {
    const options = { seed, patience, signal: stop.signal, tell: (text: string) => progress.show(text) };
    for await (const report of runSoak(runs, { ...options, ...(minutes === undefined ? {} : { minutes }) })) {
      reports.push(report);
      progress.clear();
      if (json !== true) terminal.stdout.write(`${await lineOf(report)}\n`);
      if (report.end === "failed") explain(report, { flags, terminal });
    }
  } finally {
    for (const signal of signals) process.removeListener(signal, onSignal);
    process.stdout.removeListener("error", onSignal);
    progress.clear();
  }
  return summarise(reports, { seed, flags, terminal, isInterrupted: stop.signal.aborted });
}

const wholePasses = (count: number): string =>
  `${formatNumber(count)} whole ${count === 1 ? "pass" : "passes"}`;

async function lineOf({ name, end, passes, counts }: SoakReport): Promise<string> {
  const { formatCounts } = await import("../../soak/index.js");
  const said = { complete: "", time: "", failed: ": FAILED", interrupted: ": interrupted" }[end];
  const tried = [wholePasses(passes), formatCounts(counts)].filter((text) => text !== "");
  return `${name}${said}: ${tried.join(", ")}`;
}

interface Surroundings {
  readonly flags: SoakFlags;
  readonly terminal: Terminal;
}

/** The command that begins with the pass that failed. */
const reproduction = ({ name, seed }: SoakReport, { flags, terminal }: Surroundings): string =>
  repeatCommand(terminal.env, [
    "soak",
    ...(flags.runs === undefined ? [] : ["--runs", flags.runs]),
    ...(flags.patience === PATIENCE ? [] : ["--patience", String(flags.patience)]),
    "--only",
    name,
    "--seed",
    String(seed),
  ]);

function explain(report: SoakReport, surroundings: Surroundings): void {
  const { name, seed, message, stack } = report;
  const { flags, terminal } = surroundings;
  const { stderr } = terminal;
  const again = reproduction(report, surroundings);
  stderr.write(
    `palimpsest: ${name} failed with seed ${seed}: ${printable(message)}; again: ${printable(again)}\n`,
  );
  if (flags.debug === true) stderr.write(`${printableText(stack)}\n`);
}

interface Result extends Surroundings {
  readonly seed: number;
  readonly isInterrupted: boolean;
}

/** Says what came of all of them, and gives the exit code. */
function summarise(reports: readonly SoakReport[], { seed, isInterrupted, ...surroundings }: Result): number {
  const { flags, terminal } = surroundings;
  const failed = reports.filter(({ end }) => end === "failed").length;
  const passes = reports.reduce((sum, report) => sum + report.passes, 0);
  if (flags.json === true) {
    const runs = reports.map((report) => {
      const { name, end, seed: last, passes, counts, milliseconds, message } = report;
      const failure = { seed: last, message, reproduce: reproduction(report, surroundings) };
      const isFailure = end === "failed";
      return {
        name,
        end,
        passes,
        tried: counts,
        failed: isFailure ? 1 : 0,
        failures: isFailure ? [failure] : [],
        milliseconds: Math.round(milliseconds),
      };
    });
    const document = { seed, runs, total: { runs: runs.length, passes, failed } };
    terminal.stdout.write(`${JSON.stringify(document, null, 2)}\n`);
  } else {
    const tried = `${plural(reports.length, "run")}, ${wholePasses(passes)}, ${failed} failed`;
    terminal.stdout.write(`${tried}${isInterrupted ? " (interrupted)" : ""}\n`);
  }
  if (failed > 0) return 1;
  return isInterrupted ? INTERRUPTED : 0;
}
