import { trackedAs, type QuerySource } from "../../messages/call/query-source.js";
import type { Prices } from "../../models/model.js";
import { findModel } from "../../models/table.js";
import { pricesAt } from "../money/cost-rule.js";
import type { DeletionNotice } from "../boundaries/deletion-notice.js";
import type { EventEmitter } from "../events/emitter.js";
import { defaultSettings, type Settings } from "../settings/settings.js";
import type { BreakReason } from "../events/break-reason.js";
import type { CacheBreak } from "../events/cache-break.js";
import { changesBetween } from "./changes.js";
import { cacheFigures, type CacheFigures } from "./judge-reading.js";
import { matchesPattern } from "../settings/matches-pattern.js";
import { judgeAnswer, reportBreak, servedModel } from "./report-break.js";
import { readCall } from "./sent-request.js";
import type { WatchedAnswer, WatchedCall } from "./watched-call.js";
import type { BreakDiffs } from "./write-diffs.js";
import { createPendingCalls, createSources, type Baseline, type PendingCall } from "./watched-sources.js";

export type WatchSettings = Pick<Settings, Extract<keyof Settings, `cacheBreak${string}`>>;

export interface CacheWatchOptions {
  readonly settings?: Partial<WatchSettings>;
  readonly events?: EventEmitter;
  /** `writeDiffs` of a store. */
  readonly diffs?: BreakDiffs | undefined;
  /** Prices of a request to a model with so many tokens in its prompt; default the table of models. */
  readonly pricesOf?: (model: string, promptTokens: number) => Prices | undefined;
}

/**
 * Watches the prompt cache, call by call: what is about to be sent, and what the answer says was read. Nothing
 * here throws, whatever a request holds.
 */
export interface CacheWatch {
  /** Before a call: notes in what it departs from the last answered request of its source, and gives that. */
  before(call: WatchedCall): readonly BreakReason[];
  /**
   * After its answer: the break that it shows, which is also told as `cache_break`. A call that failed has no
   * answer: the next one is compared with what was answered last.
   */
  after(answer: WatchedAnswer): CacheBreak | undefined;
  /** The conversation was compacted or begun anew: what was cached is of no use, and no loss. */
  notifyCompaction(source: QuerySource): void;
  /**
   * Something was deleted from the prompt: the next lower reading is expected. Where a response says itself
   * what the provider cleared for it, tell before `after`.
   */
  notifyDeletion(source: QuerySource, notice: DeletionNotice): void;
  /** The conversation of this source has ended: its next call is a first one. */
  forget(source: QuerySource): void;
  /** Resolves once every text about a break was stored, or could not be. */
  flush(): Promise<void>;
}

/** What the sources of a conversation are called where nothing else is said. */
const MAIN_THREAD = trackedAs("compact");

/** A watch for the calls of one process, whatever their sources. */
export function createCacheWatch(options: CacheWatchOptions = {}): CacheWatch {
  const { events, diffs, pricesOf = pricesInTable } = options;
  const settings: WatchSettings = { ...defaultSettings, ...options.settings };
  const sources = createSources(settings.cacheBreakSources);
  const pendingCalls = createPendingCalls();
  let calls = 0;
  let breaks = 0;
  let saving: Promise<unknown> = Promise.resolve();

  const isExcluded = (model: string): boolean =>
    settings.cacheBreakExcludedModels.some((pattern) => matchesPattern(model, pattern));

  const withDiff = (found: CacheBreak, pending: PendingCall, base: Baseline): CacheBreak => {
    if (diffs === undefined || settings.cacheBreakDiffs === 0) return found;
    breaks += 1;
    const diffId = `${breaks}-${found.source}`;
    const requests = { before: base.sent, now: pending.sent, maxBytes: settings.cacheBreakDiffBytes };
    const save = async (): Promise<void> => diffs(diffId, found, requests);
    saving = Promise.allSettled([saving, save()]);
    return { ...found, diffId };
  };

  const judge = (
    answer: WatchedAnswer,
    pending: PendingCall,
    figures: CacheFigures,
  ): CacheBreak | undefined => {
    const { base, source, call, sent, isBeside } = pending;
    const verdict =
      base === undefined ? "complete" : judgeAnswer(base, figures, { notices: source.notices, settings });
    if (!isBeside) {
      // A deletion that was told while the call was under way may show in the next answer only.
      source.notices =
        verdict === "complete" ? source.notices.filter(({ behindCall }) => behindCall >= call) : [];
    }
    if (base === undefined) return undefined;
    if (verdict === "complete") base.usedAt = Math.max(base.usedAt, sent.at);
    if (typeof verdict === "string" || isExcluded(servedModel(answer) ?? sent.model)) return undefined;
    const found = withDiff(
      reportBreak({ answer, pending, base, figures, loss: verdict, pricesOf }),
      pending,
      base,
    );
    events?.emit("cache_break", found);
    return found;
  };

  return {
    before(call) {
      calls += 1;
      const isBeside = call.fork !== undefined || trackedAs(call.source) !== call.source;
      const key = trackedAs(isBeside ? (call.fork?.of ?? MAIN_THREAD) : call.source);
      const source = isBeside ? sources.find(key) : sources.findOrAdd(key);
      if (source === undefined) return [];
      const known = source.baseline;
      const sent = readCall(call, known?.sent);
      const isWhole = !isBeside || (call.fork?.prefixMessages ?? 0) >= (known?.sent.messages.length ?? 0);
      const base = isWhole ? known : undefined;
      const changes =
        base === undefined ? [] : changesBetween(base.sent, sent, { isBeside, gapMs: sent.at - base.usedAt });
      const { window } = source;
      pendingCalls.add(call, { key, source, call: calls, window, sent, base, changes, isBeside });
      return changes;
    },
    after(answer) {
      const pending = pendingCalls.take(answer);
      if (pending === undefined) return undefined;
      const { key, source, sent, call } = pending;
      if (sources.find(key) !== source || source.window !== pending.window) return undefined;
      const figures = cacheFigures(answer.usage);
      const found = figures === undefined ? undefined : judge(answer, pending, figures);
      const isNewest = source.baseline === undefined || source.baseline.call < call;
      if (!pending.isBeside && isNewest) {
        source.baseline =
          figures === undefined
            ? undefined
            : {
                sent,
                leftTokens: figures.read + figures.written,
                servedModel: servedModel(answer),
                call,
                usedAt: sent.at,
              };
      }
      return found;
    },
    notifyCompaction(name) {
      const source = sources.find(trackedAs(name));
      if (source === undefined) return;
      source.baseline = undefined;
      source.window += 1;
      source.notices = [];
    },
    notifyDeletion(name, notice) {
      const source = sources.find(trackedAs(name));
      if (source !== undefined) source.notices = [...source.notices, { ...notice, behindCall: calls }];
    },
    forget(name) {
      sources.remove(trackedAs(name));
    },
    async flush() {
      await saving;
    },
  };
}

function pricesInTable(model: string, promptTokens: number): Prices | undefined {
  const known = findModel(model);
  return known === undefined ? undefined : pricesAt(known, promptTokens);
}
