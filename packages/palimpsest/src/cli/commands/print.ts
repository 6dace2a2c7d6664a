import { Command, InvalidArgumentError, Option } from "commander";
import { permissionModes, type PermissionMode } from "../../agent/permissions/mode.js";
import { splitRules } from "../../agent/permissions/rule.js";
import { settingsSources, type SettingsSource } from "../../agent/settings/settings-files.js";
import type { PrintFlags } from "../headless/print.js";
import type { Terminal } from "../terminal.js";
import { wholeNumber } from "../whole-number.js";

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

interface ParsedFlags {
  readonly print?: string | boolean;
  readonly outputFormat: PrintFlags["outputFormat"];
  readonly inputFormat: PrintFlags["inputFormat"];
  readonly json?: boolean;
  readonly resume?: string;
  readonly continue?: boolean;
  readonly model?: string;
  readonly baseUrl?: string;
  readonly permissionMode?: PermissionMode;
  readonly sessionId?: string;
  readonly dangerouslySkipPermissions?: boolean;
  readonly permissionPromptTool?: string;
  readonly systemPrompt?: string;
  readonly appendSystemPrompt?: string;
  readonly maxTurns?: number;
  readonly cwd?: string;
  readonly window?: number;
  readonly events?: string;
  readonly allowedTools?: readonly string[];
  readonly disallowedTools?: readonly string[];
  readonly addDir?: readonly string[];
  readonly trust?: boolean;
  readonly settingSources?: readonly SettingsSource[];
  readonly branch?: boolean;
  readonly forkSession?: boolean;
  readonly pin?: boolean;
  readonly settings?: string;
  readonly mcpConfig?: readonly string[];
  readonly strictMcpConfig?: boolean;
  readonly embedded?: boolean;
  readonly verbose?: boolean;
}

const list = (text: string, before: readonly string[] = []): readonly string[] => [
  ...before,
  ...splitRules(text),
];

const several = (text: string, before: readonly string[] = []): readonly string[] => [...before, text];

/** The same option in the ecosystem's spelling: commander keeps both under one name. */
const sameRules = (flags: string): Option => new Option(flags).argParser(list).hideHelp();

/** None for an empty list. */
function sourceList(text: string): readonly SettingsSource[] {
  if (text.trim() === "") return [];
  const names = text.split(",").map((name) => name.trim());
  const sources = settingsSources.filter((source) => names.includes(source));
  if (sources.length === new Set(names).size) return sources;
  throw new InvalidArgumentError(`Allowed, with commas between them: ${settingsSources.join(", ")}.`);
}

/** The command `palimpsest -p PROMPT`. */
export function createPrintCommand(terminal: Terminal, run: (flags: PrintFlags) => Promise<void>): Command {
  return new Command("palimpsest")
    .description("Runs the agent on one prompt and prints its answer.")
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
    .addOption(new Option("-r, --resume <id>", "go on with a conversation").conflicts("continue"))
    .option("-c, --continue", "go on with the newest conversation of this directory")
    .option(
      "--at <message>",
      "with --resume or --continue: go back to this message first (its uuid, or how that begins)",
    )
    .option("--branch", "with --resume or --continue: go on in a new conversation; that one stays as it is")
    .addOption(new Option("--fork-session", "the same as --branch"))
    .option("--pin", "the prompt stays word for word through every compaction")
    .addOption(
      new Option("--session-id <id>", "the id of the new conversation").conflicts(["resume", "continue"]),
    )
    .option(
      "--model <name>",
      "the model, or opus, sonnet, haiku (default: ANTHROPIC_MODEL, the settings, or claude-sonnet-5)",
    )
    .option("--base-url <url>", "a server that speaks the Messages API (default: ANTHROPIC_BASE_URL)")
    .addOption(
      new Option(
        "--embedded",
        "no key and no network: an echo in this process answers, to try things out",
      ).conflicts("baseUrl"),
    )
    .addOption(
      new Option("--permission-mode <mode>", "what is allowed without asking").choices([...permissionModes]),
    )
    .option("--dangerously-skip-permissions", "the same as --permission-mode bypassPermissions")
    .option(
      "--permission-prompt-tool <name>",
      "who is asked for permissions: stdio, the program at the other end of stream-json",
    )
    .option(
      "--allowed-tools <rules>",
      "what is allowed besides, such as Bash(npm test:*),Edit (also: --allowedTools)",
      list,
    )
    .option("--disallowed-tools <rules>", "what is forbidden in any case (also: --disallowedTools)", list)
    .addOption(sameRules("--allowedTools <rules>"))
    .addOption(sameRules("--disallowedTools <rules>"))
    .option("--add-dir <path>", "a further directory that the agent may use; it has to exist", several)
    .option("--trust", "what the repository brings holds in this run: hooks, servers, allow rules, variables")
    .option(
      "--setting-sources <list>",
      "whose settings count: user, project, local (default: all)",
      sourceList,
    )
    .option("--settings <file-or-json>", "settings of your own for this run, before all others")
    .option(
      "--mcp-config <file-or-json>",
      "MCP servers of your own for this run, as in .mcp.json; may stand several times",
      several,
    )
    .option("--strict-mcp-config", "no MCP servers but those of --mcp-config")
    .option("--system-prompt <text>", "in place of all that the program tells the model by itself")
    .option("--append-system-prompt <text>", "a text at the end of the system prompt")
    .option("--max-turns <count>", "requests at most, for each prompt", wholeNumber)
    .option("--cwd <path>", "where the agent works (default: here)")
    .option("--window <tokens>", "tokens of the context window, in place of the model's own", wholeNumber)
    .option("--events <file>", "append everything that the engine tells to a file, as lines of JSON")
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
    .configureOutput({
      writeOut: (text) => void terminal.stdout.write(text),
      writeErr: (text) => void terminal.stderr.write(text),
    })
    .action(async (positional: string | undefined, flags: ParsedFlags, command: Command) => {
      const { print: given, json, forkSession, dangerouslySkipPermissions, ...rest } = flags;
      const mode = rest.permissionMode;
      if (dangerouslySkipPermissions === true && mode !== undefined && mode !== "bypassPermissions") {
        command.error(
          `error: --dangerously-skip-permissions and --permission-mode ${mode} exclude each other`,
        );
      }
      // `--disallowed-tools Bash Edit`: what looks like a rule must not be lost as a prompt.
      if (typeof given === "string" && positional !== undefined) {
        command.error("error: there are two prompts: put the prompt into quotes, and commas between rules");
      }
      const prompt = typeof given === "string" ? given : positional;
      await run({
        ...rest,
        ...(forkSession === true ? { branch: true } : {}),
        ...(dangerouslySkipPermissions === true ? { permissionMode: "bypassPermissions" } : {}),
        ...(prompt === undefined ? {} : { prompt }),
        outputFormat: json === true ? "json" : flags.outputFormat,
      });
    });
}
