import type { Settings } from "./settings.js";

/** What each setting means, for people: docs/settings.md is made of it. Apart, because no program needs to load it. */
export const settingMeanings: Readonly<Record<keyof Settings, string>> = {
  memory:
    "how much is remembered, for how much money: thrifty, balanced or faithful; the defaults of six other settings (docs/results.md, One dial)",
  window: "tokens of the context window, in place of the model's own",
  reserve: "tokens kept free for the answer or the summary",
  autoCompactBuffer: "tokens below the effective window at which compaction starts by itself",
  autoCompactPercent:
    "percent of the effective window at which compaction starts by itself; never later than the default",
  compactEarly:
    "whether compaction starts before the window is full where carrying the context on costs more",
  compactEarlyShare:
    "share of what autoCompactAt leaves beside system prompt and tools, before which that never happens",
  compactEarlyLeast: "tokens before which that never happens",
  compactEarlyAfter:
    "rounds after a compaction, or after the start, before which that never happens while the cache is warm",
  compactEarlyRedone:
    "how much longer it is waited for each call that had to be made again after a compaction, with the same answer; as a share",
  compactEarlyPatience:
    "how much longer than costs alone would say it is waited: 1 is the cheapest, more remembers more",
  warnBuffer: "tokens below the limit at which a warning is shown (a small window: at 88% of the limit)",
  errorBuffer:
    "tokens below the limit at which the warning becomes urgent (a small window: at 94% of the limit)",
  autoCompactEnabled: "whether compaction starts by itself",
  disableCompact: "turns all compaction off",
  disableAutoCompact: "turns the automatic trigger off",
  disableClearing: "turns the clearing of old tool results off",
  clearIdleMinutes:
    "minutes since the last response after which old results are cleared (the cache is cold anyway)",
  clearIdleKeep: "newest results that the time-based clearing keeps",
  estimator:
    "how the agent counts tokens of what was not sent yet; classic: a quarter of the characters, and a third more",
  clearCached: "deletes old results inside the provider's cache, for a server that offers it (cache_edits)",
  clearCachedTrigger: "active results at which deletions inside the provider's cache start",
  clearCachedKeep: "newest results that deletions inside the provider's cache keep",
  clearNativeTrigger:
    "input tokens at which the provider clears results itself, where that lies below autoCompactAt",
  clearNativeTriggerShare: "share of the effective window at which it does otherwise",
  clearNativeKeepTokens: "tokens of newest results that the provider keeps",
  clearNativeKeepLeast: "results that the provider keeps at least",
  clearNativeAtLeast: "tokens that the provider clears at least, or nothing",
  clearSizeTarget: "tokens of compactable results that a size-based clearing leaves (its low watermark)",
  clearSizeKeep: "newest results that a size-based clearing keeps",
  clearSizeAtLeast: "tokens that a size-based clearing frees at least, or it does nothing",
  clearSizeBelow:
    "share of autoCompactAt that a size-based clearing must get below, or the conversation is compacted instead",
  clearEagerly: "whether results are cleared by size before the window is full, wherever that pays",
  clearExpectedRounds: "rounds that a conversation is expected to last, for deciding whether a clearing pays",
  mediaImages: "images and documents in one request, where the model takes more",
  mediaBytes: "bytes of all images and documents in one request, encoded as they are sent",
  mediaKeepShare: "share of such a budget that is left once it was exceeded (its low watermark)",
  keepRecentTokens: "tokens of newest whole rounds that a full compaction keeps word for word; 0 for none",
  keepRedoneTokens:
    "the same, at most, where calls had to be made again because a compaction had taken their answers",
  keepLastTokens:
    "tokens up to which the very newest round is kept, because the model has not read its results yet",
  compactFork: "whether summaries are asked for on the conversation's own cache",
  compactModel: "the model that writes summaries where the conversation's cache cannot be shared",
  compactOutputTokens:
    "tokens that a summary, or an update of the notes, may have beside what the model thinks",
  compactRetries: "attempts with fewer messages after a conversation was too long to be summarised",
  compactDropShare: "share of the rounds that such an attempt leaves out where the refusal names no figures",
  compactDigestTokens: "tokens of the digest that stands for what was left out",
  compactLeastSaving: "share by which a compaction must make the context smaller, or it is discarded",
  compactUserMessageTokens: "tokens of one message of a person that a summary quotes word for word",
  compactUserTokens: "tokens of all such messages; beyond, the oldest shrink first",
  compactNamesTokens:
    "tokens of the list of paths, names and values in use that stands after a summary; 0 for none",
  compactVerify:
    "whether a model's summary is checked against the messages and mended; without, what it leaves out is lost",
  compactRestore: "whether files, plan, todos, skills and background agents come back after a summary",
  compactExtractive: "whether a summary is put together without a model where no model could write one",
  extractiveTokens: "tokens of such a summary, quoted messages aside",
  compactServerWriter:
    "whether the provider writes the summary itself where thinking is bound to what stands before it; such a summary cannot be checked or mended",
  notes: "whether notes are kept in the background, so that a compaction needs no model call",
  notesFirstTokens: "tokens of the context from which on notes are kept",
  notesTokensBetweenUpdates:
    "tokens by which the context has to grow before the notes are brought up to date again",
  notesToolCallsBetweenUpdates: "tool calls that have to be made besides, unless the turn has ended",
  notesSectionTokens: "tokens of one section of the notes",
  notesTokens: "tokens of all notes",
  notesRounds: "answers that one update may take; further ones only where an edit was refused",
  notesKeepTokens: "tokens that a compaction from notes keeps word for word at least",
  notesKeepMessages: "messages with text that it keeps at least",
  notesKeepMostTokens: "tokens beyond which it does not go back for that",
  notesWaitMs: "milliseconds that a compaction waits for an update that is under way",
  notesDeadMs: "milliseconds after which an update counts as dead",
  reactiveCompact: "whether a request that the API refuses as too long is compacted and sent again",
  breakerFailures: "failed compactions in a row after which automatic ones stop",
  responseStallMs:
    "milliseconds that a server may give signs of life and nothing of an answer; 0 for as long as it likes",
  breakerCooldownMs: "milliseconds until one is tried again; doubled each time that fails",
  recompactionRounds: "rounds within which a second compaction is reported as too early",
  undoResponses:
    "responses after a compaction during which it can be undone; until then its messages are held",
  subagentResultTokens: "tokens of what a subagent hands back to its parent; the rest goes to a file",
  compactKeepAliveMs: "milliseconds between two signs of life while a summary is written",
  restoreFiles:
    "files that are read again after a compaction at most: of each what is most likely needed next",
  restorePictures: "pictures that are shown again after a compaction, beside those files",
  restoreFileTokens: "tokens of one file that is read again after a compaction; the rest is left out",
  restoreFilesTokens:
    "tokens of all files that are read again after a compaction; less where little was edited lately",
  restoreSkillTokens: "tokens of one skill that is shown again after a compaction; the rest is cut off",
  restoreSkillsTokens: "tokens of all skills that are shown again after a compaction",
  disablePromptCaching: "sends no cache markers at all",
  disablePromptCachingModels: "models to which no cache markers are sent",
  cacheTtl: "how long cache entries live; auto: an hour where the account may have it and it pays",
  cacheEligible: "whether the account may have cache entries that live an hour",
  cacheOverage:
    "whether the account is beyond what its plan includes, and so gets no hour; auto: as the API's headers say",
  cacheTtlSources: "query sources whose entries may live an hour",
  cacheImageAnchor:
    "whether a blank picture of one token stays after a compaction that took all pictures away, because the next one would empty the cache of the messages",
  cacheKeepAlive:
    "whether pauses are bridged by small requests that only read, where that is expected to pay",
  cacheKeepAlivePings: "such requests in one pause, at most",
  cacheKeepAliveDollars:
    "dollars that such requests, and a summary that is prepared before the cache ends, may cost in one conversation, at most",
  cacheKeepAliveMargin5m: "milliseconds before the end of an entry of five minutes at which one goes out",
  cacheKeepAliveMargin1h: "the same for an entry of an hour",
  cacheBreakShare: "share of the cached tokens that has to be lost for it to be a cache break",
  cacheBreakTokens: "tokens that have to be lost besides for it to be a cache break",
  cacheBreakSources: "query sources whose cache is watched at the same time",
  cacheBreakExcludedModels: "models whose cache breaks are not reported, small fast ones by default",
  cacheBreakDiffs: "texts about cache breaks that are kept; 0 for none",
  cacheBreakDiffBytes: "bytes of one such text",
};
