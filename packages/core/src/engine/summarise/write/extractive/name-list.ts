import { oneLine } from "../../../../messages/plain-text.js";
import type { Allowance } from "./allowance.js";

const MAX_PATH = 400;

/** A path with a few words about it. */
export interface ListedFile {
  readonly path: string;
  readonly note?: string;
}

/** One line: `   - path (note)`. */
export const fileLine = ({ path, note = "" }: ListedFile): string =>
  `   - ${oneLine(path, MAX_PATH)}${note === "" ? "" : ` (${note})`}`;

/** A line for each file, in their order, where all fit; undefined where they do not. */
export function listFiles(files: readonly ListedFile[], allowance: Allowance): readonly string[] | undefined {
  const lines = files.map(fileLine);
  return allowance.takeAll(lines) ? lines : undefined;
}

/** As many paths as fit, on one line; undefined where not all do and all are wanted. */
export function packFiles(
  paths: readonly string[],
  { allowance, isWhole }: { readonly allowance: Allowance; readonly isWhole: boolean },
): string | undefined {
  const shown = paths.map((path) => oneLine(path, MAX_PATH));
  const costs = shown.map((path) => allowance.costOf(`, ${path}`));
  let count = 0;
  let cost = allowance.costOf("   -");
  while (count < shown.length && cost + (costs[count] ?? 0) <= allowance.left) cost += costs[count++] ?? 0;
  if (count === 0 || (isWhole && count < shown.length)) return undefined;
  allowance.spend(cost);
  return `   - ${shown.slice(0, count).join(", ")}`;
}

/** All names, gathered by directory; what does not fit is counted. */
export function groupFiles(paths: readonly string[], allowance: Allowance): readonly string[] {
  const groups = new Map<string, string[]>();
  for (const path of paths) {
    const shown = oneLine(path, MAX_PATH);
    const cut = Math.max(shown.lastIndexOf("/"), shown.lastIndexOf("\\")) + 1;
    const names = groups.get(shown.slice(0, cut)) ?? [];
    groups.set(shown.slice(0, cut), names);
    names.push(shown.slice(cut));
  }
  const rest = (count: number): string => `   - and ${count} more, all in the transcript`;
  if (!allowance.take(rest(paths.length))) return [];
  const lines: string[] = [];
  let named = 0;
  for (const [directory, names] of groups) {
    const line = groupLine(directory, names, allowance);
    if (line === undefined) break;
    lines.push(line.text);
    named += line.count;
    if (line.count < names.length) break;
  }
  return named < paths.length ? [...lines, rest(paths.length - named)] : lines;
}

/** `   - src/: a.ts, b.ts`, with as many names as fit. */
function groupLine(
  directory: string,
  names: readonly string[],
  allowance: Allowance,
): { readonly text: string; readonly count: number } | undefined {
  const start = directory === "" ? "   -" : `   - ${directory}:`;
  const [first, ...others] = names;
  if (first === undefined || !allowance.take(`${start} ${first}`)) return undefined;
  const shown = [first];
  for (const name of others) {
    if (!allowance.take(`, ${name}`)) break;
    shown.push(name);
  }
  return { text: `${start} ${shown.join(", ")}`, count: shown.length };
}

const MORE = /^and \d+ more, all in the transcript$/;
const NOTE = / \((?:new|new, \d+ changes|\d+ changes|changing it failed)\)$/;

/** The paths that a line of such lists names: one, several, or those of a directory. */
export function pathsOnLine(line: string, isPacked: boolean): readonly string[] {
  const item = /^ {3}- (.+)$/.exec(line)?.[1];
  if (item === undefined || MORE.test(item)) return [];
  const [, directory, names] = /^(.*[/\\]): (.+)$/.exec(item) ?? [];
  if (directory !== undefined && names !== undefined) {
    return names.split(", ").map((name) => `${directory}${name}`);
  }
  return isPacked ? item.split(", ") : [item.replace(NOTE, "")];
}
