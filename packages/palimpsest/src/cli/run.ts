import { Command, CommanderError } from "commander";
import { commandOutput } from "./command-output.js";
import { addAdviseCommand } from "./commands/advise.js";
import { addBenchCommand } from "./commands/bench.js";
import { addDemoCommand } from "./commands/demo.js";
import { addSimulateCommand } from "./commands/simulate.js";
import { addAnalyzeCommand } from "./commands/analyze.js";
import { addEstimateCommand } from "./commands/estimate.js";
import { addGatewayCommand } from "./commands/gateway.js";
import { addPostgresCommand } from "./commands/postgres.js";
import { addInspectCommand } from "./commands/inspect.js";
import { addReplayCommand } from "./commands/replay.js";
import { addSessionsCommand } from "./commands/sessions.js";
import { addSoakCommand } from "./commands/soak.js";
import { addTranscriptCommand } from "./commands/transcript.js";
import { addTrustCommand } from "./commands/trust.js";
import { wantsPrint } from "./commands/print.js";
import { isPrompt, wantsScreen } from "./commands/screen.js";
import { withoutKeys } from "../agent/base/key-variables.js";
import { hidingTerminal, printable, printableText, type Terminal } from "./terminal.js";
import { repeatFlags } from "./repeat-flags.js";
import { version } from "./version.js";

/** Success, a failure explained in one sentence, wrong usage. */
const ExitCode = { ok: 0, failure: 1, usage: 2 } as const;

/** Runs the command line and gives the exit code. Nothing here ends the process. */
export async function run(args: readonly string[], screen: Terminal): Promise<number> {
  const terminal = hidingTerminal(screen, withoutKeys(screen.env));
  let exitCode: number = ExitCode.ok;
  const program = createProgram(terminal, (code) => {
    exitCode = code;
  });
  const isSeen = screen.stdout.isTTY === true && (screen.stdin ?? process.stdin).isTTY === true;
  if (args.length === 0 && !isSeen) {
    program.outputHelp({ error: true });
    return ExitCode.usage;
  }
  const commands = new Set(program.commands.map((command) => command.name()));
  try {
    if (wantsPrint(args, commands)) return await runPrint(args, terminal);
    if (isSeen && wantsScreen(args, commands)) return await openScreen(args, terminal);
    const [first = "-"] = args;
    if (!first.startsWith("-") && !args.some((arg) => commands.has(arg)) && isPrompt(first, commands)) {
      terminal.stderr.write(`${NO_TERMINAL}\n`);
      return ExitCode.usage;
    }
    await program.parseAsync(args, { from: "user" });
    return exitCode;
  } catch (error) {
    if (error instanceof CommanderError) {
      if (isPromptLost(error, args, commands)) terminal.stderr.write(`${PRINT_HINT}\n`);
      return error.exitCode === 0 ? ExitCode.ok : ExitCode.usage;
    }
    const debug = args.includes("--debug");
    const text = error instanceof Error ? error.message : String(error);
    terminal.stderr.write(`palimpsest: ${printable(text)}\n`);
    if (debug && error instanceof Error) terminal.stderr.write(`${printableText(error.stack ?? "")}\n`);
    return ExitCode.failure;
  }
}

const PRINT_HINT = 'palimpsest: to give the agent something to do, put -p before it: palimpsest -p "fix it"';

const NO_TERMINAL =
  'palimpsest: a prompt by itself opens the agent in a terminal, and there is none here: put -p before it, as in palimpsest -p "fix it"';

/** Whether it may have been meant for the agent: a prompt, or one of its flags, without `-p` and without a command. */
const isPromptLost = (
  { code }: CommanderError,
  args: readonly string[],
  commands: ReadonlySet<string>,
): boolean =>
  !args.some((arg) => commands.has(arg) || arg === "-p" || arg === "--print") &&
  ["commander.unknownCommand", "commander.unknownOption", "commander.excessArguments"].includes(code);

function createProgram(terminal: Terminal, finish: (exitCode: number) => void): Command {
  const program = new Command("palimpsest")
    .description("Keeps the context of LLM agents small, valid and cached, and explains what it costs.")
    .version(version)
    .option("--debug", "show stack traces of failures")
    .exitOverride()
    .configureOutput(commandOutput(terminal));
  addDemoCommand(program, terminal, finish);
  addTranscriptCommand(program, terminal, finish);
  addEstimateCommand(program, terminal, finish);
  addAnalyzeCommand(program, terminal, finish);
  addAdviseCommand(program, terminal, finish);
  addReplayCommand(program, terminal, finish);
  addInspectCommand(program, terminal, finish);
  addSimulateCommand(program, terminal, finish);
  addGatewayCommand(program, terminal, finish);
  addSessionsCommand(program, terminal, finish);
  addPostgresCommand(program, terminal, finish);
  addTrustCommand(program, terminal, finish);
  addBenchCommand(program, terminal, finish);
  addSoakCommand(program, terminal, finish);
  program.addHelpText(
    "after",
    [
      "",
      "The agent in the terminal:",
      '  $ palimpsest "what to do"        (palimpsest, palimpsest --continue, palimpsest --resume)',
      "  Its flags are those of -p that choose a model, a conversation and what is allowed, and --full-screen: a screen of its own.",
      "The agent without a screen:",
      '  $ palimpsest -p "what to do"     (palimpsest -p --help)',
    ].join("\n"),
  );
  return program;
}

/** The first signal asks it to stop, so that nothing is lost; the second is the system's own. */
async function runPrint(args: readonly string[], terminal: Terminal): Promise<number> {
  const { createPrintCommand } = await import("./commands/print.js");
  const { print } = await import("./headless/print.js");
  const stop = new AbortController();
  const onSignal = (): void => stop.abort();
  process.once("SIGINT", onSignal);
  process.once("SIGTERM", onSignal);
  // Nobody reads the answer any more.
  process.stdout.once("error", onSignal);
  let exitCode = 0;
  try {
    const command = createPrintCommand(terminal, async (flags) => {
      const { stdin = process.stdin } = terminal;
      exitCode = await print(flags, { terminal, stdin, signal: stop.signal });
    });
    await command.parseAsync([...repeatFlags(args)], { from: "user" });
    return exitCode;
  } finally {
    process.removeListener("SIGINT", onSignal);
    process.removeListener("SIGTERM", onSignal);
    process.stdout.removeListener("error", onSignal);
  }
}

/** The agent in the terminal. Whatever ends it, the terminal is what it was. */
async function openScreen(args: readonly string[], terminal: Terminal): Promise<number> {
  const { createScreenCommand } = await import("./commands/screen.js");
  const { runScreen } = await import("./screen/run-screen.js");
  const stop = new AbortController();
  const onSignal = (): void => stop.abort();
  const signals = ["SIGTERM", "SIGHUP"] as const;
  for (const signal of signals) process.on(signal, onSignal);
  process.stdout.on("error", onSignal);
  let exitCode = 0;
  try {
    const command = createScreenCommand(terminal, async (flags) => {
      exitCode = await runScreen(flags, {
        terminal,
        keys: process.stdin,
        stdout: process.stdout,
        signal: stop.signal,
        onInterrupt(listener) {
          process.on("SIGINT", listener);
          return () => void process.removeListener("SIGINT", listener);
        },
        demo: () => run(["demo"], terminal),
      });
    });
    await command.parseAsync([...repeatFlags(args)], { from: "user" });
    return exitCode;
  } finally {
    for (const signal of signals) process.removeListener(signal, onSignal);
    process.stdout.removeListener("error", onSignal);
  }
}
