/** One setting: its default, its names outside, and what may be given for it. */
export interface SettingDefinition<T> {
  readonly default: T;
  /** Environment variables, the project's own name first. */
  readonly env: readonly string[];
  /** What it is called in a settings file and by callers: its name, then the one it had before. */
  readonly keys: readonly string[];
  /** The value of a text or JSON value; undefined for one that is not allowed. */
  readonly read: (value: unknown) => T | undefined;
  /** What is allowed, for messages. */
  readonly allowed: string;
}

const readNumber =
  (isAllowed: (value: number) => boolean) =>
  (value: unknown): number | undefined => {
    const number = typeof value === "string" && value.trim() !== "" ? Number(value) : value;
    return typeof number === "number" && Number.isFinite(number) && isAllowed(number) ? number : undefined;
  };

const readSwitch = (value: unknown): boolean | undefined => {
  if (typeof value === "boolean") return value;
  if (typeof value !== "string") return undefined;
  const word = value.trim().toLowerCase();
  if (["1", "true", "yes", "on"].includes(word)) return true;
  return ["", "0", "false", "no", "off"].includes(word) ? false : undefined;
};

/** A setting without what follows from its name in the table; `env`: variables beside the one that does. */
type Draft<T> = Omit<SettingDefinition<T>, "keys" | "env"> & Partial<Pick<SettingDefinition<T>, "env">>;

const wholeFrom =
  (least: number) =>
  (value: number, ...env: string[]): Draft<number> => ({
    env,
    default: value,
    read: readNumber((number) => number >= least && Number.isInteger(number)),
    allowed: `a whole number, ${least} or more`,
  });
const count = wholeFrom(0);
const positiveCount = wholeFrom(1);

const upTo =
  (most: number) =>
  (value: number, ...env: string[]): Draft<number> => ({
    env,
    default: value,
    read: readNumber((number) => number > 0 && number <= most),
    allowed: `a number above 0, at most ${most}`,
  });
const fraction = upTo(1);
const hundred = upTo(100);

const amount = (value: number): Draft<number> => ({
  default: value,
  read: readNumber((number) => number >= 0),
  allowed: "a number, 0 or more",
});

/** A list of patterns; as a text separated by commas. */
const patterns = (value: readonly string[]): Draft<readonly string[]> => ({
  default: value,
  read: (given) => {
    const list: unknown = typeof given === "string" ? given.split(",") : given;
    if (!Array.isArray(list) || !list.every((item) => typeof item === "string")) return undefined;
    return list.map((item) => item.trim()).filter((item) => item !== "");
  },
  allowed: "patterns such as *haiku*, separated by commas",
});

const oneOf = <const Word extends string>(words: readonly [Word, ...Word[]]): Draft<Word> => ({
  default: words[0],
  read: (given) => words.find((word) => typeof given === "string" && word === given.trim().toLowerCase()),
  allowed: words.join(", "),
});

const words: Draft<string | undefined> = {
  default: undefined,
  read: (given) => (typeof given === "string" && given.trim() !== "" ? given.trim() : undefined),
  allowed: "a text that is not empty",
};

const onOff = (value: boolean, ...env: string[]): Draft<boolean> => ({
  env,
  default: value,
  read: readSwitch,
  allowed: "true or false",
});

const optional = <T>(definition: Draft<T>): Draft<T | undefined> => ({
  ...definition,
  default: undefined,
});

type Keyed<Table> = {
  readonly [Key in keyof Table]: Table[Key] extends Draft<infer T> ? SettingDefinition<T> : never;
};

/** `cacheTtl` is `PALIMPSEST_CACHE_TTL`. */
const variableOf = (key: string): string =>
  `PALIMPSEST_${key.replaceAll(/([a-z])([A-Z0-9])/g, "$1_$2").toUpperCase()}`;

/** Both names of those settings that were called something else before; of the others the one they have. */
const keysOf = (name: string): readonly string[] => [
  ...new Set([name, name.replace("Rounds", "Turns").replace("Clearing", "Microcompact")]),
];

const keyed = <Table extends Readonly<Record<string, Draft<unknown>>>>(table: Table): Keyed<Table> =>
  Object.fromEntries(
    Object.entries(table).map(([name, draft]) => {
      const keys = keysOf(name);
      return [name, { ...draft, keys, env: [...keys.map(variableOf), ...(draft.env ?? [])] }];
    }),
  ) as unknown as Keyed<Table>;

/** Every setting of the engine. Later stages add theirs. */
export const settingDefinitions = keyed({
  memory: oneOf(["balanced", "thrifty", "faithful"]),
  window: optional(positiveCount(1)),
  reserve: count(20_000),
  autoCompactBuffer: count(13_000, "PALIMPSEST_AUTOCOMPACT_BUFFER"),
  autoCompactPercent: optional(hundred(100, "PALIMPSEST_AUTOCOMPACT_PCT", "CLAUDE_AUTOCOMPACT_PCT_OVERRIDE")),
  compactEarly: onOff(true),
  compactEarlyShare: fraction(0.5),
  compactEarlyLeast: count(60_000),
  compactEarlyPatience: hundred(1.1),
  compactEarlyRedone: amount(0.5),
  compactEarlyAfter: count(10),
  warnBuffer: count(20_000),
  errorBuffer: count(10_000),
  autoCompactEnabled: onOff(true, "PALIMPSEST_AUTOCOMPACT"),
  disableCompact: onOff(false, "DISABLE_COMPACT"),
  disableAutoCompact: onOff(false, "DISABLE_AUTO_COMPACT"),
  disableClearing: onOff(false, "DISABLE_MICROCOMPACT"),
  clearIdleMinutes: count(60),
  clearIdleKeep: count(5),
  estimator: oneOf(["learning", "classic"]),
  clearCached: onOff(false),
  clearCachedTrigger: count(12),
  clearCachedKeep: count(5),
  clearNativeTrigger: count(180_000),
  clearNativeTriggerShare: fraction(0.75),
  clearNativeKeepTokens: count(40_000),
  clearNativeKeepLeast: count(3),
  clearNativeAtLeast: count(20_000),
  clearSizeTarget: count(40_000),
  clearSizeKeep: count(3),
  clearSizeAtLeast: count(20_000),
  clearSizeBelow: fraction(0.5),
  clearEagerly: onOff(false),
  clearExpectedRounds: count(20),
  mediaImages: optional(count(0)),
  mediaBytes: count(25_165_824),
  mediaKeepShare: fraction(0.5),
  keepRecentTokens: count(0),
  keepRedoneTokens: count(20_000),
  keepLastTokens: count(30_000),
  compactFork: onOff(true),
  compactModel: words,
  compactOutputTokens: positiveCount(20_000),
  compactRetries: count(3),
  compactDropShare: fraction(0.2),
  compactDigestTokens: count(2000),
  compactLeastSaving: fraction(0.1),
  compactUserMessageTokens: positiveCount(2000),
  compactUserTokens: positiveCount(30_000),
  compactNamesTokens: count(3500),
  compactVerify: onOff(true),
  compactRestore: onOff(true),
  compactExtractive: onOff(true),
  extractiveTokens: positiveCount(10_000),
  compactServerWriter: onOff(false),
  notes: onOff(false),
  notesFirstTokens: count(10_000),
  notesTokensBetweenUpdates: count(5000),
  notesToolCallsBetweenUpdates: count(3),
  notesSectionTokens: positiveCount(2000),
  notesTokens: positiveCount(12_000),
  notesRounds: positiveCount(3),
  notesKeepTokens: count(10_000),
  notesKeepMessages: count(5),
  notesKeepMostTokens: count(40_000),
  notesWaitMs: count(15_000),
  notesDeadMs: count(60_000),
  reactiveCompact: onOff(true),
  breakerFailures: positiveCount(3),
  breakerCooldownMs: positiveCount(600_000),
  recompactionRounds: count(3),
  undoResponses: count(20),
  responseStallMs: count(1_800_000),
  subagentResultTokens: positiveCount(10_000),
  compactKeepAliveMs: positiveCount(30_000),
  restoreFiles: count(20),
  restorePictures: count(1),
  restoreFileTokens: count(19_000),
  restoreFilesTokens: count(19_000),
  restoreSkillTokens: count(5000),
  restoreSkillsTokens: count(25_000),
  disablePromptCaching: onOff(false, "DISABLE_PROMPT_CACHING"),
  disablePromptCachingModels: patterns([]),
  cacheTtl: oneOf(["auto", "5m", "1h"]),
  cacheEligible: onOff(true),
  cacheOverage: oneOf(["auto", "on", "off"]),
  cacheTtlSources: patterns(["repl_main_thread*", "sdk", "agent:*"]),
  cacheImageAnchor: onOff(true),
  cacheKeepAlive: onOff(false),
  cacheKeepAlivePings: count(12),
  cacheKeepAliveDollars: amount(0.5),
  cacheKeepAliveMargin5m: count(30_000),
  cacheKeepAliveMargin1h: count(180_000),
  cacheBreakShare: fraction(0.05),
  cacheBreakTokens: count(2000),
  cacheBreakSources: positiveCount(10),
  cacheBreakExcludedModels: patterns(["*haiku*"]),
  cacheBreakDiffs: count(20),
  cacheBreakDiffBytes: count(65_536),
});

type Definitions = typeof settingDefinitions;
export type SettingName = keyof Definitions;
export type Settings = {
  readonly [Name in SettingName]: Definitions[Name] extends SettingDefinition<infer T> ? T : never;
};

type FormerName<Name> = Name extends `${infer Start}Rounds`
  ? `${Start}Turns`
  : Name extends "disableClearing"
    ? "disableMicrocompact"
    : never;

/** Settings as callers give them: some, by the names they have or had. Where both are given, the new name counts. */
export type GivenSettings = Partial<
  Settings & { readonly [Name in SettingName as FormerName<Name>]: Settings[Name] }
>;

/** What `memory` stands for: the defaults of other settings. Balanced: as they are in the table. */
export const memorySettings: Readonly<Record<Settings["memory"], Partial<Settings>>> = {
  balanced: {},
  thrifty: {
    compactEarlyPatience: 1,
    compactEarlyRedone: 0.2,
    compactNamesTokens: 2000,
    restoreFilesTokens: 8000,
  },
  faithful: {
    compactEarlyPatience: 2,
    compactEarlyRedone: 1,
    compactNamesTokens: 4000,
    keepRecentTokens: 10_000,
    restoreFilesTokens: 40_000,
    restoreFileTokens: 40_000,
  },
};

/** What every setting is unless somebody says otherwise. */
export const defaultSettings: Settings = Object.fromEntries(
  Object.entries(settingDefinitions).map(([name, definition]) => [name, definition.default]),
) as unknown as Settings;

export interface SettingProblem {
  readonly name: SettingName;
  /** Where it was given: a variable's name, or a file's key. */
  readonly source: string;
  readonly value: string;
  readonly allowed: string;
}

export interface SettingSources {
  /** Flags of the command line and options of the library. */
  readonly given?: GivenSettings;
  readonly env?: Readonly<Record<string, string | undefined>>;
  /** Contents of settings files, the strongest first, each with the name to show. */
  readonly files?: readonly { readonly name: string; readonly content: Readonly<Record<string, unknown>> }[];
}

export interface ResolvedSettings {
  readonly settings: Settings;
  /** Values that are not allowed and were passed over; for flags and files the caller should refuse. */
  readonly problems: readonly SettingProblem[];
}

/** Given over environment over files over what `memory` stands for over defaults. */
export function resolveSettings({ given = {}, env = {}, files = [] }: SettingSources = {}): ResolvedSettings {
  const problems: SettingProblem[] = [];
  const settings: { -readonly [Name in SettingName]?: unknown } = {};
  for (const [key, definition] of Object.entries(settingDefinitions)) {
    const name = key as SettingName;
    const { keys, read, allowed } = definition;
    const found = [
      ...candidates("given ", given, keys),
      ...candidates("", env, definition.env),
      ...files.flatMap((file) => candidates(`${file.name}: `, file.content, keys)),
    ].find(({ source, value }) => {
      const isFine = read(value) !== undefined;
      if (!isFine) problems.push({ name, source, value: String(value), allowed });
      return isFine;
    });
    // `memory` stands first in the table.
    const chosen: Partial<Settings> | undefined = memorySettings[settings.memory as Settings["memory"]];
    settings[name] = found === undefined ? (chosen?.[name] ?? definition.default) : read(found.value);
  }
  return { settings: settings as unknown as Settings, problems };
}

const candidates = (
  place: string,
  values: Readonly<Record<string, unknown>>,
  names: readonly string[],
): readonly { readonly source: string; readonly value: unknown }[] =>
  names.flatMap((name) => {
    const value = values[name];
    return value === undefined ? [] : [{ source: place + name, value }];
  });
