import type { LineRange } from "../line-range.js";
import type { FileTouches, RestoredRange } from "./file-touches.js";
import { MOST_CHARACTERS_PER_TOKEN } from "../attachment-tokens.js";
import { reuseScore } from "./reuse.js";

/** A file as it stands on the disk, as far as it could be read. */
export interface ReadFile {
  /** Line number to text, in their order; numbers may be missing. */
  readonly lines: ReadonlyMap<number, string>;
  /** Nothing follows the last line, and nothing is missing. */
  readonly isWhole: boolean;
}

/** A part of a file that may come back. */
export interface FilePart extends RestoredRange {
  /** Of the file, among those given. */
  readonly file: number;
  readonly text: string;
  readonly score: number;
}

/** Lines in a part: a few statements, or a short function. */
const PART_LINES = 16;
/** An edit puts in no more lines than these that are looked for. */
const MOST_EDIT_LINES = 400;
/** What stands in a file more often than this says nothing about where an edit was. */
const MOST_PLACES = 2;
const LEAST_CHARACTERS = 8;

export interface PartsOptions {
  readonly file: number;
  readonly touches: FileTouches;
  /** What was read last of the file, where that was a part of it. */
  readonly readLast?: LineRange | undefined;
  /** Lines that stand in the context anyway. */
  readonly isShown: (line: number) => boolean;
}

/** The parts of a file, each with how likely it is needed again. */
export function partsOf({ lines }: ReadFile, options: PartsOptions): readonly FilePart[] {
  const { file, touches, readLast, isShown } = options;
  const edited = editedAges(lines, touches);
  const editedLast = lastEdited(edited);
  let fileCharacters = 0;
  for (const text of lines.values()) fileCharacters += text.length + 1;
  const parts: FilePart[] = [];
  let open: { first: number; last: number; texts: string[]; editedAge: number | undefined } | undefined;
  const close = (): void => {
    if (open === undefined) return;
    const { first, last, texts, editedAge } = open;
    const isAside = readLast !== undefined && (last < readLast.first || first > readLast.last);
    const isAfterEdit = first > editedLast;
    const score = reuseScore({ age: touches.age, editedAge, isAfterEdit, fileCharacters, isAside });
    const editedBefore = editedAge === undefined ? {} : { editedBefore: editedAge };
    parts.push({ file, first, last, text: texts.join("\n"), score, ...editedBefore });
    open = undefined;
  };
  for (const [number, text] of lines) {
    if (open !== undefined && (number !== open.last + 1 || number - open.first >= PART_LINES)) close();
    if (isShown(number)) {
      close();
      continue;
    }
    const editedAge = edited.get(number);
    if (open === undefined) open = { first: number, last: number, texts: [text], editedAge };
    else {
      open.last = number;
      open.texts.push(text);
      open.editedAge = least(open.editedAge, editedAge);
    }
  }
  close();
  return parts;
}

/** The last line of what was edited last; none comes after it in a file that never was. */
function lastEdited(edited: ReadonlyMap<number, number>): number {
  let [line, age] = [Infinity, Infinity];
  for (const [number, own] of edited) {
    if (own < age || (own === age && number > line)) [line, age] = [number, own];
  }
  return line;
}

const least = (a: number | undefined, b: number | undefined): number | undefined =>
  a === undefined ? b : b === undefined ? a : Math.min(a, b);

/** By line, the rounds since the agent changed something there. */
function editedAges(
  lines: ReadonlyMap<number, string>,
  { edits, restored }: FileTouches,
): ReadonlyMap<number, number> {
  const ages = new Map<number, number>();
  for (const { first, last, editedBefore } of restored?.ranges ?? []) {
    if (editedBefore === undefined) continue;
    for (let line = first; line <= Math.min(last, first + MOST_EDIT_LINES); line += 1) {
      ages.set(line, editedBefore + (restored?.age ?? 0));
    }
  }
  if (edits.length === 0) return ages;
  const places = new Map<string, number[]>();
  for (const [number, text] of lines) {
    const key = text.trim();
    if (key.length < LEAST_CHARACTERS) continue;
    const known = places.get(key);
    if (known === undefined) places.set(key, [number]);
    else known.push(number);
  }
  for (const { age, lines: put } of edits) {
    for (const line of put.slice(0, MOST_EDIT_LINES)) {
      const found = places.get(line.trim()) ?? [];
      if (found.length <= MOST_PLACES) for (const number of found) ages.set(number, age);
    }
  }
  return ages;
}

/** What parts may take. */
export interface PartLimits {
  readonly total: number;
  readonly perFile: number;
  /** Beside their text: heading and fence of a file. */
  readonly fileOverhead: number;
  /** Tokens of a text. */
  readonly tokens: (text: string) => number;
}

/** The parts that are most likely needed again, as many as fit: by file, each in the order of its lines. */
export function choosePartsWithin(
  parts: readonly FilePart[],
  { total, perFile, fileOverhead, tokens }: PartLimits,
): ReadonlyMap<number, readonly FilePart[]> {
  const chosen = new Map<number, FilePart[]>();
  const used = new Map<number, number>();
  let left = total;
  for (const part of parts.toSorted((a, b) => b.score - a.score || a.file - b.file || a.first - b.first)) {
    if (left <= 0) break;
    const before = used.get(part.file) ?? 0;
    if (part.text.length > MOST_CHARACTERS_PER_TOKEN * Math.min(left, perFile - before)) continue;
    const cost = tokens(part.text) + (before === 0 ? fileOverhead : 0);
    if (cost > left || before + cost > perFile) continue;
    left -= cost;
    used.set(part.file, before + cost);
    const own = chosen.get(part.file);
    if (own === undefined) chosen.set(part.file, [part]);
    else own.push(part);
  }
  for (const own of chosen.values()) own.sort((a, b) => a.first - b.first);
  return chosen;
}
