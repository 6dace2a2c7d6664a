/**
 * Who in the product supplies each option and reads each setting. A place is `file#declaration`, from `packages/` on; the names
 * beside it are what it supplies or reads. What nobody supplies has a sentence instead. `option-suppliers.test.ts` holds
 * all of it against the code, both ways.
 */
export type Places = Readonly<Record<string, string>>;
/** By name, a sentence that says why. */
type Sentences = Readonly<Record<string, string>>;

const MIDDLE = "core/src/engine/conversation";
const SESSION = "palimpsest/src/agent/session";

interface SuppliedInterface {
  readonly name: string;
  /** Where it is declared. */
  readonly file: string;
  readonly supplied: Places;
  readonly nobody: Sentences;
}

export const interfaces: readonly SuppliedInterface[] = [
  {
    name: "ConversationOptions",
    file: `${MIDDLE}/conversation-options.ts`,
    supplied: {
      [`${SESSION}/shared-conversation.ts#sharedConversation`]: "compaction",
      [`${SESSION}/session.ts#openSession`]: "notes branches stages totals",
    },
    nobody: {},
  },
  {
    name: "HostOptions",
    file: `${MIDDLE}/host-options.ts`,
    supplied: {
      [`${SESSION}/shared-conversation.ts#modelOptions`]: "model maxTokens parameters",
      [`${SESSION}/shared-conversation.ts#sharedConversation`]:
        "sessionId clock ids provider settings account estimator cachedClearing timer",
      [`${SESSION}/shared-conversation.ts#recallOptions`]: "recallHint droppedHint overflow",
      [`${SESSION}/shared-conversation.ts#compactHooks`]: "hooks",
      [`${SESSION}/session.ts#openSession`]:
        "source calibrations gapHistory system tools state writer transcriptPath continuation events cleanup onStatus every diffs keptWarmAt watched",
      [`${SESSION}/start-subagent.ts#createSubagentStart`]: "agentId",
      "core/src/adapters/thread.ts#createThread": "capabilities absentTools",
      "core/src/adapters/adapter-options.ts#AdapterOptions": "compactableTools",
    },
    nobody: {},
  },
  {
    name: "ConversationSystem",
    file: `${MIDDLE}/host-options.ts`,
    supplied: {
      [`${SESSION}/session.ts#openSession`]: "prompt",
      "palimpsest/src/replay/policies/palimpsest.ts#createPalimpsestPolicy": "custom",
    },
    nobody: {},
  },
  {
    name: "RestoreSources",
    file: `${MIDDLE}/host-options.ts`,
    supplied: {
      [`${SESSION}/session.ts#openSession`]:
        "restore ports readState nestedMemory workingDirectory resolvePath exclude",
    },
    nobody: {},
  },
  {
    name: "SessionOptions",
    file: `${SESSION}/session-options.ts`,
    supplied: {
      "palimpsest/src/cli/headless/open-agent.ts#openAgent":
        "cwd home dataDirectory configDirectory env settings sources skills agentTypes style givenPrompt mcp provider account model " +
        "mode id isResumed at source hiddenVariables secrets onNotice onCompaction onEngineEvent recordFolder telemetry signal",
      "palimpsest/src/cli/headless/print.ts#open": "ask approvePlan",
      "palimpsest/src/cli/screen/talk/questions.ts#createQuestions": "askUser",
      "palimpsest/src/cli/screen/run-screen.ts#opener": "beforeEdit reviewSummary onSent",
      "palimpsest/src/cli/demo/demo-session.ts#openDemoSession": "now",
    },
    nobody: {},
  },
];

const CLEAR = "core/src/engine/clear";
const SUMMARISE = "core/src/engine/summarise";
const NOTES = "core/src/engine/notes";
const PROMPT = "core/src/engine/prompt";

export const settingReaders: Places = {
  "palimpsest/src/cli/headless/open-agent.ts#openAccount": "cacheEligible cacheOverage",
  [`${SESSION}/shared-conversation.ts#sharedConversation`]: "estimator clearCached",
  [`${SESSION}/keep-alive.ts#createKeepAlive`]: "cacheKeepAliveDollars",
  "core/src/engine/measure/thresholds.ts#thresholdsFor":
    "window reserve autoCompactBuffer autoCompactPercent warnBuffer errorBuffer autoCompactEnabled disableAutoCompact",
  [`${MIDDLE}/setup.ts#createSetup`]: "compactEarly",
  [`${MIDDLE}/facts.ts#isCachingOn`]: "disablePromptCaching disablePromptCachingModels",
  [`${MIDDLE}/early-threshold.ts#earlyThreshold`]:
    "compactEarlyShare compactEarlyLeast compactEarlyPatience compactEarlyRedone compactEarlyAfter",
  [`${MIDDLE}/decide.ts#clearingAims`]: "clearSizeBelow",
  [`${MIDDLE}/apply.ts#answered`]: "recompactionRounds undoResponses",
  [`${MIDDLE}/compaction-stage.ts#keepRecent`]: "keepLastTokens",
  [`${MIDDLE}/early-threshold.ts#keptTokens`]: "keepRecentTokens keepRedoneTokens",
  [`${MIDDLE}/decide.ts#clearStale`]: "clearEagerly",
  [`${MIDDLE}/conversation.ts#createKeeper`]: "notes",
  [`${MIDDLE}/observe.ts#Observer`]: "reactiveCompact",
  [`${MIDDLE}/notes-keeper.ts#NotesKeeper`]: "notesWaitMs notesDeadMs",
  [`${MIDDLE}/breaker.ts#afterFailure`]: "breakerFailures breakerCooldownMs",
  [`${CLEAR}/decision.ts#blockedReason`]: "disableCompact disableClearing",
  [`${CLEAR}/time-based.ts#decideTimeBased`]: "clearIdleMinutes clearIdleKeep",
  [`${CLEAR}/cached-edits.ts#decideCached`]: "clearCachedTrigger clearCachedKeep",
  [`${CLEAR}/api-native.ts#nativeTrigger`]: "clearNativeTrigger clearNativeTriggerShare",
  [`${CLEAR}/api-native.ts#nativeKeep`]: "clearNativeKeepTokens clearNativeKeepLeast",
  [`${CLEAR}/api-native.ts#decideResults`]: "clearNativeAtLeast",
  [`${CLEAR}/size-based.ts#decideSizeBased`]: "clearSizeTarget clearSizeKeep clearSizeAtLeast",
  [`${CLEAR}/local-clearing.ts#costOf`]: "clearExpectedRounds",
  "core/src/engine/media/media-limits.ts#countBudget": "mediaImages mediaKeepShare",
  "core/src/engine/media/media-limits.ts#bytesBudget": "mediaBytes",
  [`${SUMMARISE}/write-summary.ts#sharesCache`]: "compactFork",
  [`${SUMMARISE}/write-summary.ts#writeOnFork`]: "compactOutputTokens",
  [`${SUMMARISE}/write-summary.ts#writeStreaming`]:
    "compactModel compactRetries compactDropShare compactDigestTokens",
  [`${SUMMARISE}/write-summary.ts#verified`]: "compactVerify",
  [`${SUMMARISE}/write-summary.ts#writersFor`]: "compactExtractive",
  [`${SUMMARISE}/write-summary.ts#wantsServer`]: "compactServerWriter",
  [`${SUMMARISE}/divide/keep-unanswered.ts#contextLimit`]: "compactLeastSaving",
  [`${SUMMARISE}/divide/budgets.ts#summaryBudgets`]:
    "compactUserMessageTokens compactUserTokens extractiveTokens",
  [`${SUMMARISE}/accept/candidate.ts#findWork`]: "compactNamesTokens",
  [`${SUMMARISE}/accept/candidate.ts#imageAnchor`]: "cacheImageAnchor",
  [`${SUMMARISE}/compact.ts#restore`]: "compactRestore",
  [`${SUMMARISE}/compact.ts#createStatus`]: "compactKeepAliveMs",
  [`${NOTES}/trigger.ts#isExtractionDue`]:
    "notesFirstTokens notesTokensBetweenUpdates notesToolCallsBetweenUpdates",
  [`${NOTES}/notes-budget.ts#notesWithinBudget`]: "notesSectionTokens notesTokens",
  [`${NOTES}/extract-notes.ts#extract`]: "notesRounds",
  [`${NOTES}/notes-division.ts#divideForNotes`]: "notesKeepTokens notesKeepMessages notesKeepMostTokens",
  "core/src/engine/settings/settings.ts#resolveSettings": "memory",
  "core/src/engine/restore/channels/files.ts#restoreFiles": "restoreFiles restorePictures restoreFilesTokens",
  "core/src/engine/restore/channels/files.ts#attachTexts": "restoreFileTokens",
  "core/src/engine/restore/channels/skills.ts#restoreSkills": "restoreSkillTokens restoreSkillsTokens",
  [`${PROMPT}/ttl/ttl-state.ts#settledDecision`]: "cacheTtl",
  [`${PROMPT}/ttl/ttl-state.ts#latchTtl`]: "cacheTtlSources",
  [`${PROMPT}/ttl/keep-alive.ts#decideKeepAlive`]: "cacheKeepAlive cacheKeepAlivePings",
  [`${PROMPT}/ttl/keep-alive.ts#marginOf`]: "cacheKeepAliveMargin5m cacheKeepAliveMargin1h",
  "core/src/engine/watch/judge-reading.ts#judgeReading": "cacheBreakShare cacheBreakTokens",
  "core/src/engine/watch/cache-watch.ts#createCacheWatch":
    "cacheBreakSources cacheBreakExcludedModels cacheBreakDiffs cacheBreakDiffBytes",
  "palimpsest/src/cli/headless/open-agent.ts#openAgent": "responseStallMs",
  [`${SESSION}/session.ts#openSession`]: "subagentResultTokens",
};

/** Settings that are read and that change nothing in the agent, for want of a word that would stand in its code. */
export const settingsWithoutEffect: readonly {
  readonly names: string;
  readonly missing: string;
  readonly why: string;
}[] = [];
