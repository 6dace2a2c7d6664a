import { Command, Option } from "commander";
import { commandOutput } from "../command-output.js";
import type { PrintFlags } from "../headless/print.js";
import type { Terminal } from "../terminal.js";
import { wholeNumber } from "../whole-number.js";
import { addAgentOptions, agentFlagsOf, type ParsedAgentFlags } from "./agent-options.js";

/** The formats of input and output are for programs alone: they need not say `-p` too, and the ecosystem's do not. */
const PRINT_FLAGS = /^(?:-p|--(?:print|input-format|output-format)(?:=.*)?)$/s;

/** Whether the arguments ask for the agent without a screen: `-p` stands before any command. */
export function wantsPrint(args: readonly string[], commands: ReadonlySet<string>): boolean {
  for (const arg of args) {
    if (PRINT_FLAGS.test(arg)) return true;
    if (commands.has(arg) || arg === "--") return false;
  }
  return false;
}

interface ParsedFlags extends ParsedAgentFlags {
  readonly resume?: string;
  readonly print?: string | boolean;
  readonly outputFormat: PrintFlags["outputFormat"];
  readonly inputFormat: PrintFlags["inputFormat"];
  readonly json?: boolean;
  readonly permissionPromptTool?: string;
  readonly maxTurns?: number;
  readonly events?: string;
  readonly record?: string;
  readonly pin?: boolean;
  readonly verbose?: boolean;
}

/** The command `palimpsest -p PROMPT`. */
export function createPrintCommand(terminal: Terminal, run: (flags: PrintFlags) => Promise<void>): Command {
  return addAgentOptions(
    new Command("palimpsest").description("Runs the agent on one prompt and prints its answer."),
    "-r, --resume <id>",
  )
    .argument("[prompt]", "what the agent is to do")
    .option("-p, --print [prompt]", "what the agent is to do; what is piped in stands after it")
    .addOption(
      new Option("--output-format <format>", "how the answer is printed")
        .choices(["text", "json", "stream-json"])
        .default("text"),
    )
    .addOption(
      new Option("--input-format <format>", "how the input is read")
        .choices(["text", "stream-json"])
        .default("text"),
    )
    .option("--json", "the same as --output-format json")
    .option("--pin", "the prompt stays word for word through every compaction")
    .option(
      "--permission-prompt-tool <name>",
      "who is asked for permissions: stdio, the program at the other end of stream-json",
    )
    .option("--max-turns <count>", "requests at most, for each prompt", wholeNumber)
    .option("--events <file>", "append everything that the engine tells to a file, as lines of JSON")
    .option(
      "--record <folder>",
      "record the conversation and its requests in a folder, contents and all, for replay and analyze",
    )
    .option("--verbose", "tell on stderr what the agent does (stream-json tells it anyway)")
    .option("--debug", "show stack traces of failures")
    .addHelpText(
      "after",
      [
        "",
        "Exit code: 0 done, 1 it could not be done (one sentence says why), 2 wrong usage, 130 interrupted.",
        "",
        "Examples:",
        '  $ palimpsest -p "Why does the build fail?"',
        '  $ git diff | palimpsest -p "Is there a mistake in this?"',
        '  $ palimpsest -p "Fix the failing test" --permission-mode acceptEdits --allowed-tools "Bash(npm test:*)" --json',
        "  $ palimpsest -p --continue",
        '  $ palimpsest -p "/compact keep the names of the API" --continue',
        '  $ palimpsest -p "Hello" --embedded',
        "",
        "Prompts that are commands: /compact, /context, /cost, /clear, /clear-results, /undo, and skills and",
        ".claude/commands by their name. @file in a prompt shows the file to the model.",
      ].join("\n"),
    )
    .exitOverride()
    .configureOutput(commandOutput(terminal))
    .action(async (positional: string | undefined, flags: ParsedFlags, command: Command) => {
      const { print: given, json, ...rest } = flags;
      // `--disallowed-tools Bash Edit`: what looks like a rule must not be lost as a prompt.
      if (typeof given === "string" && positional !== undefined) {
        command.error("there are two prompts: put the prompt into quotes, and commas between rules");
      }
      const prompt = typeof given === "string" ? given : positional;
      await run({
        ...agentFlagsOf(rest, command),
        ...(prompt === undefined ? {} : { prompt }),
        outputFormat: json === true ? "json" : flags.outputFormat,
      });
    });
}
