/** Lines of a file without a gap. Each ends with a line break, but for one that ends the file without. */
export interface KnownLines {
  /** Counted from 1. */
  readonly first: number;
  readonly count: number;
  readonly text: string;
}

/** What is known of a file: runs of lines in their order, with gaps between them. */
export interface KnownFile {
  readonly runs: readonly KnownLines[];
  /** The last run goes to the end of the file. */
  readonly isEndKnown: boolean;
}

/** What somebody was shown of a file. */
export interface ShownLines {
  readonly first: number;
  readonly text: string;
  /** Nothing follows it. */
  readonly endsFile: boolean;
}

export interface TextEdit {
  readonly oldText: string;
  readonly newText: string;
  /** Wherever it occurs; otherwise it occurs once. */
  readonly isAll: boolean;
}

/** A file after an edit, and the run that was changed first. */
export interface EditedFile {
  readonly file: KnownFile;
  readonly run: KnownLines;
}

/** No file is let grow beyond this many characters. */
export const MOST_FILE_CHARACTERS = 20_000_000;

export const wholeFile = (text: string): KnownFile => ({ runs: [runOf(1, text)], isEndKnown: true });

/** The whole text; undefined for a file of which a part is not known. */
export function wholeText({ runs, isEndKnown }: KnownFile): string | undefined {
  const only = runs[0];
  return isEndKnown && runs.length === 1 && only?.first === 1 ? only.text : undefined;
}

export const charactersOf = ({ runs }: KnownFile): number =>
  runs.reduce((sum, { text }) => sum + text.length, 0);

/**
 * What is known once these lines were shown. Where they contradict what was known, somebody else has changed the
 * file: they take the place of the lines that stood there, and what stood after these stands after them.
 */
export function learnLines(file: KnownFile | undefined, shown: ShownLines): KnownFile {
  const run = shownRun(shown);
  if (file === undefined || (run.first === 1 && shown.endsFile)) {
    return { runs: [run], isEndKnown: shown.endsFile };
  }
  const end = endOf(run);
  const isChanged = contradicts(file, shown);
  const resumeAt = isChanged ? lineBehind(file, run) : end;
  const before = file.runs.flatMap((known) =>
    known.first < run.first ? [cutRun(known, known.first, Math.min(endOf(known), run.first))] : [],
  );
  const after = (shown.endsFile ? [] : file.runs).flatMap((known) => {
    if (endOf(known) <= resumeAt) return [];
    const kept = cutRun(known, Math.max(known.first, resumeAt), endOf(known));
    return [{ ...kept, first: kept.first - resumeAt + end }];
  });
  const isEndKnown = file.isEndKnown && (!isChanged || after.length > 0);
  return { runs: joined([...before, run, ...after]), isEndKnown: shown.endsFile || isEndKnown };
}

/** How many last lines of a part are looked for in what was known. */
const ANCHOR_LINES = 3;

/** The line at which the known file goes on after lines that replace some of it. */
function lineBehind(file: KnownFile, run: KnownLines): number {
  const end = endOf(run);
  const anchor = linesOf(run, Math.max(run.first, end - ANCHOR_LINES), end);
  const found = file.runs.flatMap((known) => {
    const at = `\n${known.text}`.indexOf(`\n${anchor}`);
    return at < 0 || anchor.trim() === ""
      ? []
      : [known.first + countLines(known.text.slice(0, at + anchor.length))];
  });
  return found.find((line) => line > run.first) ?? end;
}

/** Whether these lines cannot be lines of the file as it is known. */
export function contradicts({ runs, isEndKnown }: KnownFile, shown: ShownLines): boolean {
  const run = shownRun(shown);
  const end = endOf(run);
  const last = runs.at(-1);
  if (isEndKnown && last !== undefined && end > endOf(last)) return true;
  return runs.some((known) => {
    const from = Math.max(known.first, run.first);
    const to = Math.min(endOf(known), end);
    if (shown.endsFile && endOf(known) > end) return true;
    return from < to && !isSame(linesOf(known, from, to), linesOf(run, from, to));
  });
}

/** The file after an edit; undefined where the edit does not fit what is known, or would make too much of it. */
export function editFile(file: KnownFile, { oldText, newText, isAll }: TextEdit): EditedFile | undefined {
  if (oldText === "") return undefined;
  const found = file.runs.map(({ text }) => occurrences(text, oldText));
  const total = found.reduce((sum, count) => sum + count, 0);
  if (total === 0 || (total > 1 && !isAll)) return undefined;
  const growth = total * (newText.length - oldText.length);
  if (charactersOf(file) + growth > MOST_FILE_CHARACTERS) return undefined;
  const runs: KnownLines[] = [];
  let changed: KnownLines | undefined;
  let shift = 0;
  for (const [index, run] of file.runs.entries()) {
    const isChanged = (found[index] ?? 0) > 0;
    const replaced = isChanged ? run.text.split(oldText).join(newText) : run.text;
    const isLast = index === file.runs.length - 1 && file.isEndKnown;
    const next = runOf(run.first + shift, isLast ? replaced : terminated(replaced));
    if (isChanged) changed ??= next;
    shift += next.count - run.count;
    if (next.count > 0 || file.runs.length === 1) runs.push(next);
  }
  return changed === undefined
    ? undefined
    : { file: { runs: joined(runs), isEndKnown: file.isEndKnown }, run: changed };
}

/** Lines as they are known from one on: how many, and whether the file goes on where they end. */
export interface LinesFrom {
  readonly lines: readonly string[];
  readonly endsFile: boolean;
}

/** What is known from a line on, up to the next gap; undefined where that line is in a gap. */
export function linesFrom(file: KnownFile, first: number): LinesFrom | undefined {
  for (const [index, run] of file.runs.entries()) {
    const endsFile = file.isEndKnown && index === file.runs.length - 1;
    const end = run.first + run.count;
    if (first < run.first || (first >= end && !endsFile)) continue;
    const text = first >= end ? "" : linesOf(run, first, end);
    return { lines: splitLines(text), endsFile };
  }
  return undefined;
}

const runOf = (first: number, text: string): KnownLines => ({ first, count: countLines(text), text });

const shownRun = ({ first, text, endsFile }: ShownLines): KnownLines =>
  runOf(first, endsFile ? text : terminated(text));

const cutRun = (run: KnownLines, from: number, to: number): KnownLines => runOf(from, linesOf(run, from, to));

/** The line after the last. */
const endOf = ({ first, count }: KnownLines): number => first + count;

const terminated = (text: string): string => (text === "" || text.endsWith("\n") ? text : `${text}\n`);

function splitLines(text: string): readonly string[] {
  const lines = text.split(/\r?\n/);
  return lines.at(-1) === "" ? lines.slice(0, -1) : lines;
}

function countLines(text: string): number {
  let count = 0;
  for (let at = text.indexOf("\n"); at >= 0; at = text.indexOf("\n", at + 1)) count += 1;
  return text === "" || text.endsWith("\n") ? count : count + 1;
}

function occurrences(text: string, part: string): number {
  let count = 0;
  for (let at = text.indexOf(part); at >= 0; at = text.indexOf(part, at + part.length)) count += 1;
  return count;
}

/** The text of a run from one line to before another, both within it. */
function linesOf({ first, count, text }: KnownLines, from: number, to: number): string {
  if (from <= first && to >= first + count) return text;
  let start = 0;
  for (let line = first; line < from; line += 1) start = text.indexOf("\n", start) + 1;
  let end = start;
  for (let line = from; line < to; line += 1) {
    const next = text.indexOf("\n", end);
    if (next < 0) return text.slice(start);
    end = next + 1;
  }
  return text.slice(start, end);
}

/** A last line may be shown with a line break that it does not have. */
const isSame = (a: string, b: string): boolean => a === b || terminated(a) === terminated(b);

/** Runs that touch become one. */
function joined(runs: readonly KnownLines[]): readonly KnownLines[] {
  const result: KnownLines[] = [];
  for (const run of runs) {
    const last = result.at(-1);
    if (last !== undefined && last.first + last.count === run.first) {
      const text = terminated(last.text) + run.text;
      result[result.length - 1] = { first: last.first, count: last.count + run.count, text };
    } else {
      result.push(run);
    }
  }
  return result;
}
