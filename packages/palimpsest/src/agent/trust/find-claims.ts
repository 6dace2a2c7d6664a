import { resolve } from "node:path";
import { isFields } from "../base/fields.js";
import { readHookSettings } from "../hooks/hook-settings.js";
import type { PermissionMode } from "../permissions/mode.js";
import { realPathOf, wayInside } from "../base/real-path.js";
import { readFileSettings, settingsDirectory } from "../settings/file-settings.js";
import type { RepositoryServer } from "../settings/mcp-servers.js";
import type { SettingsFile } from "../settings/read-settings.js";
import type { Skill } from "../skills/skill.js";
import type { ShadowingAgentType } from "../subagents/agent-types.js";
import { createClaim, type Claim } from "./claim.js";

export interface FoundInRepository {
  readonly cwd: string;
  readonly home: string;
  /** Every settings file that counts, the person's too. */
  readonly files: readonly SettingsFile[];
  readonly servers: readonly RepositoryServer[];
  readonly agentTypes: readonly ShadowingAgentType[];
  /** Those that count, the person's too. */
  readonly skills: readonly Skill[];
}

/**
 * What a repository asks for that only a trusted folder may have: hooks, servers, rules that allow, a mode that asks
 * less, further directories, variables, commands in skills, and subagents in the place of others. Rules that forbid or ask are not among
 * it: they only restrict, and always hold.
 */
export function findClaims(found: FoundInRepository): readonly Claim[] {
  const own = found.files.filter(({ source }) => source === "user");
  const theirs = found.files.filter(({ source }) => source !== "user");
  const ownMode = own.map((file) => readFileSettings(file.content, file).settings.defaultMode).find(Boolean);
  const hasHooks = !own.some(({ content }) => content["disableAllHooks"] === true);
  return [
    ...theirs.flatMap((file) => [
      ...(hasHooks ? hookClaims(file) : []),
      ...permissionClaims(file, { ...found, ownMode }),
    ]),
    ...found.servers.map(({ name, file, entry }) => createClaim(file, `mcpServers.${name}`, entry)),
    ...found.agentTypes.map(({ type, file }) =>
      createClaim(file, `the subagent ${type.name}, in the place of another`, type),
    ),
    ...found.skills.flatMap(skillClaims),
  ];
}

/** What it runs, and what it wants to be allowed for that; one that no person can start runs nothing. */
function skillClaims({ name, path, source, commands, allowedTools, isForPerson }: Skill): readonly Claim[] {
  if (source !== "project" || commands.length === 0 || !isForPerson) return [];
  return [createClaim(path, `commands that /${name} runs`, { commands, allowedTools })];
}

function hookClaims({ path, content }: SettingsFile): readonly Claim[] {
  const { hooks, isDisabled } = readHookSettings(content, { file: path });
  if (isDisabled) return [createClaim(path, "disableAllHooks, which turns off yours too", true)];
  const said = isFields(content["hooks"]) ? content["hooks"] : {};
  return Object.keys(hooks).map((event) => createClaim(path, `hooks.${event}`, said[event]));
}

function permissionClaims(
  file: SettingsFile,
  { cwd, home, ownMode = "default" }: FoundInRepository & { readonly ownMode: PermissionMode | undefined },
): readonly Claim[] {
  const { path, content } = file;
  const { allow, additionalDirectories, defaultMode, env } = readFileSettings(content, file).settings;
  const isInside = (directory: string): boolean =>
    wayInside(realPathOf(resolve(cwd)), realPathOf(settingsDirectory(directory, { cwd, home }))) !==
    undefined;
  return [
    ...allow.map(({ rule }) => createClaim(path, `permissions.allow: ${rule}`, rule)),
    ...(defaultMode !== undefined && freedom[defaultMode] > freedom[ownMode]
      ? [createClaim(path, `permissions.defaultMode: ${defaultMode}`, defaultMode)]
      : []),
    ...additionalDirectories
      .filter((directory) => !isInside(directory))
      .map((directory) => createClaim(path, `permissions.additionalDirectories: ${directory}`, directory)),
    ...Object.entries(env).map(([name, value]) => createClaim(path, `env.${name}`, value)),
  ];
}

/** How much a mode lets through. */
const freedom: Readonly<Record<PermissionMode, number>> = {
  plan: 0,
  default: 1,
  acceptEdits: 2,
  bypassPermissions: 3,
};
