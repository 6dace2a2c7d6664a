import { Command, CommanderError } from "commander";
import { addSimulateCommand } from "./commands/simulate.js";
import { addAnalyzeCommand } from "./commands/analyze.js";
import { addEstimateCommand } from "./commands/estimate.js";
import { addTranscriptCommand } from "./commands/transcript.js";
import { printable, type Terminal } from "./terminal.js";
import { version } from "./version.js";

/** Success, a failure explained in one sentence, wrong usage. */
const ExitCode = { ok: 0, failure: 1, usage: 2 } as const;

/** Runs the command line and gives the exit code. Nothing here ends the process. */
export async function run(args: readonly string[], terminal: Terminal): Promise<number> {
  let exitCode: number = ExitCode.ok;
  const program = createProgram(terminal, (code) => {
    exitCode = code;
  });
  if (args.length === 0) {
    program.outputHelp();
    return ExitCode.ok;
  }
  try {
    await program.parseAsync(args, { from: "user" });
    return exitCode;
  } catch (error) {
    if (error instanceof CommanderError) return error.exitCode === 0 ? ExitCode.ok : ExitCode.usage;
    const debug = args.includes("--debug");
    const text = error instanceof Error ? error.message : String(error);
    terminal.stderr.write(`palimpsest: ${printable(text)}\n`);
    if (debug && error instanceof Error) terminal.stderr.write(`${error.stack ?? ""}\n`);
    return ExitCode.failure;
  }
}

function createProgram(terminal: Terminal, finish: (exitCode: number) => void): Command {
  const program = new Command("palimpsest")
    .description("Keeps the context of LLM agents small, valid and cached, and explains what it costs.")
    .version(version)
    .option("--debug", "show stack traces of failures")
    .exitOverride()
    .configureOutput({
      writeOut: (text) => void terminal.stdout.write(text),
      writeErr: (text) => void terminal.stderr.write(text),
    });
  addTranscriptCommand(program, terminal, finish);
  addEstimateCommand(program, terminal, finish);
  addAnalyzeCommand(program, terminal, finish);
  addSimulateCommand(program, terminal, finish);
  return program;
}
