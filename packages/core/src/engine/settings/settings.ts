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
  compactEarly: onOff(true, {
    env: ["PALIMPSEST_COMPACT_EARLY"],
    key: "compactEarly",
    meaning: "whether compaction starts before the window is full where carrying the context on costs more",
  }),
  compactEarlyShare: fraction(0.5, {
    env: ["PALIMPSEST_COMPACT_EARLY_SHARE"],
    key: "compactEarlyShare",
    meaning:
      "share of what autoCompactAt leaves beside system prompt and tools, before which that never happens",
  }),
  compactEarlyLeast: count(60_000, {
    env: ["PALIMPSEST_COMPACT_EARLY_LEAST"],
    key: "compactEarlyLeast",
    meaning: "tokens before which that never happens",
  }),
  compactEarlyPatience: {
    default: 1.3,
    env: ["PALIMPSEST_COMPACT_EARLY_PATIENCE"],
    key: "compactEarlyPatience",
    meaning:
      "how much longer than costs alone would say it is waited: 1 is the cheapest, more remembers more",
    read: readNumber((number) => number > 0 && number <= 100),
    allowed: "a number above 0, at most 100",
  } satisfies SettingDefinition<number> as SettingDefinition<number>,
  warnBuffer: count(20_000, {
    env: ["PALIMPSEST_WARN_BUFFER"],
    key: "warnBuffer",
    meaning: "tokens below the limit at which a warning is shown (a small window: at 88% of the limit)",
  }),
  errorBuffer: count(10_000, {
    env: ["PALIMPSEST_ERROR_BUFFER"],
    key: "errorBuffer",
    meaning:
      "tokens below the limit at which the warning becomes urgent (a small window: at 94% of the limit)",
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
  clearSizeBelow: fraction(0.5, {
    env: ["PALIMPSEST_CLEAR_SIZE_BELOW"],
    key: "clearSizeBelow",
    meaning:
      "share of autoCompactAt that a size-based clearing must get below, or the conversation is compacted instead",
  }),
  clearEagerly: onOff(false, {
    env: ["PALIMPSEST_CLEAR_EAGERLY"],
    key: "clearEagerly",
    meaning: "whether results are cleared by size before the window is full, wherever that pays",
  }),
  clearExpectedTurns: count(20, {
    env: ["PALIMPSEST_CLEAR_EXPECTED_TURNS"],
    key: "clearExpectedTurns",
    meaning: "turns that a conversation is expected to last, for deciding whether a clearing pays",
  }),
  mediaImages: optional(
    count(0, {
      env: ["PALIMPSEST_MEDIA_IMAGES"],
      key: "mediaImages",
      meaning: "images and documents in one request, where the model takes more",
    }),
  ),
  mediaBytes: count(25_165_824, {
    env: ["PALIMPSEST_MEDIA_BYTES"],
    key: "mediaBytes",
    meaning: "bytes of all images and documents in one request, encoded as they are sent",
  }),
  mediaKeepShare: fraction(0.5, {
    env: ["PALIMPSEST_MEDIA_KEEP_SHARE"],
    key: "mediaKeepShare",
    meaning: "share of such a budget that is left once it was exceeded (its low watermark)",
  }),
  keepRecentTokens: count(10_000, {
    env: ["PALIMPSEST_KEEP_RECENT_TOKENS"],
    key: "keepRecentTokens",
    meaning: "tokens of newest whole rounds that a full compaction keeps word for word; 0 for none",
  }),
  keepLastTokens: count(30_000, {
    env: ["PALIMPSEST_KEEP_LAST_TOKENS"],
    key: "keepLastTokens",
    meaning:
      "tokens up to which the very newest round is kept, because the model has not read its results yet",
  }),
  compactFork: onOff(true, {
    env: ["PALIMPSEST_COMPACT_FORK"],
    key: "compactFork",
    meaning: "whether summaries are asked for on the conversation's own cache",
  }),
  compactModel: words({
    env: ["PALIMPSEST_COMPACT_MODEL"],
    key: "compactModel",
    meaning: "the model that writes summaries where the conversation's cache cannot be shared",
  }),
  compactOutputTokens: positiveCount(20_000, {
    env: ["PALIMPSEST_COMPACT_OUTPUT_TOKENS"],
    key: "compactOutputTokens",
    meaning: "tokens that a summary, or an update of the notes, may have beside what the model thinks",
  }),
  compactRetries: count(3, {
    env: ["PALIMPSEST_COMPACT_RETRIES"],
    key: "compactRetries",
    meaning: "attempts with fewer messages after a conversation was too long to be summarised",
  }),
  compactDropShare: fraction(0.2, {
    env: ["PALIMPSEST_COMPACT_DROP_SHARE"],
    key: "compactDropShare",
    meaning: "share of the rounds that such an attempt leaves out where the refusal names no figures",
  }),
  compactDigestTokens: count(2000, {
    env: ["PALIMPSEST_COMPACT_DIGEST_TOKENS"],
    key: "compactDigestTokens",
    meaning: "tokens of the digest that stands for what was left out",
  }),
  compactLeastSaving: fraction(0.1, {
    env: ["PALIMPSEST_COMPACT_LEAST_SAVING"],
    key: "compactLeastSaving",
    meaning: "share by which a compaction must make the context smaller, or it is discarded",
  }),
  compactUserMessageTokens: positiveCount(2000, {
    env: ["PALIMPSEST_COMPACT_USER_MESSAGE_TOKENS"],
    key: "compactUserMessageTokens",
    meaning: "tokens of one message of a person that a summary quotes word for word",
  }),
  compactUserTokens: positiveCount(30_000, {
    env: ["PALIMPSEST_COMPACT_USER_TOKENS"],
    key: "compactUserTokens",
    meaning: "tokens of all such messages; beyond, the oldest shrink first",
  }),
  compactCallsTokens: count(4000, {
    env: ["PALIMPSEST_COMPACT_CALLS_TOKENS"],
    key: "compactCallsTokens",
    meaning: "tokens of the list of the last calls that stands behind a summary; 0 for none",
  }),
  compactNamesTokens: count(4000, {
    env: ["PALIMPSEST_COMPACT_NAMES_TOKENS"],
    key: "compactNamesTokens",
    meaning: "tokens of the list of paths and names in use that stands behind a summary; 0 for none",
  }),
  compactVerify: onOff(true, {
    env: ["PALIMPSEST_COMPACT_VERIFY"],
    key: "compactVerify",
    meaning:
      "whether a model's summary is checked against the messages and mended; without, what it leaves out is lost",
  }),
  compactRestore: onOff(true, {
    env: ["PALIMPSEST_COMPACT_RESTORE"],
    key: "compactRestore",
    meaning: "whether files, plan, todos, skills and background agents come back behind a summary",
  }),
  compactExtractive: onOff(true, {
    env: ["PALIMPSEST_COMPACT_EXTRACTIVE"],
    key: "compactExtractive",
    meaning: "whether a summary is put together without a model where no model could write one",
  }),
  extractiveTokens: positiveCount(10_000, {
    env: ["PALIMPSEST_EXTRACTIVE_TOKENS"],
    key: "extractiveTokens",
    meaning: "tokens of such a summary, quoted messages aside",
  }),
  compactServerWriter: onOff(false, {
    env: ["PALIMPSEST_COMPACT_SERVER_WRITER"],
    key: "compactServerWriter",
    meaning:
      "whether the provider writes the summary itself where thinking is bound to what stands before it; such a summary cannot be checked or mended",
  }),
  notes: onOff(false, {
    env: ["PALIMPSEST_NOTES"],
    key: "notes",
    meaning: "whether notes are kept in the background, so that a compaction needs no model call",
  }),
  notesFirstTokens: count(10_000, {
    env: ["PALIMPSEST_NOTES_FIRST_TOKENS"],
    key: "notesFirstTokens",
    meaning: "tokens of the context from which on notes are kept",
  }),
  notesTokensBetweenUpdates: count(5000, {
    env: ["PALIMPSEST_NOTES_TOKENS_BETWEEN_UPDATES"],
    key: "notesTokensBetweenUpdates",
    meaning: "tokens by which the context has to grow before the notes are brought up to date again",
  }),
  notesToolCallsBetweenUpdates: count(3, {
    env: ["PALIMPSEST_NOTES_TOOL_CALLS_BETWEEN_UPDATES"],
    key: "notesToolCallsBetweenUpdates",
    meaning: "tool calls that have to be made besides, unless the turn has ended",
  }),
  notesSectionTokens: positiveCount(2000, {
    env: ["PALIMPSEST_NOTES_SECTION_TOKENS"],
    key: "notesSectionTokens",
    meaning: "tokens of one section of the notes",
  }),
  notesTokens: positiveCount(12_000, {
    env: ["PALIMPSEST_NOTES_TOKENS"],
    key: "notesTokens",
    meaning: "tokens of all notes",
  }),
  notesTurns: positiveCount(3, {
    env: ["PALIMPSEST_NOTES_TURNS"],
    key: "notesTurns",
    meaning: "answers that one update may take; further ones only where an edit was refused",
  }),
  notesKeepTokens: count(10_000, {
    env: ["PALIMPSEST_NOTES_KEEP_TOKENS"],
    key: "notesKeepTokens",
    meaning: "tokens that a compaction from notes keeps word for word at least",
  }),
  notesKeepMessages: count(5, {
    env: ["PALIMPSEST_NOTES_KEEP_MESSAGES"],
    key: "notesKeepMessages",
    meaning: "messages with text that it keeps at least",
  }),
  notesKeepMostTokens: count(40_000, {
    env: ["PALIMPSEST_NOTES_KEEP_MOST_TOKENS"],
    key: "notesKeepMostTokens",
    meaning: "tokens beyond which it does not go back for that",
  }),
  notesWaitMs: count(15_000, {
    env: ["PALIMPSEST_NOTES_WAIT_MS"],
    key: "notesWaitMs",
    meaning: "milliseconds that a compaction waits for an update that is under way",
  }),
  notesDeadMs: count(60_000, {
    env: ["PALIMPSEST_NOTES_DEAD_MS"],
    key: "notesDeadMs",
    meaning: "milliseconds after which an update counts as dead",
  }),
  reactiveCompact: onOff(true, {
    env: ["PALIMPSEST_REACTIVE_COMPACT"],
    key: "reactiveCompact",
    meaning: "whether a request that the API refuses as too long is compacted and sent again",
  }),
  breakerFailures: positiveCount(3, {
    env: ["PALIMPSEST_BREAKER_FAILURES"],
    key: "breakerFailures",
    meaning: "failed compactions in a row after which automatic ones stop",
  }),
  breakerCooldownMs: positiveCount(600_000, {
    env: ["PALIMPSEST_BREAKER_COOLDOWN_MS"],
    key: "breakerCooldownMs",
    meaning: "milliseconds until one is tried again; doubled each time that fails",
  }),
  recompactionTurns: count(3, {
    env: ["PALIMPSEST_RECOMPACTION_TURNS"],
    key: "recompactionTurns",
    meaning: "responses within which a second compaction is reported as too early",
  }),
  undoResponses: count(20, {
    env: ["PALIMPSEST_UNDO_RESPONSES"],
    key: "undoResponses",
    meaning: "responses after a compaction during which it can be undone; until then its messages are held",
  }),
  subagentResultTokens: positiveCount(10_000, {
    env: ["PALIMPSEST_SUBAGENT_RESULT_TOKENS"],
    key: "subagentResultTokens",
    meaning: "tokens of what a subagent hands back to its parent; the rest goes to a file",
  }),
  compactKeepAliveMs: positiveCount(30_000, {
    env: ["PALIMPSEST_COMPACT_KEEP_ALIVE_MS"],
    key: "compactKeepAliveMs",
    meaning: "milliseconds between two signs of life while a summary is written",
  }),
  restoreFiles: count(2, {
    env: ["PALIMPSEST_RESTORE_FILES"],
    key: "restoreFiles",
    meaning: "files that are read again after a compaction",
  }),
  restoreFileTokens: count(5000, {
    env: ["PALIMPSEST_RESTORE_FILE_TOKENS"],
    key: "restoreFileTokens",
    meaning: "tokens of one file that is read again after a compaction; the rest is cut off",
  }),
  restoreFilesTokens: count(50_000, {
    env: ["PALIMPSEST_RESTORE_FILES_TOKENS"],
    key: "restoreFilesTokens",
    meaning: "tokens of all files that are read again after a compaction",
  }),
  restoreSkillTokens: count(5000, {
    env: ["PALIMPSEST_RESTORE_SKILL_TOKENS"],
    key: "restoreSkillTokens",
    meaning: "tokens of one skill that is shown again after a compaction; the rest is cut off",
  }),
  restoreSkillsTokens: count(25_000, {
    env: ["PALIMPSEST_RESTORE_SKILLS_TOKENS"],
    key: "restoreSkillsTokens",
    meaning: "tokens of all skills that are shown again after a compaction",
  }),
  disablePromptCaching: onOff(false, {
    env: ["PALIMPSEST_DISABLE_PROMPT_CACHING", "DISABLE_PROMPT_CACHING"],
    key: "disablePromptCaching",
    meaning: "sends no cache markers at all",
  }),
  disablePromptCachingModels: patterns([], {
    env: ["PALIMPSEST_DISABLE_PROMPT_CACHING_MODELS"],
    key: "disablePromptCachingModels",
    meaning: "models to which no cache markers are sent",
  }),
  cacheTtl: {
    ...oneOf(["auto", "5m", "1h"], {
      env: ["PALIMPSEST_CACHE_TTL"],
      key: "cacheTtl",
      meaning: "how long cache entries live; auto: an hour where the account may have it and it pays",
    }),
    default: "auto",
  } as SettingDefinition<"auto" | "5m" | "1h">,
  cacheTtlSources: patterns(["repl_main_thread*", "sdk", "agent:*"], {
    env: ["PALIMPSEST_CACHE_TTL_SOURCES"],
    key: "cacheTtlSources",
    meaning: "query sources whose entries may live an hour",
  }),
  cacheImageAnchor: onOff(true, {
    env: ["PALIMPSEST_CACHE_IMAGE_ANCHOR"],
    key: "cacheImageAnchor",
    meaning:
      "whether a blank picture of one token stays behind a compaction that took all pictures away, because the next one would empty the cache of the messages",
  }),
  cacheKeepAlive: onOff(false, {
    env: ["PALIMPSEST_CACHE_KEEP_ALIVE"],
    key: "cacheKeepAlive",
    meaning: "whether pauses are bridged by small requests that only read, where that is expected to pay",
  }),
  cacheKeepAlivePings: count(12, {
    env: ["PALIMPSEST_CACHE_KEEP_ALIVE_PINGS"],
    key: "cacheKeepAlivePings",
    meaning: "such requests in one pause, at most",
  }),
  cacheKeepAliveMargin5m: count(30_000, {
    env: ["PALIMPSEST_CACHE_KEEP_ALIVE_MARGIN_5M"],
    key: "cacheKeepAliveMargin5m",
    meaning: "milliseconds before the end of an entry of five minutes at which one goes out",
  }),
  cacheKeepAliveMargin1h: count(180_000, {
    env: ["PALIMPSEST_CACHE_KEEP_ALIVE_MARGIN_1H"],
    key: "cacheKeepAliveMargin1h",
    meaning: "the same for an entry of an hour",
  }),
  cacheBreakShare: fraction(0.05, {
    env: ["PALIMPSEST_CACHE_BREAK_SHARE"],
    key: "cacheBreakShare",
    meaning: "share of the cached tokens that has to be lost for it to be a cache break",
  }),
  cacheBreakTokens: count(2000, {
    env: ["PALIMPSEST_CACHE_BREAK_TOKENS"],
    key: "cacheBreakTokens",
    meaning: "tokens that have to be lost besides for it to be a cache break",
  }),
  cacheBreakSources: positiveCount(10, {
    env: ["PALIMPSEST_CACHE_BREAK_SOURCES"],
    key: "cacheBreakSources",
    meaning: "query sources whose cache is watched at the same time",
  }),
  cacheBreakExcludedModels: patterns(["*haiku*"], {
    env: ["PALIMPSEST_CACHE_BREAK_EXCLUDED_MODELS"],
    key: "cacheBreakExcludedModels",
    meaning: "models whose cache breaks are not reported, small fast ones by default",
  }),
  cacheBreakDiffs: count(20, {
    env: ["PALIMPSEST_CACHE_BREAK_DIFFS"],
    key: "cacheBreakDiffs",
    meaning: "texts about cache breaks that are kept; 0 for none",
  }),
  cacheBreakDiffBytes: count(65_536, {
    env: ["PALIMPSEST_CACHE_BREAK_DIFF_BYTES"],
    key: "cacheBreakDiffBytes",
    meaning: "bytes of one such text",
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
