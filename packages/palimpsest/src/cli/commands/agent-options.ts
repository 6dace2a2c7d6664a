import type { Settings } from "@palimpsest/core";
import { InvalidArgumentError, Option, type Command } from "commander";
import { permissionModes, type PermissionMode } from "../../agent/permissions/mode.js";
import { splitRules } from "../../agent/permissions/rule.js";
import { settingsSources, type SettingsSource } from "../../agent/settings/settings-files.js";
import { wholeNumber } from "../whole-number.js";

/** What the command line says of an agent, with a screen or without one. */
export interface ParsedAgentFlags {
  readonly continue?: boolean;
  readonly model?: string;
  readonly baseUrl?: string;
  readonly permissionMode?: PermissionMode;
  readonly sessionId?: string;
  readonly dangerouslySkipPermissions?: boolean;
  readonly systemPrompt?: string;
  readonly appendSystemPrompt?: string;
  readonly cwd?: string;
  readonly window?: number;
  readonly memory?: Settings["memory"];
  readonly allowedTools?: readonly string[];
  readonly disallowedTools?: readonly string[];
  readonly addDir?: readonly string[];
  readonly trust?: boolean;
  readonly settingSources?: readonly SettingsSource[];
  readonly branch?: boolean;
  readonly forkSession?: boolean;
  readonly settings?: string;
  readonly mcpConfig?: readonly string[];
  readonly strictMcpConfig?: boolean;
  readonly embedded?: boolean;
}

/** From the cheapest on. */
const memoryDials: readonly Settings["memory"][] = ["thrifty", "balanced", "faithful"];

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

/** The options that an agent with a screen and one without have in common. `resume` is how the one for resuming is written. */
export function addAgentOptions(command: Command, resume: string): Command {
  return command
    .addOption(new Option(resume, "go on with a conversation").conflicts("continue"))
    .option("-c, --continue", "go on with the newest conversation of this directory")
    .option(
      "--at <message>",
      "with --resume or --continue: go back to this message first (its uuid, or how that begins)",
    )
    .option("--branch", "with --resume or --continue: go on in a new conversation; that one stays as it is")
    .addOption(new Option("--fork-session", "the same as --branch"))
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
    .option("--cwd <path>", "where the agent works (default: here)")
    .option("--window <tokens>", "tokens of the context window, in place of the model's own", wholeNumber)
    .addOption(
      new Option("--memory <dial>", "how much is remembered after a compaction, for how much money").choices(
        memoryDials,
      ),
    );
}

/** The same without what has two spellings. Ends with an error where they exclude each other. */
export function agentFlagsOf<Flags extends ParsedAgentFlags>(
  { forkSession, dangerouslySkipPermissions, ...rest }: Flags,
  command: Command,
): Omit<Flags, "forkSession" | "dangerouslySkipPermissions"> {
  const mode = rest.permissionMode;
  if (dangerouslySkipPermissions === true && mode !== undefined && mode !== "bypassPermissions") {
    command.error(`--dangerously-skip-permissions and --permission-mode ${mode} exclude each other`);
  }
  return {
    ...rest,
    ...(forkSession === true ? { branch: true } : {}),
    ...(dangerouslySkipPermissions === true ? { permissionMode: "bypassPermissions" } : {}),
  };
}
