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

type Names = Pick<SettingDefinition<unknown>, "env" | "key">;

const count = (value: number, names: Names): SettingDefinition<number> => ({
  ...names,
  default: value,
  read: readNumber((number) => number >= 0 && Number.isInteger(number)),
  allowed: "a whole number, 0 or more",
});

const positiveCount = (value: number, names: Names): SettingDefinition<number> => ({
  ...names,
  default: value,
  read: readNumber((number) => number >= 1 && Number.isInteger(number)),
  allowed: "a whole number, 1 or more",
});

const fraction = (value: number, names: Names): SettingDefinition<number> => ({
  ...names,
  default: value,
  read: readNumber((number) => number > 0 && number <= 1),
  allowed: "a number above 0, at most 1",
});

/** A list of patterns; as a text separated by commas. */
const patterns = (value: readonly string[], names: Names): SettingDefinition<readonly string[]> => ({
  ...names,
  default: value,
  read: (given) => {
    const list: unknown = typeof given === "string" ? given.split(",") : given;
    if (!Array.isArray(list) || !list.every((item) => typeof item === "string")) return undefined;
    return list.map((item) => item.trim()).filter((item) => item !== "");
  },
  allowed: "patterns such as *haiku*, separated by commas",
});

const oneOf = <const Word extends string>(
  words: readonly Word[],
  names: Names,
): SettingDefinition<Word | undefined> => ({
  ...names,
  default: undefined,
  read: (given) => words.find((word) => typeof given === "string" && word === given.trim().toLowerCase()),
  allowed: words.join(", "),
});

const words = (names: Names): SettingDefinition<string | undefined> => ({
  ...names,
  default: undefined,
  read: (given) => (typeof given === "string" && given.trim() !== "" ? given.trim() : undefined),
  allowed: "a text that is not empty",
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
    positiveCount(1, {
      env: ["PALIMPSEST_WINDOW"],
      key: "window",
    }),
  ),
  reserve: count(20_000, {
    env: ["PALIMPSEST_RESERVE"],
    key: "reserve",
  }),
  autoCompactBuffer: count(13_000, {
    env: ["PALIMPSEST_AUTOCOMPACT_BUFFER"],
    key: "autoCompactBuffer",
  }),
  autoCompactPercent: {
    default: undefined,
    env: ["PALIMPSEST_AUTOCOMPACT_PCT", "CLAUDE_AUTOCOMPACT_PCT_OVERRIDE"],
    key: "autoCompactPercent",
    read: readNumber((number) => number > 0 && number <= 100),
    allowed: "a number above 0, at most 100",
  } satisfies SettingDefinition<number | undefined> as SettingDefinition<number | undefined>,
  compactEarly: onOff(true, {
    env: ["PALIMPSEST_COMPACT_EARLY"],
    key: "compactEarly",
  }),
  compactEarlyShare: fraction(0.5, {
    env: ["PALIMPSEST_COMPACT_EARLY_SHARE"],
    key: "compactEarlyShare",
  }),
  compactEarlyLeast: count(60_000, {
    env: ["PALIMPSEST_COMPACT_EARLY_LEAST"],
    key: "compactEarlyLeast",
  }),
  compactEarlyPatience: {
    default: 1.3,
    env: ["PALIMPSEST_COMPACT_EARLY_PATIENCE"],
    key: "compactEarlyPatience",
    read: readNumber((number) => number > 0 && number <= 100),
    allowed: "a number above 0, at most 100",
  } satisfies SettingDefinition<number> as SettingDefinition<number>,
  warnBuffer: count(20_000, {
    env: ["PALIMPSEST_WARN_BUFFER"],
    key: "warnBuffer",
  }),
  errorBuffer: count(10_000, {
    env: ["PALIMPSEST_ERROR_BUFFER"],
    key: "errorBuffer",
  }),
  autoCompactEnabled: onOff(true, {
    env: ["PALIMPSEST_AUTOCOMPACT"],
    key: "autoCompactEnabled",
  }),
  disableCompact: onOff(false, {
    env: ["PALIMPSEST_DISABLE_COMPACT", "DISABLE_COMPACT"],
    key: "disableCompact",
  }),
  disableAutoCompact: onOff(false, {
    env: ["PALIMPSEST_DISABLE_AUTO_COMPACT", "DISABLE_AUTO_COMPACT"],
    key: "disableAutoCompact",
  }),
  disableMicrocompact: onOff(false, {
    env: ["PALIMPSEST_DISABLE_MICROCOMPACT", "DISABLE_MICROCOMPACT"],
    key: "disableMicrocompact",
  }),
  clearIdleMinutes: count(60, {
    env: ["PALIMPSEST_CLEAR_IDLE_MINUTES"],
    key: "clearIdleMinutes",
  }),
  clearIdleKeep: count(5, {
    env: ["PALIMPSEST_CLEAR_IDLE_KEEP"],
    key: "clearIdleKeep",
  }),
  clearCachedTrigger: count(12, {
    env: ["PALIMPSEST_CLEAR_CACHED_TRIGGER"],
    key: "clearCachedTrigger",
  }),
  clearCachedKeep: count(5, {
    env: ["PALIMPSEST_CLEAR_CACHED_KEEP"],
    key: "clearCachedKeep",
  }),
  clearNativeTrigger: count(180_000, {
    env: ["PALIMPSEST_CLEAR_NATIVE_TRIGGER"],
    key: "clearNativeTrigger",
  }),
  clearNativeTriggerShare: fraction(0.75, {
    env: ["PALIMPSEST_CLEAR_NATIVE_TRIGGER_SHARE"],
    key: "clearNativeTriggerShare",
  }),
  clearNativeKeepTokens: count(40_000, {
    env: ["PALIMPSEST_CLEAR_NATIVE_KEEP_TOKENS"],
    key: "clearNativeKeepTokens",
  }),
  clearNativeKeepLeast: count(3, {
    env: ["PALIMPSEST_CLEAR_NATIVE_KEEP_LEAST"],
    key: "clearNativeKeepLeast",
  }),
  clearNativeAtLeast: count(20_000, {
    env: ["PALIMPSEST_CLEAR_NATIVE_AT_LEAST"],
    key: "clearNativeAtLeast",
  }),
  clearSizeTarget: count(40_000, {
    env: ["PALIMPSEST_CLEAR_SIZE_TARGET"],
    key: "clearSizeTarget",
  }),
  clearSizeKeep: count(3, {
    env: ["PALIMPSEST_CLEAR_SIZE_KEEP"],
    key: "clearSizeKeep",
  }),
  clearSizeAtLeast: count(20_000, {
    env: ["PALIMPSEST_CLEAR_SIZE_AT_LEAST"],
    key: "clearSizeAtLeast",
  }),
  clearSizeBelow: fraction(0.5, {
    env: ["PALIMPSEST_CLEAR_SIZE_BELOW"],
    key: "clearSizeBelow",
  }),
  clearEagerly: onOff(false, {
    env: ["PALIMPSEST_CLEAR_EAGERLY"],
    key: "clearEagerly",
  }),
  clearExpectedTurns: count(20, {
    env: ["PALIMPSEST_CLEAR_EXPECTED_TURNS"],
    key: "clearExpectedTurns",
  }),
  mediaImages: optional(
    count(0, {
      env: ["PALIMPSEST_MEDIA_IMAGES"],
      key: "mediaImages",
    }),
  ),
  mediaBytes: count(25_165_824, {
    env: ["PALIMPSEST_MEDIA_BYTES"],
    key: "mediaBytes",
  }),
  mediaKeepShare: fraction(0.5, {
    env: ["PALIMPSEST_MEDIA_KEEP_SHARE"],
    key: "mediaKeepShare",
  }),
  keepRecentTokens: count(10_000, {
    env: ["PALIMPSEST_KEEP_RECENT_TOKENS"],
    key: "keepRecentTokens",
  }),
  keepLastTokens: count(30_000, {
    env: ["PALIMPSEST_KEEP_LAST_TOKENS"],
    key: "keepLastTokens",
  }),
  compactFork: onOff(true, {
    env: ["PALIMPSEST_COMPACT_FORK"],
    key: "compactFork",
  }),
  compactModel: words({
    env: ["PALIMPSEST_COMPACT_MODEL"],
    key: "compactModel",
  }),
  compactOutputTokens: positiveCount(20_000, {
    env: ["PALIMPSEST_COMPACT_OUTPUT_TOKENS"],
    key: "compactOutputTokens",
  }),
  compactRetries: count(3, {
    env: ["PALIMPSEST_COMPACT_RETRIES"],
    key: "compactRetries",
  }),
  compactDropShare: fraction(0.2, {
    env: ["PALIMPSEST_COMPACT_DROP_SHARE"],
    key: "compactDropShare",
  }),
  compactDigestTokens: count(2000, {
    env: ["PALIMPSEST_COMPACT_DIGEST_TOKENS"],
    key: "compactDigestTokens",
  }),
  compactLeastSaving: fraction(0.1, {
    env: ["PALIMPSEST_COMPACT_LEAST_SAVING"],
    key: "compactLeastSaving",
  }),
  compactUserMessageTokens: positiveCount(2000, {
    env: ["PALIMPSEST_COMPACT_USER_MESSAGE_TOKENS"],
    key: "compactUserMessageTokens",
  }),
  compactUserTokens: positiveCount(30_000, {
    env: ["PALIMPSEST_COMPACT_USER_TOKENS"],
    key: "compactUserTokens",
  }),
  compactCallsTokens: count(4000, {
    env: ["PALIMPSEST_COMPACT_CALLS_TOKENS"],
    key: "compactCallsTokens",
  }),
  compactNamesTokens: count(4000, {
    env: ["PALIMPSEST_COMPACT_NAMES_TOKENS"],
    key: "compactNamesTokens",
  }),
  compactVerify: onOff(true, {
    env: ["PALIMPSEST_COMPACT_VERIFY"],
    key: "compactVerify",
  }),
  compactRestore: onOff(true, {
    env: ["PALIMPSEST_COMPACT_RESTORE"],
    key: "compactRestore",
  }),
  compactExtractive: onOff(true, {
    env: ["PALIMPSEST_COMPACT_EXTRACTIVE"],
    key: "compactExtractive",
  }),
  extractiveTokens: positiveCount(10_000, {
    env: ["PALIMPSEST_EXTRACTIVE_TOKENS"],
    key: "extractiveTokens",
  }),
  compactServerWriter: onOff(false, {
    env: ["PALIMPSEST_COMPACT_SERVER_WRITER"],
    key: "compactServerWriter",
  }),
  notes: onOff(false, {
    env: ["PALIMPSEST_NOTES"],
    key: "notes",
  }),
  notesFirstTokens: count(10_000, {
    env: ["PALIMPSEST_NOTES_FIRST_TOKENS"],
    key: "notesFirstTokens",
  }),
  notesTokensBetweenUpdates: count(5000, {
    env: ["PALIMPSEST_NOTES_TOKENS_BETWEEN_UPDATES"],
    key: "notesTokensBetweenUpdates",
  }),
  notesToolCallsBetweenUpdates: count(3, {
    env: ["PALIMPSEST_NOTES_TOOL_CALLS_BETWEEN_UPDATES"],
    key: "notesToolCallsBetweenUpdates",
  }),
  notesSectionTokens: positiveCount(2000, {
    env: ["PALIMPSEST_NOTES_SECTION_TOKENS"],
    key: "notesSectionTokens",
  }),
  notesTokens: positiveCount(12_000, {
    env: ["PALIMPSEST_NOTES_TOKENS"],
    key: "notesTokens",
  }),
  notesTurns: positiveCount(3, {
    env: ["PALIMPSEST_NOTES_TURNS"],
    key: "notesTurns",
  }),
  notesKeepTokens: count(10_000, {
    env: ["PALIMPSEST_NOTES_KEEP_TOKENS"],
    key: "notesKeepTokens",
  }),
  notesKeepMessages: count(5, {
    env: ["PALIMPSEST_NOTES_KEEP_MESSAGES"],
    key: "notesKeepMessages",
  }),
  notesKeepMostTokens: count(40_000, {
    env: ["PALIMPSEST_NOTES_KEEP_MOST_TOKENS"],
    key: "notesKeepMostTokens",
  }),
  notesWaitMs: count(15_000, {
    env: ["PALIMPSEST_NOTES_WAIT_MS"],
    key: "notesWaitMs",
  }),
  notesDeadMs: count(60_000, {
    env: ["PALIMPSEST_NOTES_DEAD_MS"],
    key: "notesDeadMs",
  }),
  reactiveCompact: onOff(true, {
    env: ["PALIMPSEST_REACTIVE_COMPACT"],
    key: "reactiveCompact",
  }),
  breakerFailures: positiveCount(3, {
    env: ["PALIMPSEST_BREAKER_FAILURES"],
    key: "breakerFailures",
  }),
  breakerCooldownMs: positiveCount(600_000, {
    env: ["PALIMPSEST_BREAKER_COOLDOWN_MS"],
    key: "breakerCooldownMs",
  }),
  recompactionTurns: count(3, {
    env: ["PALIMPSEST_RECOMPACTION_TURNS"],
    key: "recompactionTurns",
  }),
  undoResponses: count(20, {
    env: ["PALIMPSEST_UNDO_RESPONSES"],
    key: "undoResponses",
  }),
  responseStallMs: count(1_800_000, {
    env: ["PALIMPSEST_RESPONSE_STALL_MS"],
    key: "responseStallMs",
  }),
  subagentResultTokens: positiveCount(10_000, {
    env: ["PALIMPSEST_SUBAGENT_RESULT_TOKENS"],
    key: "subagentResultTokens",
  }),
  compactKeepAliveMs: positiveCount(30_000, {
    env: ["PALIMPSEST_COMPACT_KEEP_ALIVE_MS"],
    key: "compactKeepAliveMs",
  }),
  restoreFiles: count(2, {
    env: ["PALIMPSEST_RESTORE_FILES"],
    key: "restoreFiles",
  }),
  restoreFileTokens: count(5000, {
    env: ["PALIMPSEST_RESTORE_FILE_TOKENS"],
    key: "restoreFileTokens",
  }),
  restoreFilesTokens: count(50_000, {
    env: ["PALIMPSEST_RESTORE_FILES_TOKENS"],
    key: "restoreFilesTokens",
  }),
  restoreSkillTokens: count(5000, {
    env: ["PALIMPSEST_RESTORE_SKILL_TOKENS"],
    key: "restoreSkillTokens",
  }),
  restoreSkillsTokens: count(25_000, {
    env: ["PALIMPSEST_RESTORE_SKILLS_TOKENS"],
    key: "restoreSkillsTokens",
  }),
  disablePromptCaching: onOff(false, {
    env: ["PALIMPSEST_DISABLE_PROMPT_CACHING", "DISABLE_PROMPT_CACHING"],
    key: "disablePromptCaching",
  }),
  disablePromptCachingModels: patterns([], {
    env: ["PALIMPSEST_DISABLE_PROMPT_CACHING_MODELS"],
    key: "disablePromptCachingModels",
  }),
  cacheTtl: {
    ...oneOf(["auto", "5m", "1h"], {
      env: ["PALIMPSEST_CACHE_TTL"],
      key: "cacheTtl",
    }),
    default: "auto",
  } as SettingDefinition<"auto" | "5m" | "1h">,
  cacheTtlSources: patterns(["repl_main_thread*", "sdk", "agent:*"], {
    env: ["PALIMPSEST_CACHE_TTL_SOURCES"],
    key: "cacheTtlSources",
  }),
  cacheImageAnchor: onOff(true, {
    env: ["PALIMPSEST_CACHE_IMAGE_ANCHOR"],
    key: "cacheImageAnchor",
  }),
  cacheKeepAlive: onOff(false, {
    env: ["PALIMPSEST_CACHE_KEEP_ALIVE"],
    key: "cacheKeepAlive",
  }),
  cacheKeepAlivePings: count(12, {
    env: ["PALIMPSEST_CACHE_KEEP_ALIVE_PINGS"],
    key: "cacheKeepAlivePings",
  }),
  cacheKeepAliveMargin5m: count(30_000, {
    env: ["PALIMPSEST_CACHE_KEEP_ALIVE_MARGIN_5M"],
    key: "cacheKeepAliveMargin5m",
  }),
  cacheKeepAliveMargin1h: count(180_000, {
    env: ["PALIMPSEST_CACHE_KEEP_ALIVE_MARGIN_1H"],
    key: "cacheKeepAliveMargin1h",
  }),
  cacheBreakShare: fraction(0.05, {
    env: ["PALIMPSEST_CACHE_BREAK_SHARE"],
    key: "cacheBreakShare",
  }),
  cacheBreakTokens: count(2000, {
    env: ["PALIMPSEST_CACHE_BREAK_TOKENS"],
    key: "cacheBreakTokens",
  }),
  cacheBreakSources: positiveCount(10, {
    env: ["PALIMPSEST_CACHE_BREAK_SOURCES"],
    key: "cacheBreakSources",
  }),
  cacheBreakExcludedModels: patterns(["*haiku*"], {
    env: ["PALIMPSEST_CACHE_BREAK_EXCLUDED_MODELS"],
    key: "cacheBreakExcludedModels",
  }),
  cacheBreakDiffs: count(20, {
    env: ["PALIMPSEST_CACHE_BREAK_DIFFS"],
    key: "cacheBreakDiffs",
  }),
  cacheBreakDiffBytes: count(65_536, {
    env: ["PALIMPSEST_CACHE_BREAK_DIFF_BYTES"],
    key: "cacheBreakDiffBytes",
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
