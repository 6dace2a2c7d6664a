/** One setting: its default, its names outside, and what may be given for it. */
export interface SettingDefinition<T> {
  readonly default: T;
  /** Environment variables, the project's own name first. */
  readonly env: readonly string[];
  /** The key in a settings file. */
  readonly key: string;
  readonly meaning: string;
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

type Names = Pick<SettingDefinition<unknown>, "env" | "key" | "meaning">;

const count = (value: number, names: Names): SettingDefinition<number> => ({
  ...names,
  default: value,
  read: readNumber((number) => number >= 0 && Number.isInteger(number)),
  allowed: "a whole number, 0 or more",
});

const positive = (names: Names): SettingDefinition<number> => ({
  ...names,
  default: 1,
  read: readNumber((number) => number >= 1 && Number.isInteger(number)),
  allowed: "a whole number, 1 or more",
});

const fraction = (value: number, names: Names): SettingDefinition<number> => ({
  ...names,
  default: value,
  read: readNumber((number) => number > 0 && number <= 1),
  allowed: "a number above 0, at most 1",
});

const onOff = (value: boolean, names: Names): SettingDefinition<boolean> => ({
  ...names,
  default: value,
  read: readSwitch,
  allowed: "true or false",
});

const optional = <T>(definition: SettingDefinition<T>): SettingDefinition<T | undefined> => ({
  ...definition,
  default: undefined,
});

/** Every setting of the engine. Later stages add theirs. */
export const settingDefinitions = {
  window: optional(
    positive({
      env: ["PALIMPSEST_WINDOW"],
      key: "window",
      meaning: "tokens of the context window, in place of the model's own",
    }),
  ),
  reserve: count(20_000, {
    env: ["PALIMPSEST_RESERVE"],
    key: "reserve",
    meaning: "tokens kept free for the answer or the summary",
  }),
  autoCompactBuffer: count(13_000, {
    env: ["PALIMPSEST_AUTOCOMPACT_BUFFER"],
    key: "autoCompactBuffer",
    meaning: "tokens below the effective window at which compaction starts by itself",
  }),
  autoCompactPercent: {
    default: undefined,
    env: ["PALIMPSEST_AUTOCOMPACT_PCT", "CLAUDE_AUTOCOMPACT_PCT_OVERRIDE"],
    key: "autoCompactPercent",
    meaning:
      "percent of the effective window at which compaction starts by itself; never later than the default",
    read: readNumber((number) => number > 0 && number <= 100),
    allowed: "a number above 0, at most 100",
  } satisfies SettingDefinition<number | undefined> as SettingDefinition<number | undefined>,
  warnBuffer: count(20_000, {
    env: ["PALIMPSEST_WARN_BUFFER"],
    key: "warnBuffer",
    meaning: "tokens below the limit at which a warning is shown",
  }),
  errorBuffer: count(20_000, {
    env: ["PALIMPSEST_ERROR_BUFFER"],
    key: "errorBuffer",
    meaning: "tokens below the limit at which the warning becomes urgent",
  }),
  autoCompactEnabled: onOff(true, {
    env: ["PALIMPSEST_AUTOCOMPACT"],
    key: "autoCompactEnabled",
    meaning: "whether compaction starts by itself",
  }),
  disableCompact: onOff(false, {
    env: ["PALIMPSEST_DISABLE_COMPACT", "DISABLE_COMPACT"],
    key: "disableCompact",
    meaning: "turns all compaction off",
  }),
  disableAutoCompact: onOff(false, {
    env: ["PALIMPSEST_DISABLE_AUTO_COMPACT", "DISABLE_AUTO_COMPACT"],
    key: "disableAutoCompact",
    meaning: "turns the automatic trigger off",
  }),
  disableMicrocompact: onOff(false, {
    env: ["PALIMPSEST_DISABLE_MICROCOMPACT", "DISABLE_MICROCOMPACT"],
    key: "disableMicrocompact",
    meaning: "turns the clearing of old tool results off",
  }),
  clearIdleMinutes: count(60, {
    env: ["PALIMPSEST_CLEAR_IDLE_MINUTES"],
    key: "clearIdleMinutes",
    meaning: "minutes since the last response after which old results are cleared (the cache is cold anyway)",
  }),
  clearIdleKeep: count(5, {
    env: ["PALIMPSEST_CLEAR_IDLE_KEEP"],
    key: "clearIdleKeep",
    meaning: "newest results that the time-based clearing keeps",
  }),
  clearCachedTrigger: count(12, {
    env: ["PALIMPSEST_CLEAR_CACHED_TRIGGER"],
    key: "clearCachedTrigger",
    meaning: "active results at which deletions inside the provider's cache start",
  }),
  clearCachedKeep: count(5, {
    env: ["PALIMPSEST_CLEAR_CACHED_KEEP"],
    key: "clearCachedKeep",
    meaning: "newest results that deletions inside the provider's cache keep",
  }),
  clearNativeTrigger: count(180_000, {
    env: ["PALIMPSEST_CLEAR_NATIVE_TRIGGER"],
    key: "clearNativeTrigger",
    meaning: "input tokens at which the provider clears results itself, where that lies below autoCompactAt",
  }),
  clearNativeTriggerShare: fraction(0.75, {
    env: ["PALIMPSEST_CLEAR_NATIVE_TRIGGER_SHARE"],
    key: "clearNativeTriggerShare",
    meaning: "share of the effective window at which it does otherwise",
  }),
  clearNativeKeepTokens: count(40_000, {
    env: ["PALIMPSEST_CLEAR_NATIVE_KEEP_TOKENS"],
    key: "clearNativeKeepTokens",
    meaning: "tokens of newest results that the provider keeps",
  }),
  clearNativeKeepLeast: count(3, {
    env: ["PALIMPSEST_CLEAR_NATIVE_KEEP_LEAST"],
    key: "clearNativeKeepLeast",
    meaning: "results that the provider keeps at least",
  }),
  clearNativeAtLeast: count(20_000, {
    env: ["PALIMPSEST_CLEAR_NATIVE_AT_LEAST"],
    key: "clearNativeAtLeast",
    meaning: "tokens that the provider clears at least, or nothing",
  }),
  clearSizeTarget: count(40_000, {
    env: ["PALIMPSEST_CLEAR_SIZE_TARGET"],
    key: "clearSizeTarget",
    meaning: "tokens of compactable results that a size-based clearing leaves (its low watermark)",
  }),
  clearSizeKeep: count(3, {
    env: ["PALIMPSEST_CLEAR_SIZE_KEEP"],
    key: "clearSizeKeep",
    meaning: "newest results that a size-based clearing keeps",
  }),
  clearSizeAtLeast: count(20_000, {
    env: ["PALIMPSEST_CLEAR_SIZE_AT_LEAST"],
    key: "clearSizeAtLeast",
    meaning: "tokens that a size-based clearing frees at least, or it does nothing",
  }),
  clearExpectedTurns: count(20, {
    env: ["PALIMPSEST_CLEAR_EXPECTED_TURNS"],
    key: "clearExpectedTurns",
    meaning: "turns that a conversation is expected to last, for deciding whether a clearing pays",
  }),
} as const;

type Definitions = typeof settingDefinitions;
export type SettingName = keyof Definitions;
export type Settings = {
  readonly [Name in SettingName]: Definitions[Name] extends SettingDefinition<infer T> ? T : never;
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
  readonly given?: Partial<Settings>;
  readonly env?: Readonly<Record<string, string | undefined>>;
  /** Contents of settings files, the strongest first, each with the name to show. */
  readonly files?: readonly { readonly name: string; readonly content: Readonly<Record<string, unknown>> }[];
}

export interface ResolvedSettings {
  readonly settings: Settings;
  /** Values that are not allowed and were passed over; for flags and files the caller should refuse. */
  readonly problems: readonly SettingProblem[];
}

/** Given over environment over files over defaults. */
export function resolveSettings(sources: SettingSources = {}): ResolvedSettings {
  const problems: SettingProblem[] = [];
  const resolved = Object.entries(settingDefinitions).map(([key, definition]) => {
    const name = key as SettingName;
    const found = candidates(name, definition, sources).find(({ source, value }) => {
      const isFine = definition.read(value) !== undefined;
      if (!isFine) problems.push({ name, source, value: String(value), allowed: definition.allowed });
      return isFine;
    });
    return [name, found === undefined ? definition.default : definition.read(found.value)];
  });
  return { settings: Object.fromEntries(resolved) as Settings, problems };
}

function candidates(
  name: SettingName,
  { env, key }: Names,
  sources: SettingSources,
): readonly { readonly source: string; readonly value: unknown }[] {
  const given: unknown = sources.given?.[name];
  const fromCaller = given === undefined ? [] : [{ source: `given ${key}`, value: given }];
  const fromEnvironment = env.flatMap((variable) => {
    const value = sources.env?.[variable];
    return value === undefined ? [] : [{ source: variable, value }];
  });
  const fromFiles = (sources.files ?? []).flatMap(({ name, content }) =>
    Object.hasOwn(content, key) ? [{ source: `${name}: ${key}`, value: content[key] }] : [],
  );
  return [...fromCaller, ...fromEnvironment, ...fromFiles];
}
