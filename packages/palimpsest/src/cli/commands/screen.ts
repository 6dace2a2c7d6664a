import { Command } from "commander";
import { commandOutput } from "../command-output.js";
import { nearNames } from "../../agent/base/near-names.js";
import type { ScreenFlags } from "../screen/run-screen.js";
import type { Terminal } from "../terminal.js";
import { addAgentOptions, agentFlagsOf, type ParsedAgentFlags } from "./agent-options.js";

interface ParsedFlags extends ParsedAgentFlags {
  readonly resume?: string | boolean;
  readonly fullScreen?: boolean;
}

const OTHERS = new Set(["-h", "--help", "-V", "--version", "help"]);

/**
 * Whether the arguments ask for the agent in the terminal: none at all, its flags, or a prompt, and no command. One word that is
 * nearly a command is a slip, and nothing to pay a model for.
 */
export function wantsScreen(args: readonly string[], commands: ReadonlySet<string>): boolean {
  if (args.some((arg) => commands.has(arg) || OTHERS.has(arg))) return false;
  const [first = "-"] = args;
  return first.startsWith("-") || isPrompt(first, commands);
}

/** Whether a first argument that is not a flag is something to say to the agent. */
export const isPrompt = (first: string, commands: ReadonlySet<string>): boolean =>
  /\S\s+\S/.test(first) || (first.trim() !== "" && nearNames(first.trim(), [...commands]).length === 0);

/** The command `palimpsest`. */
export function createScreenCommand(terminal: Terminal, run: (flags: ScreenFlags) => Promise<void>): Command {
  return addAgentOptions(
    new Command("palimpsest").description("Opens the agent in the terminal."),
    "-r, --resume [id]",
  )
    .argument("[prompt]", "what to begin with")
    .option("--full-screen", "on a screen of its own, in place of the terminal's scrollback")
    .option("--debug", "show stack traces of failures")
    .exitOverride()
    .configureOutput(commandOutput(terminal))
    .action(async (prompt: string | undefined, flags: ParsedFlags, command: Command) => {
      await run({ ...agentFlagsOf(flags, command), ...(prompt === undefined ? {} : { prompt }) });
    });
}
