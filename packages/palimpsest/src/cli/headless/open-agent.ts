import { findModel, TranscriptError, type ModelProvider, type Settings } from "@palimpsest/core";
import { randomUUID } from "node:crypto";
import { homedir } from "node:os";
import { stat } from "node:fs/promises";
import { join, resolve } from "node:path";
import { KEY_VARIABLES, keysIn, keysInAddress } from "../../agent/base/key-variables.js";
import { listCommands } from "../../agent/commands/list-commands.js";
import type { connectServers } from "../../agent/mcp/connect-servers.js";
import type { McpServerState } from "../../agent/mcp/server-session.js";
import type { PermissionMode } from "../../agent/permissions/mode.js";
import type { GivenPrompt, SessionOptions } from "../../agent/session/session-options.js";
import type { UntrustedClaims } from "../../agent/trust/untrusted-claims.js";
import { registeredTelemetry } from "../registered-telemetry.js";
import type { Terminal } from "../terminal.js";
import { recordFolderProblem } from "../record-folder-problem.js";
import { chooseProvider } from "./choose-provider.js";
import { StartError, UsageError } from "./start-error.js";
import { readSettingsFiles, type AgentSettings } from "../../agent/settings/read-settings.js";
import { configDirectory, type SettingsSource } from "../../agent/settings/settings-files.js";
import {
  dataDirectory,
  outputFolder,
  projectFolder,
  sessionFolder,
} from "../../agent/session/session-folder.js";
import { loadSkills } from "../../agent/skills/load-skills.js";
import { loadAgentTypes, type AgentType } from "../../agent/subagents/agent-types.js";
import { loadOutputStyle } from "../../agent/settings/output-style.js";
import { openSession, type Session } from "../../agent/session/session.js";
import { readMcpServers } from "../../agent/settings/mcp-servers.js";
import { describeProblem } from "../../agent/settings/settings-error.js";
import { modelNamed } from "../../agent/session/model-name.js";
import { checkTrust } from "./check-trust.js";
import { createPermissions } from "../../agent/permissions/permissions.js";
import { parseRule } from "../../agent/permissions/rule.js";
import { toolProblem } from "../../agent/permissions/known-tools.js";

/** What the command line says about an agent. */
export interface AgentFlags {
  readonly cwd?: string;
  readonly model?: string;
  readonly baseUrl?: string;
  /** The simulated API in this process answers. */
  readonly embedded?: boolean;
  readonly permissionMode?: PermissionMode;
  readonly resume?: string;
  readonly continue?: boolean;
  /** Where a conversation is gone back to first: the uuid of a message, or its beginning. */
  readonly at?: string;
  /** Goes on in a new conversation; the one that is resumed stays as it is. */
  readonly branch?: boolean;
  /** The id of a new conversation. */
  readonly sessionId?: string;
  /** In place of all that this program tells the model by itself. */
  readonly systemPrompt?: string;
  readonly appendSystemPrompt?: string;
  readonly allowedTools?: readonly string[];
  readonly disallowedTools?: readonly string[];
  readonly addDir?: readonly string[];
  readonly window?: number;
  readonly memory?: Settings["memory"];
  /** What the repository asks for holds in this run. */
  readonly trust?: boolean;
  /** Whose settings, memory files, skills and servers count. Default: all. */
  readonly settingSources?: readonly SettingsSource[];
  /** A settings file, or settings as JSON, of the person's own for this run. */
  readonly settings?: string;
  /** Files with servers, or servers as JSON. */
  readonly mcpConfig?: readonly string[];
  /** No other servers than those. */
  readonly strictMcpConfig?: boolean;
  /** A folder that the conversation and its requests are recorded in. */
  readonly record?: string;
}

export interface OpenedAgent {
  readonly session: Session;
  readonly notices: readonly string[];
  /** How servers stand now. */
  readonly servers: () => readonly McpServerState[];
  /** Who answers, and the variable that the key comes from. */
  readonly provider: string;
  readonly apiKeySource: string;
  /** What a person can have done by its name. */
  readonly commands: readonly {
    readonly name: string;
    readonly description: string;
    readonly argumentHint: string;
  }[];
  readonly agents: readonly {
    readonly name: string;
    readonly description: string;
    readonly model?: string;
  }[];
  readonly outputStyle: string;
  /** As they hold in it: those of files, with the rules of the command line. */
  readonly settings: AgentSettings;
  /** What is to stand in the system prompt; before the first request. */
  readonly givePrompt: (prompt: GivenPrompt) => void;
}

const DEFAULT_MODEL = "claude-sonnet-5";

/** Reads what people have set up, and opens a session with it. Rejects with `StartError` or `SettingsError`. */
export async function openAgent(
  flags: AgentFlags,
  {
    terminal,
    source,
    onNotice,
    onCompaction,
    onEngineEvent,
    signal,
    more = {},
    askTrust,
  }: {
    readonly terminal: Terminal;
    readonly source: SessionOptions["source"];
    readonly onNotice: (text: string) => void;
    readonly more?: Pick<
      SessionOptions,
      "ask" | "askUser" | "approvePlan" | "beforeEdit" | "reviewSummary" | "onSent"
    >;
    /** Whether what a folder that is not trusted asks for holds; without it that is an error. */
    readonly askTrust?: (untrusted: UntrustedClaims) => Promise<boolean>;
  } & Pick<SessionOptions, "onCompaction" | "onEngineEvent" | "signal">,
): Promise<OpenedAgent> {
  const { env } = terminal;
  if (flags.at !== undefined && flags.resume === undefined && flags.continue !== true) {
    throw new UsageError("--at needs --resume ID or --continue: it names a message of that conversation");
  }
  if (flags.branch === true && flags.resume === undefined && flags.continue !== true) {
    throw new UsageError("--branch needs --resume ID or --continue: it branches off that conversation");
  }
  const home = env["HOME"] || homedir();
  const cwd = resolve(flags.cwd ?? process.cwd());
  if ((await stat(cwd).catch(() => undefined))?.isDirectory() !== true) {
    throw new StartError(`${cwd} is not a directory`);
  }
  for (const directory of flags.addDir ?? []) {
    const path = resolve(cwd, directory);
    if ((await stat(path).catch(() => undefined))?.isDirectory() !== true) {
      throw new UsageError(`--add-dir ${directory}: there is no such directory (${path})`);
    }
  }
  const problem = flags.record === undefined ? undefined : await recordFolderProblem(flags.record);
  if (problem !== undefined) throw new UsageError(problem);
  const given: Partial<Settings> = {
    ...(flags.window === undefined ? {} : { window: flags.window }),
    ...(flags.memory === undefined ? {} : { memory: flags.memory }),
  };
  const sources = flags.settingSources;
  const own = sources === undefined ? {} : { sources };
  const onCommandLine = (flag: string) => (text: string) => ({ text, flag, base: process.cwd() });
  const settings = await readSettingsFiles({
    cwd,
    home,
    env,
    flags: given,
    ...own,
    ...(flags.settings === undefined ? {} : { given: onCommandLine("--settings")(flags.settings) }),
  });
  const rules = {
    ...settings.permissions,
    allow: [...settings.permissions.allow, ...(flags.allowedTools ?? []).map(sourced(cwd))],
    deny: [...settings.permissions.deny, ...(flags.disallowedTools ?? []).map(sourced(cwd))],
    additionalDirectories: [
      ...settings.permissions.additionalDirectories,
      ...(flags.addDir ?? []).map((path) => resolve(cwd, path)),
    ],
  };
  const { isDenied } = createPermissions({ mode: "default", rules, workingDirectory: cwd, home });
  const places = {
    cwd,
    home,
    configDirectory: configDirectory({ home, env }),
    includesProject: sources?.includes("project") ?? true,
    isDenied: (path: string) => isDenied(path, "read"),
  };
  const servers = await readMcpServers({
    cwd,
    home,
    env: { ...settings.env, ...env },
    files: settings.files,
    ...own,
    given: (flags.mcpConfig ?? []).map(onCommandLine("--mcp-config")),
    onlyGiven: flags.strictMcpConfig === true,
  });
  const skills = await loadSkills(places);
  // Before anything of the repository runs, or is permitted.
  await checkTrust(
    { ...places, files: settings.files, servers: servers.ofRepository, skills: skills.skills },
    { flags, env, ...(askTrust === undefined ? {} : { askTrust }) },
  );
  const data = dataDirectory({ home, env });
  const account = await openAccount(settings.engine, data);
  const telemetry = await registeredTelemetry(env);
  const [agentTypes, { style, warning }, chosen] = await Promise.all([
    loadAgentTypes(places),
    loadOutputStyle({ ...places, name: settings.outputStyle }),
    chooseProvider(
      {
        ...flags,
        stallTimeoutMs: settings.engine.responseStallMs,
        cacheEdits: settings.engine.clearCached,
        onOverage: account.noteOverage,
      },
      env,
    ),
  ]);
  const resume =
    flags.resume ?? (flags.continue === true ? await newest(projectFolder(data, cwd)) : undefined);
  const mode = flags.permissionMode ?? settings.permissions.defaultMode ?? "default";
  const model = modelNamed(
    flags.model ?? (env["ANTHROPIC_MODEL"] || undefined) ?? settings.model ?? DEFAULT_MODEL,
  );
  const isBranch = resume !== undefined && flags.branch === true;
  const id = (isBranch ? undefined : resume) ?? flags.sessionId ?? randomUUID();
  const outputs = outputFolder(sessionFolder(data, id));
  const at = flags.at === undefined ? {} : { at: flags.at };
  const secrets = keysInAddress(flags.baseUrl ?? "");
  let prompt: GivenPrompt = {
    ...(flags.systemPrompt === undefined ? {} : { system: flags.systemPrompt }),
    ...(flags.appendSystemPrompt === undefined ? {} : { appended: flags.appendSystemPrompt }),
  };
  const mcp = await connect(servers.servers, {
    cwd,
    outputs,
    keys: [...keysIn({ ...settings.env, ...env }), ...secrets],
  });
  try {
    if (isBranch) {
      const { branchSession } = await import("../../agent/session/branch-session.js");
      await branchSession({ dataDirectory: data, cwd, model, from: resume, to: id, ...at });
    }
    const session = await openSession({
      ...places,
      dataDirectory: data,
      env,
      settings: { ...settings, permissions: rules },
      ...own,
      skills,
      agentTypes: agentTypes.map((type) => withModel(type, { provider: chosen.provider, modelNamed })),
      style,
      givenPrompt: () => prompt,
      ...(mcp === undefined ? {} : { mcp }),
      provider: chosen.provider,
      account: account.facts,
      model,
      mode,
      id,
      isResumed: resume !== undefined,
      ...(isBranch ? {} : at),
      source,
      hiddenVariables: KEY_VARIABLES,
      secrets,
      onNotice,
      ...(onCompaction === undefined ? {} : { onCompaction }),
      ...(onEngineEvent === undefined ? {} : { onEngineEvent }),
      ...(telemetry === undefined ? {} : { telemetry }),
      ...(flags.record === undefined ? {} : { recordFolder: resolve(flags.record) }),
      ...(signal === undefined ? {} : { signal }),
      ...more,
    });
    await mcp?.started;
    return {
      session,
      servers: () => mcp?.states() ?? [],
      provider: chosen.provider.name,
      apiKeySource: chosen.apiKeySource,
      commands: listCommands(skills.skills).map(({ name, description, argumentHint = "" }) => ({
        name,
        description,
        argumentHint,
      })),
      agents: session.subagents.types().map(({ name, description, model: own }) => ({
        name,
        description,
        ...(own === undefined ? {} : { model: own }),
      })),
      outputStyle: style.name,
      settings: { ...settings, permissions: rules },
      givePrompt: (next) => void (prompt = { ...prompt, ...next }),
      notices: [
        ...(isBranch ? [`this is a new conversation, ${id}; ${resume} stays as it is`] : []),
        ...(flags.record === undefined
          ? []
          : [`what is said is recorded in ${resolve(flags.record)}, contents and all`]),
        ...settings.warnings,
        ...(flags.allowedTools ?? []).flatMap((rule) => {
          const parsed = parseRule(rule);
          const problem = parsed === undefined ? undefined : toolProblem(parsed);
          return problem === undefined ? [] : [`command line: the rule ${JSON.stringify(rule)} ${problem}`];
        }),
        ...(warning === undefined ? [] : [warning]),
        ...skills.problems,
        ...servers.problems.map(describeProblem),
        ...(mcp?.states() ?? []).flatMap(({ name, state, reason }) =>
          state === "failed" ? [`MCP server ${name}: ${reason}`] : [],
        ),
        ...(findModel(model) === undefined
          ? [`Nothing is known of the model ${model}: a window of 200,000 tokens is assumed.`]
          : []),
      ],
    };
  } catch (error) {
    await mcp?.close();
    if (error instanceof TranscriptError) throw new StartError(error.message);
    throw error;
  }
}

/** What is known of the account: by the settings, by what the API says, at the start by what it said last. */
async function openAccount(
  { cacheEligible, cacheOverage }: Settings,
  data: string,
): Promise<{
  readonly facts: NonNullable<SessionOptions["account"]>;
  readonly noteOverage: (isInOverage: boolean) => void;
}> {
  const { createOverageFile } = await import("../../stores/overage-file.js");
  const file = createOverageFile(join(data, "overage.json"));
  const isTold = cacheOverage === "auto";
  let isInOverage = isTold ? await file.load() : cacheOverage === "on";
  return {
    facts: () => ({ isEligible: cacheEligible, isInOverage: isInOverage === true }),
    noteOverage(next) {
      if (!isTold || next === isInOverage) return;
      isInOverage = next;
      void file.save(next);
    },
  };
}

async function newest(folder: string): Promise<string> {
  const { newestSession } = await import("../../agent/session/list-sessions.js");
  const id = await newestSession(folder);
  if (id === undefined) throw new StartError("there is no conversation to continue in this directory");
  return id;
}

/** Short names of models mean something to the Messages API alone; elsewhere such a kind has the session's model. */
function withModel(
  type: AgentType,
  options: { readonly provider: ModelProvider; readonly modelNamed: (name: string) => string },
): AgentType {
  if (type.model === undefined) return type;
  const model = options.modelNamed(type.model);
  if (model === type.model || options.provider.name !== "openai-compatible") return { ...type, model };
  const { model: _model, ...rest } = type;
  return rest;
}

async function connect(
  servers: Parameters<typeof connectServers>[0],
  {
    cwd,
    outputs,
    keys,
  }: { readonly cwd: string; readonly outputs: string; readonly keys: readonly string[] },
) {
  if (servers.length === 0) return undefined;
  const mcp = await import("../../agent/mcp/connect-servers.js");
  const { withoutSecrets } = await import("../../providers/secrets.js");
  const { createSpill } = await import("../../agent/tools/spill.js");
  return mcp.connectServers(servers, {
    cwd,
    spill: createSpill({ directory: outputs, hide: withoutSecrets(keys) }),
  });
}

const sourced = (base: string) => (rule: string) => ({ rule, base, source: "the command line" });
