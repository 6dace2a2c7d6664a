import { trackedAs, type QuerySource } from "../../../messages/call/query-source.js";
import { isFields } from "../../../messages/fields.js";
import {
  addEvidence,
  gapBounds,
  noEvidence,
  requestsSeen,
  weighEvidence,
  type GapBucket,
  type GapEvidence,
} from "./gap-evidence.js";

/** What a user's conversations have shown, by kind of source: people pause, subagents do not. A JSON value. */
export interface GapHistory {
  readonly version: 1;
  /** By the name of the source up to the first colon; the longest unused first. */
  readonly sources: Readonly<Record<string, GapEvidence>>;
}

/** The history of a user whom nothing is known of. */
export const noGapHistory: GapHistory = { version: 1, sources: {} };

/** Requests after which evidence counts half: about six conversations. */
const HALF_LIFE = 1000;
const MOST_SOURCES = 16;
const LONGEST_NAME = 100;
const LARGEST_SUM = 1e15;

const kindOf = (source: QuerySource): string => {
  const [kind = ""] = trackedAs(source).split(":", 1);
  return kind.slice(0, LONGEST_NAME);
};

/** The history with new evidence of a source; older evidence of it fades as the new comes in. */
export function addToHistory(
  history: GapHistory,
  { source, evidence }: { readonly source: QuerySource; readonly evidence: GapEvidence },
): GapHistory {
  const requests = requestsSeen(evidence);
  if (requests <= 0) return history;
  const kind = kindOf(source);
  const faded = weighEvidence(seenBefore(history, source), 2 ** (-requests / HALF_LIFE));
  const others = Object.entries(history.sources).filter(([name]) => name !== kind);
  const kept = others.slice(Math.max(0, others.length + 1 - MOST_SOURCES));
  return { version: 1, sources: Object.fromEntries([...kept, [kind, addEvidence(faded, evidence)]]) };
}

/** What a history shows of a source. */
export function seenBefore(history: GapHistory, source: QuerySource): GapEvidence {
  const kind = kindOf(source);
  return (Object.hasOwn(history.sources, kind) ? history.sources[kind] : undefined) ?? noEvidence;
}

/** A history as it was stored; undefined for what is none. Sources that make no sense are left out. */
export function readGapHistory(value: unknown): GapHistory | undefined {
  if (!isFields(value) || value["version"] !== 1 || !isFields(value["sources"])) return undefined;
  const sources = Object.entries(value["sources"]).flatMap(([name, stored]) => {
    const evidence = name.length > LONGEST_NAME ? undefined : readEvidence(stored);
    return evidence === undefined ? [] : [[name, evidence] as const];
  });
  return { version: 1, sources: Object.fromEntries(sources.slice(-MOST_SOURCES)) };
}

function readEvidence(value: unknown): GapEvidence | undefined {
  if (!isFields(value)) return undefined;
  const { conversations, firstTokens, gaps } = value as Partial<Record<keyof GapEvidence, unknown>>;
  if (!isSum(conversations) || !isSum(firstTokens) || !Array.isArray(gaps)) return undefined;
  const buckets = gaps.length === gapBounds.length + 1 ? gaps.flatMap(readBucket) : [];
  return buckets.length === gapBounds.length + 1 ? { conversations, firstTokens, gaps: buckets } : undefined;
}

function readBucket(value: unknown): readonly GapBucket[] {
  if (!isFields(value)) return [];
  const { count, prefixTokens, newTokens } = value as Partial<Record<keyof GapBucket, unknown>>;
  return isSum(count) && isSum(prefixTokens) && isSum(newTokens) ? [{ count, prefixTokens, newTokens }] : [];
}

const isSum = (value: unknown): value is number =>
  typeof value === "number" && value >= 0 && value <= LARGEST_SUM;
