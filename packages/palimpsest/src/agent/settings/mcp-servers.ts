import { join } from "node:path";
import { isAbsent, isFields, type Fields } from "../base/fields.js";
import { KEY_VARIABLES } from "../base/key-variables.js";
import { expandVariables } from "./expand-variables.js";
import { readGivenJson, type GivenJson } from "./given-json.js";
import { readJsonFile } from "./json-file.js";
import type { SettingsFile } from "./read-settings.js";
import { SettingsError, type SettingsProblem } from "./settings-error.js";
import { isHome, type Environment, type SettingsSource } from "./settings-files.js";

interface StdioTransport {
  readonly kind: "stdio";
  readonly command: string;
  readonly args: readonly string[];
  readonly env: Readonly<Record<string, string>>;
}

interface HttpTransport {
  readonly kind: "http" | "sse";
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
}

export interface McpServerConfig {
  readonly name: string;
  readonly transport: StdioTransport | HttpTransport;
  /** Who names it: a server of the repository runs what its author wrote. */
  readonly source: SettingsSource;
  readonly file: string;
}

export interface ReadMcpServersOptions {
  readonly cwd: string;
  readonly home: string;
  /** For `${VAR}`: variables of the settings included. */
  readonly env: Environment;
  /**
   * Settings files that were read. Their `mcpServers` count, but for those of the repository; so do the servers of
   * `.mcp.json` that they turn off in `disabledMcpjsonServers`, and the person's `mcpVariables`.
   */
  readonly files?: readonly SettingsFile[];
  readonly sources?: readonly SettingsSource[];
  /** Files, or JSON, that the person names for this run: their servers count before all others. */
  readonly given?: readonly GivenJson[];
  /** No other servers than those count. */
  readonly onlyGiven?: boolean;
}

/** A server that lies in the repository, as it stands there. */
export interface RepositoryServer {
  readonly name: string;
  readonly file: string;
  readonly entry: unknown;
}

const MAX_STATE_BYTES = 32 * 1024 * 1024;

/**
 * The person's variables that a repository's servers are given. Whoever wrote the repository says where its servers
 * are, and what is sent to them: all else is the person's to name, in `mcpVariables` of their own settings.
 */
const repositoryVariables: readonly string[] = ["HOME", "USER", "PATH", "LANG", "TMPDIR"];

/**
 * The servers of `.mcp.json`, of the person's settings, and of Claude Code's own list; of one name the person's for
 * this directory counts first, then the repository's, then the person's. What is wrong is left out and told of, without
 * values; only for what the person gave for this run it rejects, with `SettingsError`. A repository's servers are given few
 * variables, and never a key.
 */
export async function readMcpServers(options: ReadMcpServersOptions): Promise<{
  readonly servers: readonly McpServerConfig[];
  readonly problems: readonly SettingsProblem[];
  /** Servers that run because the repository says so, whether or not they can be read. */
  readonly ofRepository: readonly RepositoryServer[];
}> {
  const { cwd, home, files = [], sources } = options;
  const given = await readGivenServers(options);
  if (options.onlyGiven === true) return { servers: given, problems: [], ofRepository: [] };
  const problems: SettingsProblem[] = [];
  const counts = (source: SettingsSource): boolean => sources?.includes(source) ?? true;
  const load = async (path: string, more: Parameters<typeof readJsonFile>[1] = {}): Promise<Fields> => {
    const outcome = await readJsonFile(path, more);
    if (outcome.kind === "bad") problems.push(outcome.problem);
    return outcome.kind === "read" ? outcome.content : {};
  };
  const statePath = join(home, ".claude.json");
  const projectPath = join(cwd, ".mcp.json");
  const [state, project] = await Promise.all([
    load(statePath, { maxBytes: MAX_STATE_BYTES, needs: '"mcpServers"' }),
    counts("project") ? load(projectPath) : Promise.resolve<Fields>({}),
  ]);
  const own = isFields(state["projects"]) ? state["projects"][cwd] : undefined;
  const local = isFields(own) ? own : {};
  const names = (file: string, key: string, value: unknown): readonly string[] => {
    if (isAbsent(value)) return [];
    if (Array.isArray(value) && value.every((name) => typeof name === "string")) return value;
    problems.push({ file, key, message: "is not a list of names", allowed: "a list of strings" });
    return [];
  };
  const disabled = new Set([
    ...names(statePath, "disabledMcpjsonServers", local["disabledMcpjsonServers"]),
    ...files.flatMap(({ path, content }) =>
      names(path, "disabledMcpjsonServers", content["disabledMcpjsonServers"]),
    ),
  ]);
  const variables = files
    .filter(({ source }) => source === "user")
    .flatMap(({ path, content }) => names(path, "mcpVariables", content["mcpVariables"]));
  const whose = isHome(options) ? "user" : "project";
  const lists = [
    { source: "local", file: statePath, value: local["mcpServers"], isOfRepository: false },
    ...listsOf(files, "local"),
    {
      source: whose,
      file: projectPath,
      value: withoutNames(project["mcpServers"], disabled),
      isOfRepository: whose === "project",
    },
    ...listsOf(files, "user"),
    { source: "user", file: statePath, value: state["mcpServers"], isOfRepository: false },
  ] as const;
  const servers = new Map<string, McpServerConfig>(given.map((server) => [server.name, server]));
  const ofRepository: RepositoryServer[] = [];
  const fewVariables = variablesFor(options, variables);
  for (const { source, file, value, isOfRepository } of lists) {
    if (isAbsent(value) || !counts(source)) continue;
    if (!isFields(value)) {
      problems.push({
        file,
        key: "mcpServers",
        message: "must be an object",
        allowed: "an object of servers",
      });
      continue;
    }
    for (const [name, entry] of Object.entries(value)) {
      if (servers.has(name)) continue;
      const read = readServer(name, entry, isOfRepository ? fewVariables : allVariables(options.env));
      if (isOfRepository && read.kind !== "off") ofRepository.push({ name, file, entry });
      if (read.kind === "read") servers.set(name, { name, transport: read.transport, source, file });
      else if (read.kind === "bad") problems.push({ file, ...read.problem });
    }
  }
  return { servers: Array.from(servers.values()), problems, ofRepository };
}

/** The servers that the command line names: all of them, or an error. */
async function readGivenServers({
  given = [],
  env,
}: Pick<ReadMcpServersOptions, "given" | "env">): Promise<readonly McpServerConfig[]> {
  const problems: SettingsProblem[] = [];
  const servers = new Map<string, McpServerConfig>();
  for (const one of given) {
    const outcome = await readGivenJson(one);
    if (outcome.kind === "bad") {
      problems.push(outcome.problem);
      continue;
    }
    const { file, content } = outcome;
    const { mcpServers } = content;
    if (!isFields(mcpServers)) {
      const allowed = "an object of servers";
      problems.push({ file, key: "mcpServers", message: "must be an object", allowed });
      continue;
    }
    for (const [name, entry] of Object.entries(mcpServers)) {
      const read = readServer(name, entry, allVariables(env));
      if (read.kind === "read") servers.set(name, { name, transport: read.transport, source: "user", file });
      else if (read.kind === "bad") problems.push({ file, ...read.problem });
    }
  }
  if (problems.length > 0) throw new SettingsError(problems);
  return Array.from(servers.values());
}

/** What `${VAR}` may mean to a server. */
interface ServerVariables {
  readonly env: Environment;
  readonly problemWith: (name: string) => { readonly message: string; readonly allowed: string };
}

const allVariables = (env: Environment): ServerVariables => ({
  env,
  problemWith: (name) => ({
    message: `the variable ${name} is not set`,
    allowed: "a variable that is set, or ${NAME:-default}",
  }),
});

/** Of the person's variables the few of the list and those they named, and none that holds a key of this program. */
function variablesFor(
  { cwd, env }: Pick<ReadMcpServersOptions, "cwd" | "env">,
  named: readonly string[],
): ServerVariables {
  const permitted = [...repositoryVariables, ...named].filter((name) => !KEY_VARIABLES.includes(name));
  return {
    env: {
      ...Object.fromEntries(
        permitted.map((name) => [name, Object.hasOwn(env, name) ? env[name] : undefined]),
      ),
      PWD: cwd,
      CLAUDE_PROJECT_DIR: cwd,
    },
    problemWith: (name) => ({
      message: permitted.includes(name)
        ? `the variable ${name} is not set`
        : `a repository's server is not given the variable ${name}`,
      allowed: `${[...repositoryVariables, "PWD", "CLAUDE_PROJECT_DIR"].join(", ")}, those in mcpVariables of your own settings, or \${NAME:-default}`,
    }),
  };
}

const withoutNames = (value: unknown, names: ReadonlySet<string>): unknown =>
  isFields(value) ? Object.fromEntries(Object.entries(value).filter(([name]) => !names.has(name))) : value;

const listsOf = (files: readonly SettingsFile[], wanted: SettingsSource) =>
  files
    .filter(({ source }) => source === wanted)
    .map(({ path, content }) => ({
      source: wanted,
      file: path,
      value: content["mcpServers"],
      isOfRepository: wanted !== "user",
    }));

type ReadServer =
  | { readonly kind: "read"; readonly transport: StdioTransport | HttpTransport }
  | { readonly kind: "off" }
  | { readonly kind: "bad"; readonly problem: Omit<SettingsProblem, "file"> };

class BadEntry extends Error {
  readonly problem: Omit<SettingsProblem, "file">;

  constructor(key: string, message: string, allowed: string) {
    super(message);
    this.problem = { key, message, allowed };
  }
}

function readServer(name: string, entry: unknown, variables: ServerVariables): ReadServer {
  const shown = /^[\w.-]{1,64}$/.test(name) ? name : "…";
  const place = `mcpServers.${shown}`;
  try {
    if (shown !== name)
      throw new BadEntry("mcpServers", "a server's name is not allowed", "letters, digits, . _ -");
    if (!isFields(entry)) throw new BadEntry(place, "is not an object", "an object with `command` or `url`");
    if (entry["disabled"] === true) return { kind: "off" };
    return { kind: "read", transport: readTransport(entry, { place, variables }) };
  } catch (error) {
    if (error instanceof BadEntry) return { kind: "bad", problem: error.problem };
    throw error;
  }
}

function readTransport(
  entry: Fields,
  { place, variables }: { readonly place: string; readonly variables: ServerVariables },
): StdioTransport | HttpTransport {
  const text = (value: unknown, key: string): string => {
    if (typeof value !== "string" || value.includes("\0"))
      throw new BadEntry(key, "is not a string", "a string");
    const expanded = expandVariables(value, variables.env);
    if (expanded.kind === "text") return expanded.text;
    const { message, allowed } = variables.problemWith(expanded.variable);
    throw new BadEntry(key, message, allowed);
  };
  const texts = (key: string): Readonly<Record<string, string>> => {
    const value = entry[key];
    if (isAbsent(value)) return {};
    if (!isFields(value)) throw new BadEntry(`${place}.${key}`, "is not an object", "an object of texts");
    return Object.fromEntries(
      Object.entries(value).map(([name, one]) => [name, text(one, `${place}.${key}.${name.slice(0, 80)}`)]),
    );
  };
  const { type, command, url } = entry;
  const kind = type ?? (command === undefined ? "http" : "stdio");
  if (kind === "stdio") {
    const program = text(command, `${place}.command`);
    if (program.trim() === "") throw new BadEntry(`${place}.command`, "is empty", "a program");
    const args = isAbsent(entry["args"]) ? [] : entry["args"];
    if (!Array.isArray(args)) throw new BadEntry(`${place}.args`, "is not a list", "a list of texts");
    return {
      kind,
      command: program,
      args: args.map((argument: unknown, index) => text(argument, `${place}.args[${index}]`)),
      env: texts("env"),
    };
  }
  if (kind === "http" || kind === "sse" || kind === "streamable-http" || kind === "streamableHttp") {
    const address = text(url, `${place}.url`);
    if (!/^https?:$/.test(protocolOf(address))) {
      throw new BadEntry(
        `${place}.url`,
        "is not an address",
        "an address that begins with http:// or https://",
      );
    }
    return { kind: kind === "sse" ? "sse" : "http", url: address, headers: texts("headers") };
  }
  throw new BadEntry(`${place}.type`, "servers of this type cannot be used", "stdio, http, sse");
}

function protocolOf(address: string): string {
  try {
    return new URL(address).protocol;
  } catch {
    return "";
  }
}
