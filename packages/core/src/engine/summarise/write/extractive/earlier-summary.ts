import { pathsNamedIn } from "../../record/named-paths.js";
import { oneLine } from "../../../../messages/plain-text.js";
import { USER_MESSAGES_SECTION } from "../../shape/sections.js";
import { findSections, sectionBody } from "../../shape/summary-sections.js";
import { newestThatFit, type Allowance } from "./allowance.js";
import {
  CONCEPT_LABELS,
  EARLIER_LABEL,
  LATEST_REQUEST,
  MENTIONED_FILES_LABEL,
  MESSAGES_LABEL,
  NOTHING,
  OLDER_FILES_LABEL,
  OUTSIDE_FILES_LABEL,
  READ_FILES_LABEL,
} from "../../shape/labels.js";
import { pathsOnLine } from "./name-list.js";

/** What an earlier summary among the messages has to hand on. */
export interface EarlierSummary {
  /** By section; one that is not divided into sections stands in section 5. */
  readonly bodies: ReadonlyMap<number, string>;
  /** Files that were changed, or that it names; in its order. */
  readonly paths: readonly string[];
  /** Written by the extractive writer, which says again by itself what is known from elsewhere. */
  readonly isOurs: boolean;
}

/** How much of the tokens for earlier work goes to which section. */
const SHARES: ReadonlyMap<number, number> = new Map([
  [1, 0.14],
  [2, 0.1],
  [3, 0.24],
  [4, 0.16],
  [5, 0.22],
  [7, 0.04],
  [8, 0.1],
]);
const UNDIVIDED = 5;
const ENOUGH_SECTIONS = 3;
const LINE_CHARACTERS = 240;
const MAX_READ = 200_000;

export function readEarlierSummary(text: string): EarlierSummary {
  const read = text.slice(0, MAX_READ);
  const parts = findSections(read);
  const numbers = new Set(parts.map(({ number }) => number));
  if (numbers.size < ENOUGH_SECTIONS) {
    const bodies = new Map(read.trim() === "" ? [] : [[UNDIVIDED, read]]);
    return { bodies, paths: namedFiles(read), isOurs: false };
  }
  const bodies = new Map([...numbers].map((number) => [number, sectionBody(read, parts, number)]));
  const messages = bodies.get(USER_MESSAGES_SECTION) ?? "";
  const isOurs = messages.startsWith(MESSAGES_LABEL.trim()) || messages === NOTHING.trim();
  const files = bodies.get(3) ?? "";
  const paths = isOurs ? changedFiles(files) : namedFiles(`${files}\n${bodies.get(8) ?? ""}`);
  return { bodies, paths: [...new Set(paths)], isOurs };
}

const UNCHANGED = new Set([READ_FILES_LABEL, OUTSIDE_FILES_LABEL, MENTIONED_FILES_LABEL, EARLIER_LABEL]);

/** The files that a section of ours lists as changed, then and before. */
function changedFiles(files: string): readonly string[] {
  // The body of a section begins without the blanks of its first line.
  const lines = `   ${files}`.split("\n");
  const end = lines.findIndex((line) => UNCHANGED.has(line));
  const listed = end === -1 ? lines : lines.slice(0, end);
  const older = listed.indexOf(OLDER_FILES_LABEL);
  return listed.flatMap((line, index) => pathsOnLine(line, older !== -1 && index > older));
}

const namedFiles = (text: string): readonly string[] => pathsNamedIn(text).map(({ path }) => path);

/** The substance of one section of an earlier summary, within its share of the tokens for earlier work. */
export function earlierLines(
  earlier: EarlierSummary,
  section: number,
  { allowance, tokens }: { readonly allowance: Allowance; readonly tokens: number },
): readonly string[] {
  const items = itemsOf(substance(earlier, section));
  const share = earlier.bodies.size === 1 ? 1 : (SHARES.get(section) ?? 0);
  const own = allowance.share(tokens * share);
  if (items.length === 0 || !own.take(EARLIER_LABEL)) return [];
  const write = (item: string): readonly string[] => [`      ${oneLine(item, LINE_CHARACTERS)}`];
  // Of work the end is what matters, of everything else the beginning.
  const lines =
    section === 8
      ? newestThatFit(items, own, write)
      : newestThatFit(items.toReversed(), own, write).toReversed();
  return lines.length === 0 ? [] : [EARLIER_LABEL, ...lines];
}

/** Lines that the next summary has of its own. */
const AGAIN = [LATEST_REQUEST, ...CONCEPT_LABELS].map((label) => label.trim());

function substance({ bodies, isOurs }: EarlierSummary, section: number): string {
  const body = bodies.get(section) ?? "";
  if (!isOurs) return body;
  if (section === 1 || section === 3) {
    const at = body.lastIndexOf(EARLIER_LABEL);
    return at === -1 ? "" : body.slice(at);
  }
  return body
    .split("\n")
    .filter((line) => !AGAIN.some((start) => line.trim().startsWith(start)))
    .join("\n");
}

const BULLET = /^(?:[-*•#]|\d+[.)]|\*\*)/;

/** The points of a section, each with the lines that belong to it; its lines where it has no points. */
function itemsOf(body: string): readonly string[] {
  const lines = body
    .split(/\r?\n/)
    .map((line) => line.trim())
    .filter(
      (line) =>
        line !== "" && line !== EARLIER_LABEL.trim() && line !== NOTHING.trim() && !/^`{3,}/.test(line),
    );
  if (!lines.some((line) => BULLET.test(line))) return lines;
  const items: string[] = [];
  for (const line of lines) {
    const last = items.at(-1);
    if (last === undefined || BULLET.test(line)) items.push(line);
    else if (last.length < LINE_CHARACTERS) items[items.length - 1] = `${last} ${line}`;
  }
  return items;
}
