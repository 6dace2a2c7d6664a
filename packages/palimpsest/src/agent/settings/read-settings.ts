import { resolveSettings, type GivenSettings, type Settings } from "@palimpsest/core";
import type { Fields } from "../base/fields.js";
import { joinHookSettings, readHookSettings, type HookSettings } from "../hooks/hook-settings.js";
import type { PermissionMode } from "../permissions/mode.js";
import type { SourcedRule } from "../permissions/rule.js";
import { readFileSettings, settingsDirectory } from "./file-settings.js";
import { readGivenJson, type GivenJson } from "./given-json.js";
import { readJsonFile } from "./json-file.js";
import { defaultPromptSettings, type PromptSettings } from "./prompt-settings.js";
import { describeProblem, SettingsError, type SettingsProblem } from "./settings-error.js";
import {
  settingsFilePlaces,
  type SettingsFilePlace,
  type SettingsPlaces,
  type SettingsSource,
} from "./settings-files.js";

export interface ReadSettingsOptions extends SettingsPlaces {
  /** Engine settings of the command line. */
  readonly flags?: GivenSettings;
  /** A file, or JSON, that the person names for this run: it counts before every other file, whatever the sources. */
  readonly given?: GivenJson;
  /** Whose files count. Default: all. A repository that nobody has looked at yet is left out by its name here. */
  readonly sources?: readonly SettingsSource[];
}

export interface AgentSettings {
  /** Of the engine: flags over environment over files over defaults. */
  readonly engine: Settings;
  /** Of all files together. */
  readonly hooks: HookSettings;
  readonly permissions: {
    readonly allow: readonly SourcedRule[];
    readonly ask: readonly SourcedRule[];
    readonly deny: readonly SourcedRule[];
    /** Absolute. */
    readonly additionalDirectories: readonly string[];
    readonly defaultMode?: PermissionMode;
  };
  /** Variables for what the agent starts; this process's own environment goes before them. */
  readonly env: Readonly<Record<string, string>>;
  readonly model?: string;
  readonly outputStyle?: string;
  readonly language?: string;
  /** Parts of the system prompt that are asked for. Default: none. */
  readonly prompt?: PromptSettings;
  /** What was read, the strongest first, for whoever needs more of it. */
  readonly files: readonly SettingsFile[];
  /** One sentence for each thing that does not count, or not as it stands. Without values. */
  readonly warnings: readonly string[];
}

export interface SettingsFile extends SettingsFilePlace {
  readonly content: Fields;
}

/**
 * The settings of this program and those of Claude Code that it understands. Rejects with `SettingsError` for
 * broken files and for values that are not allowed, in files and flags; bad variables are warned of.
 */
export async function readSettingsFiles(options: ReadSettingsOptions): Promise<AgentSettings> {
  const { cwd, home, sources } = options;
  const places = settingsFilePlaces(options).filter(({ source }) => sources?.includes(source) ?? true);
  const problems: SettingsProblem[] = [];
  const warnings: string[] = [];
  const outcomes = await Promise.all(
    places.map(async (place) => ({ place, outcome: await readJsonFile(place.path) })),
  );
  const found = outcomes.flatMap(({ place, outcome }): readonly SettingsFile[] => {
    if (outcome.kind === "bad") problems.push(outcome.problem);
    return outcome.kind === "read" ? [{ ...place, content: outcome.content }] : [];
  });
  const given = options.given === undefined ? undefined : await readGivenJson(options.given);
  if (given?.kind === "bad") problems.push(given.problem);
  const files: readonly SettingsFile[] =
    given?.kind === "read"
      ? [{ path: given.file, source: "user", base: cwd, content: given.content }, ...found]
      : found;
  const read = files.map((file) => readFileSettings(file.content, file));
  for (const one of read) {
    problems.push(...one.problems);
    warnings.push(...one.warnings.map(describeProblem));
  }
  const all = read.map(({ settings }) => settings);
  const env = Object.assign({}, ...all.toReversed().map((one) => one.env)) as Record<string, string>;
  const engine = resolveEngine(options, { files, env });
  problems.push(...engine.problems);
  warnings.push(...engine.warnings);
  const hooks = readHooks(files);
  warnings.push(...hooks.warnings);
  if (problems.length > 0) throw new SettingsError(problems);
  const first = <Key extends "model" | "outputStyle" | "language">(key: Key) => {
    const found = all.find((one) => one[key] !== undefined)?.[key];
    return found === undefined ? {} : { [key]: found };
  };
  const defaultMode = all.find((one) => one.defaultMode !== undefined)?.defaultMode;
  return {
    engine: engine.settings,
    hooks: hooks.settings,
    permissions: {
      allow: all.flatMap(({ allow }) => allow),
      ask: all.flatMap(({ ask }) => ask),
      deny: all.flatMap(({ deny }) => deny),
      additionalDirectories: [...new Set(all.flatMap((one) => one.additionalDirectories))].map((path) =>
        settingsDirectory(path, { cwd, home }),
      ),
      ...(defaultMode === undefined ? {} : { defaultMode }),
    },
    env,
    ...first("model"),
    ...first("outputStyle"),
    ...first("language"),
    prompt: Object.assign(
      {},
      defaultPromptSettings,
      ...all.toReversed().map((one) => one.prompt),
    ) as PromptSettings,
    files,
    warnings,
  };
}

function resolveEngine(
  { flags, env }: ReadSettingsOptions,
  given: { readonly files: readonly SettingsFile[]; readonly env: Readonly<Record<string, string>> },
) {
  const resolved = resolveSettings({
    env: { ...given.env, ...env },
    files: given.files.map(({ path, content }) => ({ name: path, content: withoutNulls(content) })),
    ...(flags === undefined ? {} : { given: flags }),
  });
  const isFlag = (source: string): boolean => source.startsWith("given ");
  const isFile = (source: string): boolean => given.files.some(({ path }) => source.startsWith(`${path}: `));
  return {
    settings: resolved.settings,
    problems: resolved.problems
      .filter(({ source }) => isFlag(source))
      .map(({ source, allowed }) => ({
        file: "command line",
        key: source.replace("given ", ""),
        message: "this value is not allowed",
        allowed,
      })),
    warnings: resolved.problems
      .filter(({ source }) => !isFlag(source) && !isFile(source))
      .map(({ source, allowed }) => `environment: ${source}: this value is passed over; allowed: ${allowed}`),
  };
}

const withoutNulls = (content: Fields): Fields =>
  Object.fromEntries(Object.entries(content).filter(([, value]) => value !== null));

function readHooks(files: readonly SettingsFile[]): {
  readonly settings: HookSettings;
  readonly warnings: readonly string[];
} {
  const read = files.map(({ path, content }) => readHookSettings(content, { file: path }));
  const warnings = read.flatMap(({ problems }) =>
    problems.map(({ key, message, allowed }) => `${key}: ${message}; allowed: ${allowed}`),
  );
  const isDisabled = read.some((one) => one.isDisabled);
  return { settings: isDisabled ? {} : joinHookSettings(read.map(({ hooks }) => hooks)), warnings };
}
