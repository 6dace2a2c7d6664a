import { pathsNamedIn } from "../../record/named-paths.js";
import { MAX_MISSES, type Allowance } from "./allowance.js";
import { resultText } from "./call.js";
import type { EarlierSummary } from "./earlier-summary.js";
import { fileExcerpt } from "./file-excerpt.js";
import {
  MENTIONED_FILES_LABEL,
  OLDER_FILES_LABEL,
  OUTSIDE_FILES_LABEL,
  READ_FILES_LABEL,
} from "../../shape/labels.js";
import { fileLine, groupFiles, listFiles, packFiles, type ListedFile } from "./name-list.js";
import type { Survey, TouchedFile } from "./survey.js";

/** Shares of the budget. */
const LIST_SHARE = 0.35;
const GROUP_SHARE = 0.6;
const EARLIER_SHARE = 0.2;
const READ_SHARE = 0.08;
const MENTIONED_SHARE = 0.08;
/** How far back calls are searched for files that they mention. */
const MENTIONING_CALLS = 150;
const MENTIONING_CHARACTERS = 2000;
const MAX_SPLIT = 1000;
const MAX_READ_EXCERPTS = 6;

/** Section 3 in the making: names come first, excerpts take what is left at the end. */
export class FilesSection {
  readonly #changed: readonly TouchedFile[];
  readonly #read: readonly TouchedFile[];
  readonly #outside: readonly string[];
  readonly #earlier: readonly string[];
  readonly #mentioned: readonly string[];
  readonly #changedLines = new Map<string, string>();
  readonly #excerpts = new Map<string, readonly string[]>();
  #grouped: readonly string[] = [];
  #others: readonly string[] = [];

  constructor(survey: Survey, earlier: EarlierSummary) {
    const files = [...survey.files.values()].toSorted((a, b) => b.last - a.last);
    this.#changed = files.filter(({ changes }) => changes > 0);
    this.#outside = survey.changedOutside;
    this.#earlier = earlier.paths.filter(notAmong(this.#changed.map(({ path }) => path)));
    const isOlder = new Set(this.#earlier);
    this.#read = files.filter(({ changes, path }) => changes === 0 && !isOlder.has(path));
    this.#mentioned = mentionedFiles(survey).filter(notAmong([...survey.files.keys(), ...this.#earlier]));
  }

  /** Every file that was changed: a line each, or gathered by directory where that is too much. */
  nameChanged(allowance: Allowance, budget: number): void {
    const listed = this.#changed.map((file): ListedFile => ({ path: file.path, note: noteOf(file) }));
    const lines = listFiles(listed, allowance.share(budget * LIST_SHARE));
    if (lines === undefined) {
      this.#grouped = groupFiles(
        listed.map(({ path }) => path),
        allowance.share(budget * GROUP_SHARE),
      );
    } else {
      for (const [index, line] of lines.entries()) this.#changedLines.set(listed[index]?.path ?? "", line);
    }
  }

  /** Files of earlier work, files that were only read, files that others changed. */
  nameOthers(allowance: Allowance, budget: number): void {
    const of = (label: string, paths: readonly string[], share: number): readonly string[] => {
      const own = allowance.share(budget * share);
      if (paths.length === 0 || !own.take(label)) return [];
      const packed = packFiles(paths, { allowance: own, isWhole: true });
      const names = packed === undefined ? groupFiles(paths, own) : [packed];
      return names.length === 0 ? [] : [label, ...names];
    };
    const read = this.#read.map(({ path }) => path);
    this.#others = [
      ...of(OLDER_FILES_LABEL, this.#earlier, EARLIER_SHARE),
      ...of(READ_FILES_LABEL, read, READ_SHARE),
      ...of(OUTSIDE_FILES_LABEL, this.#outside, READ_SHARE / 2),
      ...this.#mentions(allowance.share(budget * MENTIONED_SHARE)),
    ];
  }

  #mentions(allowance: Allowance): readonly string[] {
    const packed = allowance.take(MENTIONED_FILES_LABEL)
      ? packFiles(this.#mentioned, { allowance, isWhole: false })
      : undefined;
    return packed === undefined ? [] : [MENTIONED_FILES_LABEL, packed];
  }

  /** What the newest calls wrote into files or read from them, as far as it fits. */
  addExcerpts(allowance: Allowance, maxLines: number): void {
    const files = [...this.#changed, ...this.#read.slice(0, MAX_READ_EXCERPTS)];
    let misses = 0;
    for (const file of files) {
      if (allowance.left <= 0 || misses >= MAX_MISSES) return;
      if (this.#excerpts.has(file.path)) continue;
      const lines = fileExcerpt(file, maxLines);
      const own = this.#changedLines.has(file.path) ? lines : [fileLine(file), ...lines];
      if (lines.length === 0) continue;
      if (allowance.takeAll(own)) this.#excerpts.set(file.path, lines);
      else misses += 1;
    }
  }

  lines(): readonly string[] {
    const listed = [...this.#changedLines].flatMap(([path, line]) => [
      line,
      ...(this.#excerpts.get(path) ?? []),
    ]);
    const further = [...this.#excerpts]
      .filter(([path]) => !this.#changedLines.has(path))
      .flatMap(([path, lines]) => [fileLine({ path }), ...lines]);
    return [...listed, ...this.#grouped, ...this.#others, ...further];
  }
}

/** Whether a path is none of these, nor the end of one. */
function notAmong(paths: readonly string[]): (path: string) => boolean {
  const ends = new Set(paths);
  for (const path of paths.filter(({ length }) => length <= MAX_SPLIT)) {
    for (let at = path.indexOf("/", 1); at !== -1; at = path.indexOf("/", at + 1))
      ends.add(path.slice(at + 1));
  }
  return (path) => !ends.has(path);
}

/** Files that the newest calls or their results speak of: those that come up most, and last, first. */
function mentionedFiles({ entries }: Survey): readonly string[] {
  const calls = entries
    .flatMap((entry) => (entry.kind === "call" ? [entry.call] : []))
    .slice(-MENTIONING_CALLS);
  const scores = new Map<string, number>();
  for (const [index, call] of calls.entries()) {
    const texts = [...Object.values(call.input), resultText(call.result)].filter(
      (text) => typeof text === "string",
    );
    const paths = new Set(
      texts.flatMap((text) => pathsNamedIn(text.slice(0, MENTIONING_CHARACTERS)).map(({ path }) => path)),
    );
    for (const path of paths) scores.set(path, (scores.get(path) ?? 0) + 1 + index / calls.length);
  }
  return [...scores].toSorted(([, a], [, b]) => b - a).map(([path]) => path);
}

function noteOf({ changes, failedChanges, isNew }: TouchedFile): string {
  if (failedChanges === changes) return "changing it failed";
  const done = changes - failedChanges;
  return [isNew ? "new" : "", done > 1 ? `${done} changes` : ""].filter((word) => word !== "").join(", ");
}
