import type { ScreenState } from "../state/state.js";
import { thousands } from "../state/compaction-words.js";
import { shownLine } from "../text/shown-text.js";
import { cutLine } from "../text/width.js";
import { openLines, spillLines } from "./block-lines.js";
import type { Look } from "./look.js";
import { statusLine } from "./status-line.js";

/** What a view puts at the bottom: the editor, a question, a list. */
export interface ViewLines {
  readonly lines: readonly string[];
  /** Where the cursor stands, in these lines; absent where there is none. */
  readonly cursor?: Cursor;
}

export interface Cursor {
  readonly row: number;
  readonly column: number;
}

export interface LiveArea {
  readonly lines: readonly string[];
  readonly cursor?: Cursor;
  /** What has outgrown the live area: to be committed before it is drawn. */
  readonly spill?: { readonly lines: readonly string[]; readonly characters: number };
}

const MOST_QUEUED = 3;
const MOST_CALLS = 5;
const CHARACTERS_PER_TOKEN = 4;

export interface LiveOptions extends Look {
  /** Of the screen. */
  readonly rows: number;
  readonly now: number;
  /** Seconds are counted while it works. */
  readonly hasMotion: boolean;
}

/** The part at the bottom that is drawn again and again: never taller than the screen less one line. */
export function liveArea(state: ScreenState, view: ViewLines, options: LiveOptions): LiveArea {
  const { rows } = options;
  const most = Math.max(1, rows - 1);
  const status = state.status === undefined ? [] : [statusLine(state.status, options)];
  const below = fitView(view, Math.max(1, most - status.length));
  const beside = [...callLines(state, options), ...workLines(state, options), ...queueLines(state, options)];
  const room = most - below.lines.length - status.length - 1;
  const shownBeside = beside.slice(0, Math.max(0, Math.min(beside.length, room)));
  const left = room - shownBeside.length;
  const open = state.open === undefined ? [] : openPart(state, options);
  if (state.open !== undefined && open.length > left) {
    const spill = spillLines(state.open, open.length - Math.max(0, left), options);
    if (spill !== undefined)
      return { lines: [], spill: { ...spill, lines: [...gapBefore(state), ...spill.lines] } };
  }
  const top = left <= 0 ? [] : open.slice(-left);
  const offset = top.length + shownBeside.length;
  // A line of space above what is typed on, where there is one to spare.
  const gap = room >= 0 ? [""] : [];
  return {
    lines: [...top, ...shownBeside, ...gap, ...below.lines, ...status],
    ...(below.cursor === undefined
      ? {}
      : { cursor: { ...below.cursor, row: below.cursor.row + offset + gap.length } }),
  };
}

/** Of a part whose beginning is written there is no gap before it. */
function gapBefore({ open, lastPart }: ScreenState): readonly string[] {
  if (open === undefined || open.kind === "raw" || (open.kind === "code" && open.opening === undefined))
    return [];
  return open.isItem && lastPart === "item" ? [] : [""];
}

const openPart = (state: ScreenState, options: LiveOptions): readonly string[] =>
  state.open === undefined ? [] : [...gapBefore(state), ...openLines(state.open, options)];

function callLines({ calls }: ScreenState, { theme, glyphs, width }: LiveOptions): readonly string[] {
  const running = calls
    .slice(0, MOST_CALLS)
    .map(({ name, about }) =>
      cutLine(`${theme.accent(glyphs.bullet)} ${theme.bold(name)} ${theme.dim(about)}`, width),
    );
  const more = calls.length - running.length;
  return calls.length === 0 ? [] : ["", ...running, ...(more > 0 ? [theme.dim(`  and ${more} more`)] : [])];
}

function workLines({ activity, compaction }: ScreenState, options: LiveOptions): readonly string[] {
  const { theme, glyphs, width, now, hasMotion } = options;
  const seconds = (since: number): string =>
    hasMotion ? ` ${glyphs.dot} ${Math.max(0, Math.floor((now - since) / 1000))} s` : "";
  if (compaction !== undefined) {
    const { text, milliseconds, at, contextTokens, summaryTokens } = compaction;
    const written =
      summaryTokens === 0 ? "" : ` ${glyphs.dot} about ${thousands(summaryTokens)} tokens of the summary`;
    const line = `${text.replace(/…$/, "")} (${thousands(contextTokens)} tokens)${seconds(at - milliseconds)}${written}`;
    return ["", cutLine(theme.accent(`${glyphs.bullet} ${shownLine(line)}`), width)];
  }
  if (activity === undefined) return [];
  const tokens =
    activity.characters === 0
      ? ""
      : ` ${glyphs.dot} about ${thousands(Math.ceil(activity.characters / CHARACTERS_PER_TOKEN))} tokens`;
  const line = `${activity.what}${seconds(activity.at)}${tokens} ${glyphs.dot} esc interrupts`;
  return ["", cutLine(theme.dim(`${glyphs.dot} ${line}`), width)];
}

function queueLines({ queue }: ScreenState, { theme, glyphs, width }: LiveOptions): readonly string[] {
  const shown = queue
    .slice(0, MOST_QUEUED)
    .map((text) => cutLine(theme.dim(`  ${glyphs.prompt} ${shownLine(text.slice(0, 500))} (waits)`), width));
  const more = queue.length - shown.length;
  return more > 0 ? [...shown, theme.dim(`  and ${more} more messages`)] : shown;
}

/** A view that is too tall keeps what is around its cursor. */
function fitView({ lines, cursor }: ViewLines, most: number): ViewLines {
  if (lines.length <= most) return cursor === undefined ? { lines } : { lines, cursor };
  const end = cursor === undefined ? lines.length : Math.min(lines.length, Math.max(most, cursor.row + 1));
  const start = end - most;
  const shown = lines.slice(start, end);
  return cursor === undefined
    ? { lines: shown }
    : { lines: shown, cursor: { ...cursor, row: cursor.row - start } };
}
