/** One setting: its default, its names outside, and what may be given for it. */
export interface SettingDefinition<T> {
  readonly default: T;
  /** Environment variables, the project's own name first. */
  readonly env: readonly string[];
  /** The key in a settings file. */
  readonly key: string;
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

/** A setting before it has a key: that is the name it has in the table. */
type Draft<T> = Omit<SettingDefinition<T>, "key">;
type Names = Pick<SettingDefinition<unknown>, "env">;

const count = (value: number, names: Names): Draft<number> => ({
  ...names,
  default: value,
  read: readNumber((number) => number >= 0 && Number.isInteger(number)),
  allowed: "a whole number, 0 or more",
});

const positiveCount = (value: number, names: Names): Draft<number> => ({
  ...names,
  default: value,
  read: readNumber((number) => number >= 1 && Number.isInteger(number)),
  allowed: "a whole number, 1 or more",
});

const fraction = (value: number, names: Names): Draft<number> => ({
  ...names,
  default: value,
  read: readNumber((number) => number > 0 && number <= 1),
  allowed: "a number above 0, at most 1",
});

/** A list of patterns; as a text separated by commas. */
const patterns = (value: readonly string[], names: Names): Draft<readonly string[]> => ({
  ...names,
  default: value,
  read: (given) => {
    const list: unknown = typeof given === "string" ? given.split(",") : given;
    if (!Array.isArray(list) || !list.every((item) => typeof item === "string")) return undefined;
    return list.map((item) => item.trim()).filter((item) => item !== "");
  },
  allowed: "patterns such as *haiku*, separated by commas",
});

const oneOf = <const Word extends string>(words: readonly Word[], names: Names): Draft<Word | undefined> => ({
  ...names,
  default: undefined,
  read: (given) => words.find((word) => typeof given === "string" && word === given.trim().toLowerCase()),
  allowed: words.join(", "),
});

const words = (names: Names): Draft<string | undefined> => ({
  ...names,
  default: undefined,
  read: (given) => (typeof given === "string" && given.trim() !== "" ? given.trim() : undefined),
  allowed: "a text that is not empty",
});

const onOff = (value: boolean, names: Names): Draft<boolean> => ({
  ...names,
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

const keyed = <Table extends Readonly<Record<string, Draft<unknown>>>>(table: Table): Keyed<Table> =>
  Object.fromEntries(Object.entries(table).map(([key, draft]) => [key, { ...draft, key }])) as Keyed<Table>;

/** Every setting of the engine. Later stages add theirs. */
export const settingDefinitions = keyed({
  window: optional(
    positiveCount(1, {
      env: ["PALIMPSEST_WINDOW"],
    }),
  ),
  reserve: count(20_000, {
    env: ["PALIMPSEST_RESERVE"],
  }),
  autoCompactBuffer: count(13_000, {
    env: ["PALIMPSEST_AUTOCOMPACT_BUFFER"],
  }),
  autoCompactPercent: {
    default: undefined,
    env: ["PALIMPSEST_AUTOCOMPACT_PCT", "CLAUDE_AUTOCOMPACT_PCT_OVERRIDE"],
    read: readNumber((number) => number > 0 && number <= 100),
    allowed: "a number above 0, at most 100",
  } satisfies Draft<number | undefined>,
  compactEarly: onOff(true, {
    env: ["PALIMPSEST_COMPACT_EARLY"],
  }),
  compactEarlyShare: fraction(0.5, {
    env: ["PALIMPSEST_COMPACT_EARLY_SHARE"],
  }),
  compactEarlyLeast: count(60_000, {
    env: ["PALIMPSEST_COMPACT_EARLY_LEAST"],
  }),
  compactEarlyPatience: {
    default: 1.3,
    env: ["PALIMPSEST_COMPACT_EARLY_PATIENCE"],
    read: readNumber((number) => number > 0 && number <= 100),
    allowed: "a number above 0, at most 100",
  } satisfies Draft<number>,
  warnBuffer: count(20_000, {
    env: ["PALIMPSEST_WARN_BUFFER"],
  }),
  errorBuffer: count(10_000, {
    env: ["PALIMPSEST_ERROR_BUFFER"],
  }),
  autoCompactEnabled: onOff(true, {
    env: ["PALIMPSEST_AUTOCOMPACT"],
  }),
  disableCompact: onOff(false, {
    env: ["PALIMPSEST_DISABLE_COMPACT", "DISABLE_COMPACT"],
  }),
  disableAutoCompact: onOff(false, {
    env: ["PALIMPSEST_DISABLE_AUTO_COMPACT", "DISABLE_AUTO_COMPACT"],
  }),
  disableMicrocompact: onOff(false, {
    env: ["PALIMPSEST_DISABLE_MICROCOMPACT", "DISABLE_MICROCOMPACT"],
  }),
  clearIdleMinutes: count(60, {
    env: ["PALIMPSEST_CLEAR_IDLE_MINUTES"],
  }),
  clearIdleKeep: count(5, {
    env: ["PALIMPSEST_CLEAR_IDLE_KEEP"],
  }),
  clearCachedTrigger: count(12, {
    env: ["PALIMPSEST_CLEAR_CACHED_TRIGGER"],
  }),
  clearCachedKeep: count(5, {
    env: ["PALIMPSEST_CLEAR_CACHED_KEEP"],
  }),
  clearNativeTrigger: count(180_000, {
    env: ["PALIMPSEST_CLEAR_NATIVE_TRIGGER"],
  }),
  clearNativeTriggerShare: fraction(0.75, {
    env: ["PALIMPSEST_CLEAR_NATIVE_TRIGGER_SHARE"],
  }),
  clearNativeKeepTokens: count(40_000, {
    env: ["PALIMPSEST_CLEAR_NATIVE_KEEP_TOKENS"],
  }),
  clearNativeKeepLeast: count(3, {
    env: ["PALIMPSEST_CLEAR_NATIVE_KEEP_LEAST"],
  }),
  clearNativeAtLeast: count(20_000, {
    env: ["PALIMPSEST_CLEAR_NATIVE_AT_LEAST"],
  }),
  clearSizeTarget: count(40_000, {
    env: ["PALIMPSEST_CLEAR_SIZE_TARGET"],
  }),
  clearSizeKeep: count(3, {
    env: ["PALIMPSEST_CLEAR_SIZE_KEEP"],
  }),
  clearSizeAtLeast: count(20_000, {
    env: ["PALIMPSEST_CLEAR_SIZE_AT_LEAST"],
  }),
  clearSizeBelow: fraction(0.5, {
    env: ["PALIMPSEST_CLEAR_SIZE_BELOW"],
  }),
  clearEagerly: onOff(false, {
    env: ["PALIMPSEST_CLEAR_EAGERLY"],
  }),
  clearExpectedTurns: count(20, {
    env: ["PALIMPSEST_CLEAR_EXPECTED_TURNS"],
  }),
  mediaImages: optional(
    count(0, {
      env: ["PALIMPSEST_MEDIA_IMAGES"],
    }),
  ),
  mediaBytes: count(25_165_824, {
    env: ["PALIMPSEST_MEDIA_BYTES"],
  }),
  mediaKeepShare: fraction(0.5, {
    env: ["PALIMPSEST_MEDIA_KEEP_SHARE"],
  }),
  keepRecentTokens: count(10_000, {
    env: ["PALIMPSEST_KEEP_RECENT_TOKENS"],
  }),
  keepLastTokens: count(30_000, {
    env: ["PALIMPSEST_KEEP_LAST_TOKENS"],
  }),
  compactFork: onOff(true, {
    env: ["PALIMPSEST_COMPACT_FORK"],
  }),
  compactModel: words({
    env: ["PALIMPSEST_COMPACT_MODEL"],
  }),
  compactOutputTokens: positiveCount(20_000, {
    env: ["PALIMPSEST_COMPACT_OUTPUT_TOKENS"],
  }),
  compactRetries: count(3, {
    env: ["PALIMPSEST_COMPACT_RETRIES"],
  }),
  compactDropShare: fraction(0.2, {
    env: ["PALIMPSEST_COMPACT_DROP_SHARE"],
  }),
  compactDigestTokens: count(2000, {
    env: ["PALIMPSEST_COMPACT_DIGEST_TOKENS"],
  }),
  compactLeastSaving: fraction(0.1, {
    env: ["PALIMPSEST_COMPACT_LEAST_SAVING"],
  }),
  compactUserMessageTokens: positiveCount(2000, {
    env: ["PALIMPSEST_COMPACT_USER_MESSAGE_TOKENS"],
  }),
  compactUserTokens: positiveCount(30_000, {
    env: ["PALIMPSEST_COMPACT_USER_TOKENS"],
  }),
  compactCallsTokens: count(4000, {
    env: ["PALIMPSEST_COMPACT_CALLS_TOKENS"],
  }),
  compactNamesTokens: count(4000, {
    env: ["PALIMPSEST_COMPACT_NAMES_TOKENS"],
  }),
  compactVerify: onOff(true, {
    env: ["PALIMPSEST_COMPACT_VERIFY"],
  }),
  compactRestore: onOff(true, {
    env: ["PALIMPSEST_COMPACT_RESTORE"],
  }),
  compactExtractive: onOff(true, {
    env: ["PALIMPSEST_COMPACT_EXTRACTIVE"],
  }),
  extractiveTokens: positiveCount(10_000, {
    env: ["PALIMPSEST_EXTRACTIVE_TOKENS"],
  }),
  compactServerWriter: onOff(false, {
    env: ["PALIMPSEST_COMPACT_SERVER_WRITER"],
  }),
  notes: onOff(false, {
    env: ["PALIMPSEST_NOTES"],
  }),
  notesFirstTokens: count(10_000, {
    env: ["PALIMPSEST_NOTES_FIRST_TOKENS"],
  }),
  notesTokensBetweenUpdates: count(5000, {
    env: ["PALIMPSEST_NOTES_TOKENS_BETWEEN_UPDATES"],
  }),
  notesToolCallsBetweenUpdates: count(3, {
    env: ["PALIMPSEST_NOTES_TOOL_CALLS_BETWEEN_UPDATES"],
  }),
  notesSectionTokens: positiveCount(2000, {
    env: ["PALIMPSEST_NOTES_SECTION_TOKENS"],
  }),
  notesTokens: positiveCount(12_000, {
    env: ["PALIMPSEST_NOTES_TOKENS"],
  }),
  notesTurns: positiveCount(3, {
    env: ["PALIMPSEST_NOTES_TURNS"],
  }),
  notesKeepTokens: count(10_000, {
    env: ["PALIMPSEST_NOTES_KEEP_TOKENS"],
  }),
  notesKeepMessages: count(5, {
    env: ["PALIMPSEST_NOTES_KEEP_MESSAGES"],
  }),
  notesKeepMostTokens: count(40_000, {
    env: ["PALIMPSEST_NOTES_KEEP_MOST_TOKENS"],
  }),
  notesWaitMs: count(15_000, {
    env: ["PALIMPSEST_NOTES_WAIT_MS"],
  }),
  notesDeadMs: count(60_000, {
    env: ["PALIMPSEST_NOTES_DEAD_MS"],
  }),
  reactiveCompact: onOff(true, {
    env: ["PALIMPSEST_REACTIVE_COMPACT"],
  }),
  breakerFailures: positiveCount(3, {
    env: ["PALIMPSEST_BREAKER_FAILURES"],
  }),
  breakerCooldownMs: positiveCount(600_000, {
    env: ["PALIMPSEST_BREAKER_COOLDOWN_MS"],
  }),
  recompactionTurns: count(3, {
    env: ["PALIMPSEST_RECOMPACTION_TURNS"],
  }),
  undoResponses: count(20, {
    env: ["PALIMPSEST_UNDO_RESPONSES"],
  }),
  responseStallMs: count(1_800_000, {
    env: ["PALIMPSEST_RESPONSE_STALL_MS"],
  }),
  subagentResultTokens: positiveCount(10_000, {
    env: ["PALIMPSEST_SUBAGENT_RESULT_TOKENS"],
  }),
  compactKeepAliveMs: positiveCount(30_000, {
    env: ["PALIMPSEST_COMPACT_KEEP_ALIVE_MS"],
  }),
  restoreFiles: count(2, {
    env: ["PALIMPSEST_RESTORE_FILES"],
  }),
  restoreFileTokens: count(5000, {
    env: ["PALIMPSEST_RESTORE_FILE_TOKENS"],
  }),
  restoreFilesTokens: count(50_000, {
    env: ["PALIMPSEST_RESTORE_FILES_TOKENS"],
  }),
  restoreSkillTokens: count(5000, {
    env: ["PALIMPSEST_RESTORE_SKILL_TOKENS"],
  }),
  restoreSkillsTokens: count(25_000, {
    env: ["PALIMPSEST_RESTORE_SKILLS_TOKENS"],
  }),
  disablePromptCaching: onOff(false, {
    env: ["PALIMPSEST_DISABLE_PROMPT_CACHING", "DISABLE_PROMPT_CACHING"],
  }),
  disablePromptCachingModels: patterns([], {
    env: ["PALIMPSEST_DISABLE_PROMPT_CACHING_MODELS"],
  }),
  cacheTtl: {
    ...oneOf(["auto", "5m", "1h"], {
      env: ["PALIMPSEST_CACHE_TTL"],
    }),
    default: "auto",
  } satisfies Draft<"auto" | "5m" | "1h">,
  cacheTtlSources: patterns(["repl_main_thread*", "sdk", "agent:*"], {
    env: ["PALIMPSEST_CACHE_TTL_SOURCES"],
  }),
  cacheImageAnchor: onOff(true, {
    env: ["PALIMPSEST_CACHE_IMAGE_ANCHOR"],
  }),
  cacheKeepAlive: onOff(false, {
    env: ["PALIMPSEST_CACHE_KEEP_ALIVE"],
  }),
  cacheKeepAlivePings: count(12, {
    env: ["PALIMPSEST_CACHE_KEEP_ALIVE_PINGS"],
  }),
  cacheKeepAliveMargin5m: count(30_000, {
    env: ["PALIMPSEST_CACHE_KEEP_ALIVE_MARGIN_5M"],
  }),
  cacheKeepAliveMargin1h: count(180_000, {
    env: ["PALIMPSEST_CACHE_KEEP_ALIVE_MARGIN_1H"],
  }),
  cacheBreakShare: fraction(0.05, {
    env: ["PALIMPSEST_CACHE_BREAK_SHARE"],
  }),
  cacheBreakTokens: count(2000, {
    env: ["PALIMPSEST_CACHE_BREAK_TOKENS"],
  }),
  cacheBreakSources: positiveCount(10, {
    env: ["PALIMPSEST_CACHE_BREAK_SOURCES"],
  }),
  cacheBreakExcludedModels: patterns(["*haiku*"], {
    env: ["PALIMPSEST_CACHE_BREAK_EXCLUDED_MODELS"],
  }),
  cacheBreakDiffs: count(20, {
    env: ["PALIMPSEST_CACHE_BREAK_DIFFS"],
  }),
  cacheBreakDiffBytes: count(65_536, {
    env: ["PALIMPSEST_CACHE_BREAK_DIFF_BYTES"],
  }),
});

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
  { env, key }: Pick<SettingDefinition<unknown>, "env" | "key">,
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
