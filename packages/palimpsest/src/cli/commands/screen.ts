import { Command } from "commander";
import type { ScreenFlags } from "../screen/run-screen.js";
import type { Terminal } from "../terminal.js";
import { addAgentOptions, agentFlagsOf, type ParsedAgentFlags } from "./agent-options.js";

interface ParsedFlags extends ParsedAgentFlags {
  readonly resume?: string | boolean;
  readonly fullScreen?: boolean;
}

const OTHERS = new Set(["-h", "--help", "-V", "--version", "help"]);

/** Whether the arguments ask for the agent in the terminal: none at all, or its flags without a command. */
export const wantsScreen = (args: readonly string[], commands: ReadonlySet<string>): boolean =>
  (args[0] ?? "-").startsWith("-") && !args.some((arg) => commands.has(arg) || OTHERS.has(arg));

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
    .configureOutput({
      writeOut: (text) => void terminal.stdout.write(text),
      writeErr: (text) => void terminal.stderr.write(text),
    })
    .action(async (prompt: string | undefined, flags: ParsedFlags, command: Command) => {
      await run({ ...agentFlagsOf(flags, command), ...(prompt === undefined ? {} : { prompt }) });
    });
}
