import type { SearchHits } from "../contract.js";
import { blockText } from "../index/block-text.js";
import { ByteSearch } from "../index/byte-search.js";
import { blocksOf } from "../index/indexed-message.js";
import type { OpenConversation } from "./conversations.js";

type Hit = SearchHits["hits"][number];

export interface SearchQuestion {
  readonly words: string;
  /** Where an earlier answer ended. */
  readonly cursor: string | undefined;
  readonly signal?: AbortSignal | undefined;
}

const MOST_HITS = 50;
/** Of one block: a word may stand in it ten thousand times. */
const MOST_IN_BLOCK = 3;
const BEFORE = 80;
const MOST_TEXT = 300;

/** Where words stand in a conversation, from the place of the cursor on, whatever the case of their letters. */
export async function searchWords(
  conversation: OpenConversation,
  { words, cursor, signal }: SearchQuestion,
): Promise<SearchHits> {
  const { index, path, reader } = conversation;
  const { messages, scanned, traced } = index;
  const wanted = words.toLowerCase();
  const live = new Set(traced.standings[0]?.list.slice() ?? []);
  const hits: Hit[] = [];
  const look = async (ordinals: readonly number[]): Promise<void> => {
    const places = ordinals.flatMap((ordinal) => messages[ordinal]?.place ?? []);
    for (const [at, message] of (await reader.read(places)).entries()) {
      const ordinal = ordinals[at] ?? 0;
      const facts = messages[ordinal]?.blocks ?? [];
      const blocks = message === undefined ? [] : blocksOf(message);
      for (const [block, content] of blocks.entries()) {
        const text = blockText(content);
        const kind = facts[block]?.kind ?? "unknown";
        for (const { excerpt, start } of excerptsOf(text, wanted)) {
          const request = traced.requestAfter[ordinal] ?? -1;
          hits.push({
            block: `${ordinal}-${block}`,
            request: request < 0 ? null : request,
            at: message?.timestamp || null,
            kind,
            text: excerpt,
            start,
            end: start + wanted.length,
            compactedAway: message?.isSidechain !== true && !live.has(ordinal),
          });
        }
      }
    }
  };
  if (scanned.isWhole) {
    const first = Number(cursor ?? 0);
    let ordinal = first;
    for (; ordinal < messages.length && hits.length < MOST_HITS; ordinal += 1) await look([ordinal]);
    const isEnd = ordinal >= messages.length;
    return { hits, cursor: isEnd ? null : String(ordinal), share: isEnd ? 1 : ordinal / messages.length };
  }
  const lines = linesOf(messages);
  const from = Number(cursor ?? 0);
  const end = await new ByteSearch(words).search(path, { from, to: scanned.size, signal }, async (place) => {
    if (hits.length >= MOST_HITS) return undefined;
    const line = lineAt(lines, place);
    if (line === undefined) return place + 1;
    await look(line.ordinals);
    return line.offset + line.bytes;
  });
  const isEnd = end >= scanned.size;
  return { hits, cursor: isEnd ? null : String(end), share: isEnd ? 1 : end / scanned.size };
}

interface Line {
  readonly offset: number;
  readonly bytes: number;
  readonly ordinals: number[];
}

const known = new WeakMap<object, readonly Line[]>();

/** The lines that messages were made of, in the order of the file. */
function linesOf(messages: OpenConversation["index"]["messages"]): readonly Line[] {
  const kept = known.get(messages);
  if (kept !== undefined) return kept;
  const lines: Line[] = [];
  for (const [ordinal, { place }] of messages.entries()) {
    const last = lines.at(-1);
    if (last?.offset === place.offset) last.ordinals.push(ordinal);
    else lines.push({ offset: place.offset, bytes: place.bytes, ordinals: [ordinal] });
  }
  known.set(messages, lines);
  return lines;
}

function lineAt(lines: readonly Line[], place: number): Line | undefined {
  let low = 0;
  let high = lines.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((lines[middle]?.offset ?? 0) <= place) low = middle + 1;
    else high = middle;
  }
  const line = lines[low - 1];
  return line !== undefined && place < line.offset + line.bytes ? line : undefined;
}

function excerptsOf(
  text: string,
  wanted: string,
): readonly { readonly excerpt: string; readonly start: number }[] {
  const found: { excerpt: string; start: number }[] = [];
  const lower = text.toLowerCase();
  // Few letters change their length with their case; where one does, places in the text are not those in the copy.
  const haystack = lower.length === text.length ? lower : text;
  for (let at = haystack.indexOf(wanted); at >= 0; at = haystack.indexOf(wanted, at + wanted.length)) {
    if (found.length >= MOST_IN_BLOCK) break;
    const from = Math.max(0, at - BEFORE);
    const to = Math.min(text.length, Math.max(at + wanted.length, from + MOST_TEXT));
    found.push({ excerpt: text.slice(from, to).replaceAll(/\p{Surrogate}/gu, "\ufffd"), start: at - from });
  }
  return found;
}
