import {
  defaultSettings,
  findModel,
  isCompactBoundary,
  type AssistantMessage,
  type Message,
} from "@palimpsest/core";
import {
  cacheFigures,
  costOfLoss,
  isMediaBoundary,
  isClearingBoundary,
  judgeReading,
  matchesPattern,
  pricesAt,
  SYNTHETIC_MODEL,
  type CacheFigures,
} from "@palimpsest/core/engine";
import type { Recording } from "./readers/recording.js";

/**
 * Why, as far as a recording shows it: it holds the messages and the time, but neither the system prompt nor
 * tools nor settings. `not-visible` is everything else.
 */
export type RecordedBreakReason =
  | "model-changed"
  /** Back to an earlier message: another branch. */
  | "messages-changed"
  /** Entries were written with another lifetime than before. */
  | "ttl-changed"
  /** Possibly: more time passed than the entries were promised. */
  | "expired"
  | "not-visible";

/** Cached tokens that a recorded response did not read. */
export interface RecordedBreak {
  readonly at: string;
  readonly messageId: string;
  /** Empty where the recording does not say. */
  readonly model: string;
  /** What the response before it left cached: its reads and writes. */
  readonly expectedTokens: number;
  readonly readTokens: number;
  readonly lostTokens: number;
  readonly lostShare: number;
  /** Milliseconds between the starts of the two requests; null where no times were recorded. */
  readonly gapMs: number | null;
  readonly reason: RecordedBreakReason;
  /** The reason in a few words. */
  readonly detail: string;
  /** Dollars more than reading the lost tokens would have cost; null for models without known prices. */
  readonly cost: number | null;
}

/** One response of the main conversation, as far as the cache is concerned. */
interface Response {
  readonly message: AssistantMessage;
  readonly figures: CacheFigures;
  /** When its request began: where what it answers was recorded. NaN where nothing says so. */
  readonly startedAt: number;
  /** Of the entries it left; undefined where nobody recorded one. */
  readonly ttl: "5m" | "1h" | undefined;
  /** The uuids of its pieces. */
  readonly uuids: Set<string>;
}

/**
 * The cache breaks of a recording's main conversation, in the order of the file, by the rule that holds live:
 * more than 5% and more than 2,000 tokens less than the response before left cached; not after a compaction or
 * a clearing, not on small fast models. Providers that report no writes are judged by their reads alone: what
 * was read last time was there, so what is missing of that is a lower bound.
 */
export function recordedBreaks({ messages }: Pick<Recording, "messages">): readonly RecordedBreak[] {
  const places = new Map(messages.map((message, index) => [message.uuid, index]));
  const seen = new Set<string>();
  const breaks: RecordedBreak[] = [];
  let before: Response | undefined;
  let isExplained = false;
  let startedAt = Number.NaN;
  for (const message of messages) {
    if (message.isSidechain === true) continue;
    if (isCompactBoundary(message)) before = undefined;
    else if (isClearingBoundary(message) || isMediaBoundary(message)) isExplained = true;
    else if (message.type === "user" || message.type === "attachment") {
      startedAt = Date.parse(message.timestamp);
    }
    if (message.type !== "assistant" || message.message?.model === SYNTHETIC_MODEL) continue;
    if (seen.has(message.message?.id)) {
      if (before?.message.message.id === message.message.id) before.uuids.add(message.uuid);
      continue;
    }
    const response = responseOf(message, { startedAt, before });
    if (response === undefined) continue;
    seen.add(message.message.id);
    const found =
      before === undefined || isExplained ? undefined : breakBetween(before, response, { messages, places });
    if (found !== undefined) breaks.push(found);
    before = response;
    isExplained = false;
    startedAt = Number.NaN;
  }
  return breaks;
}

function responseOf(
  message: AssistantMessage,
  { startedAt, before }: { readonly startedAt: number; readonly before: Response | undefined },
): Response | undefined {
  const figures = cacheFigures(message.message?.usage);
  if (figures === undefined || figures.read + figures.written + figures.input === 0) return undefined;
  const { written, writtenForAnHour } = figures;
  const ownTtl = writtenForAnHour === undefined ? undefined : writtenForAnHour > 0 ? "1h" : "5m";
  return {
    message,
    figures,
    startedAt: Number.isNaN(startedAt) ? Date.parse(message.timestamp) : startedAt,
    // What wrote nothing left the entries as they were.
    ttl: written > 0 ? ownTtl : before?.ttl,
    uuids: new Set([message.uuid]),
  };
}

interface Conversation {
  readonly messages: readonly Message[];
  readonly places: ReadonlyMap<string, number>;
}

function breakBetween(
  before: Response,
  now: Response,
  conversation: Conversation,
): RecordedBreak | undefined {
  const model = modelOf(now);
  const expectedTokens = before.figures.read + before.figures.written;
  const loss = judgeReading({ expectedTokens, readTokens: now.figures.read });
  if (loss === undefined || isExcluded(model)) return undefined;
  const gap = now.startedAt - before.startedAt;
  const { figures } = now;
  const known = findModel(model);
  const prices =
    known === undefined ? undefined : pricesAt(known, figures.read + figures.written + figures.input);
  return {
    at: now.message.timestamp,
    messageId: now.message.message.id,
    model,
    expectedTokens,
    readTokens: figures.read,
    ...loss,
    gapMs: Number.isNaN(gap) ? null : Math.max(0, gap),
    ...reasonOf(before, now, conversation),
    cost:
      prices === undefined ? null : costOfLoss(loss.lostTokens, { figures, prices, ttl: now.ttl ?? "5m" }),
  };
}

/** Empty where the recording does not say. */
function modelOf({ message }: Response): string {
  const model: unknown = message.message.model;
  return typeof model === "string" ? model : "";
}

const isExcluded = (model: string): boolean =>
  defaultSettings.cacheBreakExcludedModels.some((pattern) => matchesPattern(model, pattern));

const MINUTE = 60_000;

function reasonOf(
  before: Response,
  now: Response,
  conversation: Conversation,
): Pick<RecordedBreak, "reason" | "detail"> {
  const [from, to] = [modelOf(before), modelOf(now)];
  if (from !== "" && to !== "" && from !== to)
    return { reason: "model-changed", detail: `model changed (${from} → ${to})` };
  if (isOtherBranch(before, now, conversation)) {
    return { reason: "messages-changed", detail: "went back to an earlier message" };
  }
  const minutes = (now.startedAt - before.startedAt) / MINUTE;
  const lifetime = before.ttl === "1h" ? 60 : 5;
  if (minutes > lifetime) {
    const promised = before.ttl === undefined ? "" : `, lifetime ${before.ttl}`;
    return {
      reason: "expired",
      detail: `possible TTL expiry (${Math.round(minutes)} min without a request${promised})`,
    };
  }
  if (before.ttl !== undefined && now.ttl !== undefined && before.ttl !== now.ttl) {
    return { reason: "ttl-changed", detail: `markers changed (TTL ${before.ttl} → ${now.ttl})` };
  }
  return { reason: "not-visible", detail: "reason not visible in the recording" };
}

/**
 * Whether a response answers to a branch that the one before it is not on: following the links upwards leads
 * past it. Where a link is missing nothing is claimed.
 */
function isOtherBranch(before: Response, now: Response, { messages, places }: Conversation): boolean {
  const first = places.get(before.message.uuid) ?? 0;
  let uuid = now.message.parentUuid;
  let place = places.get(now.message.uuid) ?? 0;
  while (uuid !== null && !before.uuids.has(uuid)) {
    const parent = places.get(uuid);
    if (parent === undefined || parent >= place) return false;
    if (parent < first) return true;
    place = parent;
    uuid = messages[parent]?.parentUuid ?? null;
  }
  return false;
}
