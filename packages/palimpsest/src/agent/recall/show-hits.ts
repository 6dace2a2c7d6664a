import { oneLine } from "../base/plain-text.js";
import { findCall, type FoundCall } from "./find-entry.js";
import { wellFormed } from "./fold.js";
import type { Hit, HitPlace, SearchResult } from "./search-transcript.js";
import type { TranscriptFile } from "./transcript-file.js";
import { valueText } from "./value-text.js";
import { QUOTE_NOTE } from "./wording.js";

const MAX_CHARACTERS = 30_000;
const MAX_INPUT = 160;

export interface ShowOptions {
  readonly file: TranscriptFile;
  readonly signal: AbortSignal;
}

/** The hits as the model reads them: where, the lines, and the id to read more. */
export async function showHits(result: SearchResult, options: ShowOptions): Promise<string> {
  const shown: string[] = [];
  let room = MAX_CHARACTERS;
  for (const hit of result.hits) {
    const text = await showHit(hit, { ...options, number: shown.length + 1 });
    room -= text.length;
    if (room < 0 && shown.length > 0) break;
    shown.push(text.slice(0, MAX_CHARACTERS));
  }
  const more = result.more + result.hits.length - shown.length;
  return wellFormed([QUOTE_NOTE, ...shown, ...closing(more, result.hasOlder)].join("\n\n"));
}

function closing(more: number, hasOlder: boolean): readonly string[] {
  if (more === 0) return [];
  const count = hasOlder ? `${more} more and perhaps older ones match` : `${more} more match`;
  return [`${count}: add words to the query, or raise max_results.`];
}

async function showHit(hit: Hit, options: ShowOptions & { readonly number: number }): Promise<string> {
  const sections: string[] = [];
  for (const place of hit.places) {
    const name = await placeName(place, hit, options);
    sections.push(`${name}, ${readMore(place, hit)}\n${place.text}`);
  }
  return `[${options.number}] ${shownTime(hit.timestamp)}${sections.join("\n")}`;
}

/** Line numbers of a result count within it; those of other passages only serve to quote. */
function readMore(place: HitPlace, hit: Hit): string {
  const id = place.isResult ? place.toolUseId : undefined;
  if (id === undefined) return `message ${oneLine(hit.uuid, 80)}`;
  return `tool_use_id ${oneLine(id, 130)} (${place.lines} lines)`;
}

async function placeName(place: HitPlace, hit: Hit, options: ShowOptions): Promise<string> {
  if (!place.isResult || place.toolUseId === undefined) return oneLine(place.label, 80);
  const { file, signal } = options;
  const call = await findCall(file, { end: hit.callsEnd, toolUseId: place.toolUseId, signal });
  return call === undefined ? place.label : `${place.label} of ${shownCall(call)}`;
}

export const shownCall = ({ name, input }: FoundCall): string =>
  `${oneLine(name, 80)} ${oneLine(valueText(input), MAX_INPUT)}`.trimEnd();

/** A time as it is stored, to the second; nothing where it is none. */
export function shownTime(timestamp: unknown): string {
  const match = typeof timestamp === "string" ? /^(\d{4}-\d\d-\d\d)T(\d\d:\d\d:\d\d)/.exec(timestamp) : null;
  return match === null ? "" : `${match[1]} ${match[2]}, `;
}
