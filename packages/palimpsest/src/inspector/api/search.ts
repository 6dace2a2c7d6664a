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
/** Before it and after it what is cut off is marked; few enough before it that it stands in the first lines of a narrow page. */
const BEFORE = 40;
const MOST_TEXT = 300;

/** Where words stand in a conversation, from the place of the cursor on, whatever the case of their letters. */
export async function searchWords(
  conversation: OpenConversation,
  { words, cursor, signal }: SearchQuestion,
): Promise<SearchHits> {
  const { index, files, reader } = conversation;
  const { messages, traced } = index;
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
  const [file, from] = placeOf(cursor);
  const searched = files[file];
  if (searched === undefined) return { hits, cursor: null, share: 1 };
  const { path, size, isWhole } = searched;
  const lines = linesOf(messages).get(file) ?? [];
  const isFull = (): boolean => hits.length >= MOST_HITS;
  const end = isWhole
    ? await lookThrough(messages, { file, from, look, isFull })
    : await new ByteSearch(words).search(path, { from, to: size, signal }, async (place) => {
        if (isFull()) return undefined;
        const line = lineAt(lines, place);
        if (line === undefined) return place + 1;
        await look(line.ordinals);
        return line.offset + line.bytes;
      });
  const of = isWhole ? messages.length : size;
  if (end < of) return { hits, cursor: cursorOf(file, end), share: (file + end / of) / files.length };
  const isLast = file + 1 === files.length;
  return {
    hits,
    cursor: isLast ? null : cursorOf(file + 1, 0),
    share: (file + 1) / files.length,
  };
}

/** Where it is gone on: a place in the conversation's file, or in one of those of its subagents. */
const cursorOf = (file: number, place: number): string => (file === 0 ? `${place}` : `${place}.${file}`);

function placeOf(cursor: string | undefined): readonly [file: number, place: number] {
  const [place = 0, file = 0] = (cursor ?? "").split(".").map(Number);
  return [file, place];
}

interface LookThrough {
  readonly file: number;
  readonly from: number;
  readonly look: (ordinals: readonly number[]) => Promise<void>;
  readonly isFull: () => boolean;
}

/** Message after message; gives the ordinal of the one to go on with. */
async function lookThrough(
  messages: OpenConversation["index"]["messages"],
  { file, from, look, isFull }: LookThrough,
): Promise<number> {
  let ordinal = from;
  for (; ordinal < messages.length && !isFull(); ordinal += 1) {
    if ((messages[ordinal]?.place.file ?? 0) === file) await look([ordinal]);
  }
  return ordinal;
}

interface Line {
  readonly offset: number;
  readonly bytes: number;
  readonly ordinals: number[];
}

type LinesByFile = ReadonlyMap<number, readonly Line[]>;

const known = new WeakMap<object, LinesByFile>();

/** The lines that messages were made of, by their files, in the order of each. */
function linesOf(messages: OpenConversation["index"]["messages"]): LinesByFile {
  const kept = known.get(messages);
  if (kept !== undefined) return kept;
  const files = new Map<number, Line[]>();
  for (const [ordinal, { place }] of messages.entries()) {
    const { file = 0, offset, bytes } = place;
    const lines = files.get(file) ?? [];
    files.set(file, lines);
    const last = lines.at(-1);
    if (last?.offset === offset) last.ordinals.push(ordinal);
    else lines.push({ offset, bytes, ordinals: [ordinal] });
  }
  known.set(messages, files);
  return files;
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
    const to = Math.min(text.length, Math.max(at + wanted.length, from + MOST_TEXT - 2));
    const [before, after] = [from === 0 ? "" : "…", to === text.length ? "" : "…"];
    const excerpt = `${before}${text.slice(from, to).replaceAll(/\p{Surrogate}/gu, "\ufffd")}${after}`;
    found.push({ excerpt, start: before.length + at - from });
  }
  return found;
}
