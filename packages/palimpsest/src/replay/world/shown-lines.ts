import type { ShownLines } from "./known-file.js";

/** Which part of a file a call asked for. */
export interface AskedPart {
  /** The first line, counted from 1; left out for the start. */
  readonly offset?: number;
  /** How many lines; left out for all that the tool shows. */
  readonly limit?: number;
  /** The tool always numbers lines: text without numbers is no file. */
  readonly isNumbered: boolean;
}

/** As many lines as reading tools show unless asked for more. */
const DEFAULT_LIMIT = 2000;

/** What the result of a read shows of its file; undefined where it shows no text, or says something else. */
export function shownLines(result: string, asked: AskedPart): ShownLines | undefined {
  if (result.startsWith("<path>")) return taggedLines(result);
  const { runs, rest } = numberedRuns(result);
  const [run] = runs;
  if (run !== undefined && runs.length === 1) {
    const isCut = rest.trim() !== "" || run.lines.length >= (asked.limit ?? DEFAULT_LIMIT);
    return { first: run.first, text: run.lines.join("\n") + (isCut ? "\n" : ""), endsFile: !isCut };
  }
  return asked.isNumbered ? undefined : plainLines(result, asked);
}

/** The parts of a file that a numbered excerpt shows, with gaps between them. */
export function excerptLines(excerpt: string): readonly ShownLines[] {
  return numberedRuns(excerpt).runs.map(({ first, lines }) => ({
    first,
    text: `${lines.join("\n")}\n`,
    endsFile: false,
  }));
}

/** What OpenCode shows of a file; it shows directories under the same tags. */
const TAGGED = /^<path>[^\n]*<\/path>\n<type>file<\/type>\n<content>([^]*)/;

/** `12: ` before each line, and a notice after them that says whether the file ends there. */
function taggedLines(result: string): ShownLines | undefined {
  const shown = TAGGED.exec(result)?.[1]?.split("\n") ?? [];
  const first = Number(/^(\d{1,9}): /.exec(shown[0] ?? "")?.[1]);
  const lines: string[] = [];
  for (const line of shown) {
    const mark = `${first + lines.length}: `;
    if (!line.startsWith(mark)) break;
    lines.push(line.slice(mark.length));
  }
  if (lines.length === 0) return undefined;
  const endsFile = shown[lines.length + 1]?.startsWith("(End of file") === true;
  return { first: Math.max(1, first), text: lines.join("\n") + (endsFile ? "" : "\n"), endsFile };
}

interface NumberedRun {
  readonly first: number;
  readonly lines: string[];
}

const REMINDER_START = "<system-reminder>";
const REMINDER_END = "</system-reminder>";
/** What stands between two parts of an excerpt. */
const GAPS: ReadonlySet<string> = new Set(["", "...", "…", "--"]);

/** Lines with their numbers in front; `rest` is what else stands there but for reminders. */
function numberedRuns(text: string): { readonly runs: readonly NumberedRun[]; readonly rest: string } {
  const marker = / *(\d{1,9})(?:\t|→)/y;
  const runs: NumberedRun[] = [];
  let current: NumberedRun | undefined;
  let next = 0;
  let at = 0;
  while (at < text.length) {
    const newline = text.indexOf("\n", at);
    const end = newline < 0 ? text.length : newline;
    marker.lastIndex = at;
    const number = marker.exec(text);
    if (number === null) {
      const reminder = reminderEnd(text, at);
      if (reminder === undefined && !GAPS.has(text.slice(at, end).trim()))
        return { runs, rest: text.slice(at) };
      at = reminder ?? end + 1;
      continue;
    }
    const line = Number(number[1]);
    if (current === undefined || line !== next) {
      // A read from line 0 is numbered from 0, and shows the file from its start.
      current = { first: Math.max(1, line), lines: [] };
      runs.push(current);
    }
    next = line + 1;
    current.lines.push(text.slice(marker.lastIndex, end));
    at = end + 1;
  }
  return { runs, rest: "" };
}

/** Where a reminder that starts here ends, with the line break after it. */
function reminderEnd(text: string, at: number): number | undefined {
  if (!text.startsWith(REMINDER_START, at)) return undefined;
  const close = text.indexOf(REMINDER_END, at);
  if (close < 0) return undefined;
  const end = close + REMINDER_END.length;
  return text[end] === "\n" ? end + 1 : end;
}

/** `[12 more lines in file. Use offset=31 to continue]`, `[Showing lines 1-1603 of 2377 (50.0KB limit). …]`. */
const NOTICE_AFTER = /\n\n?\[(?:Showing lines \d+-\d+ of \d+|\d+ more lines in file|Truncated)[^\n]*\]\s*$/;
/** `IMPORTANT: … Showing lines 1-2000 of 5000 total lines. … --- FILE CONTENT (truncated) ---`, and an older form. */
const NOTICE_BEFORE =
  /^\s*(?:IMPORTANT: [^]{0,200}?Showing lines (\d+)-\d+ of \d+[^]{0,400}?--- FILE CONTENT \(truncated\) ---\n|\[File content truncated: showing lines (\d+)-\d+ of \d+[^\n]*\]\n)/;
/** Instead of a file. */
const NO_FILE = /^\s*(?:\[Line \d+ is [^\n]*exceeds|<system-reminder>|\[?(?:Image|PDF)\b|Read image file)/i;

const NOTICE_CHARACTERS = 400;

function plainLines(result: string, { offset = 1, limit }: AskedPart): ShownLines | undefined {
  if (NO_FILE.test(result.slice(0, NOTICE_CHARACTERS))) return undefined;
  const before = NOTICE_BEFORE.exec(result.slice(0, 2 * NOTICE_CHARACTERS));
  const first = Number(before?.[1] ?? before?.[2] ?? offset);
  const start = before?.[0].length ?? 0;
  const tail = Math.max(start, result.length - NOTICE_CHARACTERS);
  const after = NOTICE_AFTER.exec(result.slice(tail));
  const text = after === null ? result.slice(start) : `${result.slice(start, tail + after.index)}\n`;
  const isWhole = before === null && after === null;
  return { first, text, endsFile: isWhole && (limit === undefined || lineCount(text) < limit) };
}

const lineCount = (text: string): number => text.split("\n").length - (text.endsWith("\n") ? 1 : 0);
