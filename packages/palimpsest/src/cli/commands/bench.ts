import type { Command } from "commander";
import type { Benchmark } from "../../bench/benchmark.js";
import type { Figure } from "../../bench/figure.js";
import { complain } from "../read-recordings.js";
import { corpusFolders } from "../../replay/corpus-folders.js";
import { createProgress, plural, printable, type Terminal } from "../terminal.js";

const FOLDER_VARIABLE = "PALIMPSEST_CORPUS";

interface BenchFlags {
  readonly only?: readonly string[];
  readonly json?: boolean;
}

/** `finish` is told the exit code of the command that ran. */
export function addBenchCommand(
  program: Command,
  terminal: Terminal,
  finish: (exitCode: number) => void,
): void {
  program
    .command("bench")
    .description("measures the engine on this machine, and what policies cost on recorded conversations")
    .argument("[file...]", "recordings, or folders of them (default: the folders in PALIMPSEST_CORPUS)")
    .option("--only <prefixes>", "only figures whose names begin so, with commas between", (text) =>
      text.split(",").map((prefix) => prefix.trim()),
    )
    .option("--json", "print one JSON document")
    .addHelpText(
      "after",
      [
        "",
        "Some minutes of work for all processors. Nothing is sent anywhere. Without recordings what needs them is left",
        "out. Files of up to 200 MB are written to the folder for temporary files, and removed. See docs/bench.md.",
        "",
        "Example:",
        "  $ palimpsest bench --only normalise,conversation",
        "  $ palimpsest bench ~/.claude/projects/*/*.jsonl --only replay --json",
      ].join("\n"),
    )
    .action(async (paths: readonly string[], flags: BenchFlags, command: Command) => {
      const { benchmarks, chooseBenchmarks } = await import("../../bench/index.js");
      const choice = chooseBenchmarks(benchmarks, flags.only);
      if (choice.kind === "unknown") {
        const known = benchmarks.map(({ name }) => name).join(", ");
        return command.error(
          `no figure's name begins with "${printable(choice.prefix)}" (there are ${known})`,
        );
      }
      finish(await bench(choice.benchmarks, { paths, flags, terminal }));
    });
}

interface BenchArguments {
  readonly paths: readonly string[];
  readonly flags: BenchFlags;
  readonly terminal: Terminal;
}

async function bench(
  chosen: readonly Benchmark[],
  { paths, flags, terminal }: BenchArguments,
): Promise<number> {
  const needing = chosen.filter(({ needsRecordings }) => needsRecordings);
  const folders = needing.length === 0 ? [] : corpusFolders(terminal.env[FOLDER_VARIABLE]);
  const named = paths.length === 0 ? folders : paths;
  const found = await readableRecordings(named, terminal);
  if (found === undefined) return 1;
  const isLeftOut = found.files.length === 0 && needing.length > 0;
  if (isLeftOut) {
    const names = needing.map(({ name }) => name).join(", ");
    terminal.stderr.write(
      `palimpsest: no recordings were given, so nothing is said of ${names}: ` +
        `name files, or a folder of them in ${FOLDER_VARIABLE}\n`,
    );
  }
  const running = isLeftOut ? chosen.filter(({ needsRecordings }) => !needsRecordings) : chosen;
  const figures = await measure(running, { recordings: found.files, flags, terminal });
  const missing = flags.only?.find((prefix) => !figures.some(({ name }) => name.startsWith(prefix)));
  if (missing !== undefined && !isLeftOut) {
    const what = `nothing was measured whose name begins with "${printable(missing)}"`;
    terminal.stderr.write(`palimpsest: ${what}\n`);
  }
  return found.isSound && missing === undefined ? 0 : 1;
}

interface Readable {
  readonly files: readonly string[];
  /** No line of them is damaged. */
  readonly isSound: boolean;
}

/** Complains of what cannot be read, in one sentence each. Undefined where something is no recording at all. */
async function readableRecordings(
  paths: readonly string[],
  terminal: Terminal,
): Promise<Readable | undefined> {
  const { checkRecordings } = await import("../../bench/index.js");
  const progress = createProgress(terminal.stderr);
  const { files, failed, damaged } = await checkRecordings(paths, (text) => progress.show(text));
  progress.clear();
  for (const { file, error } of failed) complain(terminal, file, error);
  if (failed.length > 0) return undefined;
  for (const { file, lines } of damaged) {
    const what = `is damaged: ${plural(lines, "line")} could not be read; the rest is measured`;
    complain(terminal, file, what);
  }
  return { files, isSound: damaged.length === 0 };
}

interface MeasureOptions {
  readonly recordings: readonly string[];
  readonly flags: BenchFlags;
  readonly terminal: Terminal;
}

/** Each figure is printed as it becomes known, until nobody reads them any more; as JSON all at the end. */
async function measure(
  benchmarks: readonly Benchmark[],
  { recordings, flags, terminal }: MeasureOptions,
): Promise<readonly Figure[]> {
  const { formatFigure, runBenchmarks } = await import("../../bench/index.js");
  const progress = createProgress(terminal.stderr);
  const figures: Figure[] = [];
  let isRead = true;
  const onGone = (): void => {
    isRead = false;
  };
  process.stdout.once("error", onGone);
  const options = {
    recordings,
    tell: (text: string) => progress.show(text),
    ...(flags.only === undefined ? {} : { prefixes: flags.only }),
  };
  try {
    for await (const figure of runBenchmarks(benchmarks, options)) {
      figures.push(figure);
      if (flags.json === true) continue;
      progress.clear();
      terminal.stdout.write(`${formatFigure(figure)}\n`);
      if (!isRead) break;
    }
  } finally {
    process.stdout.removeListener("error", onGone);
    progress.clear();
  }
  if (flags.json === true) terminal.stdout.write(`${JSON.stringify({ figures }, null, 2)}\n`);
  return figures;
}
