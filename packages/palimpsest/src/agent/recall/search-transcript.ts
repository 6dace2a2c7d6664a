import { decodeRawLine } from "../../stores/jsonl/raw-line.js";
import { excerpt, type Excerpt } from "./excerpt.js";
import { callsEnd } from "./find-entry.js";
import { matchPassages, type Match, type MatchedPassage } from "./match-passages.js";
import { passagesOf, type Origin } from "./passages.js";
import type { QueryTerms } from "./query-terms.js";
import { scanBackward } from "./scan-backward.js";
import type { TranscriptFile } from "./transcript-file.js";

export interface SearchOptions {
  readonly sought: QueryTerms;
  readonly maxResults: number;
  readonly contextLines: number;
  /** Whether the messages of subagents are meant, or those of the conversation itself. */
  readonly isSidechain: boolean;
  readonly signal: AbortSignal;
}

/** A message that holds what was sought. */
export interface Hit {
  readonly uuid: string;
  readonly timestamp: string;
  readonly origin: Origin;
  readonly distance: number;
  readonly places: readonly HitPlace[];
  /** Where the calls end whose results it may hold. */
  readonly callsEnd: number;
}

/** A passage that was found, without its text: many may be found, and each may be long. */
export interface HitPlace extends Excerpt {
  readonly label: string;
  readonly toolUseId?: string;
  readonly isResult: boolean;
}

export interface SearchResult {
  /** The best first. */
  readonly hits: readonly Hit[];
  /** How many more were seen. */
  readonly more: number;
  /** Enough were found before the start of the transcript was reached. */
  readonly hasOlder: boolean;
}

const ORIGINS: readonly Origin[] = ["original", "attachment", "quote", "summary"];
/** The best are chosen among so many of the newest, for each that is asked for. */
const CHOICE = 4;
const MIN_CHOICE = 20;
const CONTEXT = 120;

/**
 * The messages of the transcript that hold every term: originals before copies and summaries, then the ones
 * whose terms are closer, then the newer. The same words in the same surroundings count once.
 */
export async function searchTranscript(file: TranscriptFile, options: SearchOptions): Promise<SearchResult> {
  const { sought, maxResults, contextLines, isSidechain, signal } = options;
  const enough = Math.max(MIN_CHOICE, CHOICE * maxResults);
  const found = new Map<Origin, Hit[]>(ORIGINS.map((origin) => [origin, []]));
  const seen = new Set<string>();
  let hasOlder = false;
  for await (const line of scanBackward(file, { sought, end: file.size, signal })) {
    const decoded = decodeRawLine(line);
    if (decoded.kind !== "message") continue;
    const { message } = decoded;
    if ((message.isSidechain === true) !== isSidechain) continue;
    const match = matchPassages(passagesOf(message), sought.terms);
    if (match === undefined) continue;
    const origin = originOf(match);
    const list = found.get(origin) ?? [];
    const key = surroundings(match);
    if (seen.has(key) || seen.has(message.uuid) || list.length >= enough) continue;
    seen.add(key).add(message.uuid);
    const { uuid, timestamp } = message;
    const places = match.places.map((place) => hitPlace(place, contextLines));
    const { distance } = match;
    list.push({ uuid, timestamp, origin, distance, places, callsEnd: callsEnd(message, line) });
    hasOlder = origin === "original" && list.length >= enough;
    if (hasOlder) break;
  }
  const ranked = ORIGINS.flatMap((origin) => (found.get(origin) ?? []).toSorted(byNearness));
  const hits = ranked.slice(0, maxResults);
  return { hits, more: ranked.length - hits.length, hasOlder };
}

const originOf = ({ places }: Match): Origin =>
  ORIGINS[Math.max(...places.map(({ passage }) => ORIGINS.indexOf(passage.origin)))] ?? "original";

function hitPlace({ passage, at }: MatchedPassage, contextLines: number): HitPlace {
  const { label, toolUseId, isResult = false } = passage;
  const { text, lines } = excerpt(passage.text, { at, contextLines });
  const place = { label, isResult, text: detached(text), lines };
  return toolUseId === undefined ? place : { ...place, toolUseId };
}

/** A copy that does not keep the long text alive that it was cut from. */
const detached = (text: string): string => Buffer.from(text, "utf16le").toString("utf16le");

/** Steps of nearness: within one, the newer comes first. The list is in that order already, and the sort is stable. */
const STEPS = [40, 200, 1_000, 5_000];
const stepOf = ({ distance }: Hit): number => STEPS.findLastIndex((step) => distance >= step);
const byNearness = (left: Hit, right: Hit): number => stepOf(left) - stepOf(right);

function surroundings({ places }: Match): string {
  const texts = places.map(({ passage, at }) => {
    const first = Math.min(...at);
    return `${passage.label}\n${passage.text.slice(Math.max(0, first - CONTEXT), first + CONTEXT)}`;
  });
  return detached(texts.join("\n\n"));
}
