import { lstatSync, readdirSync } from "node:fs";
import { isAbsolute } from "node:path";

const MAX_ALTERNATIVES = 256;
const MAX_NAMES = 1000;
/** Entries of directories that are looked at for one word. */
const MAX_ENTRIES = 20_000;

/** Whether the shell could put names of files in the place of this text. */
export const hasWildcard = (text: string): boolean => /[*?[]/.test(text);

/**
 * The names that a shell in this directory may put in the place of a word with `*`, `?` or `[…]`, and the word itself
 * where there are none. Rather too many than too few: each of them stands for any text. Undefined for too many to be
 * looked at.
 */
export function expandWildcards(
  word: string,
  directory: string,
  mostNames = MAX_NAMES,
): readonly string[] | undefined {
  let entries = 0;
  let found = [isAbsolute(word) ? "/" : ""];
  const parts = word.split("/").filter((part, at, all) => part !== "" || at === all.length - 1);
  for (const [at, part] of parts.entries()) {
    const isLast = at === parts.length - 1;
    const next: string[] = [];
    for (const start of found) {
      const place = isAbsolute(start) ? start : `${directory}/${start}`;
      if (!hasWildcard(part)) {
        next.push(`${start}${part}${isLast ? "" : "/"}`);
        continue;
      }
      const names = namesIn(place);
      entries += names.length;
      if (entries > MAX_ENTRIES) return undefined;
      const fitting = names.filter((name) => fits(part, name));
      if (fitting.some(isGarbled)) return undefined;
      next.push(...fitting.map((name) => `${start}${name}${isLast ? "" : "/"}`));
      if (next.length > mostNames) return undefined;
    }
    found = next;
  }
  const present = found.filter((path) => isThere(isAbsolute(path) ? path : `${directory}/${path}`));
  return present.length === 0 ? [word] : present;
}

/** Whether a name is not what stands on the disk, because that is not text: what it leads to cannot be asked for. */
export const isGarbled = (name: string): boolean => name.includes("\ufffd");

/** Whether a shell may take a name for what a part of a path with wildcards means. Each text between them is met once. */
function fits(part: string, name: string): boolean {
  if (name.startsWith(".") && !part.startsWith(".")) return false;
  const [first = "", ...rest] = part.replace(/\[.*\]|\[.*$/s, "*").split(/[*?]+/);
  const last = rest.pop() ?? "";
  if (!name.startsWith(first) || name.length < first.length + last.length || !name.endsWith(last))
    return false;
  let at = first.length;
  for (const text of rest) {
    const found = name.indexOf(text, at);
    if (found < 0 || found + text.length > name.length - last.length) return false;
    at = found + text.length;
  }
  return true;
}

function namesIn(directory: string): readonly string[] {
  try {
    return readdirSync(directory);
  } catch {
    return [];
  }
}

function isThere(path: string): boolean {
  try {
    return lstatSync(path, { throwIfNoEntry: false }) !== undefined;
  } catch {
    return false;
  }
}

/** The words that a shell makes of one with braces: `{a,b}` and `{1..3}`. Undefined for too many. */
export function expandBraces(word: string): readonly string[] | undefined {
  const waiting = [word];
  const done: string[] = [];
  for (let text = waiting.pop(); text !== undefined; text = waiting.pop()) {
    const [group, inside = ""] = /\{([^{}]*)\}/.exec(text) ?? [];
    if (group === undefined) done.push(text.replaceAll("\u0001", "{").replaceAll("\u0002", "}"));
    else {
      const members = membersOf(inside);
      if (members === undefined) return undefined;
      const at = text.indexOf(group);
      for (const member of members) waiting.push(text.slice(0, at) + member + text.slice(at + group.length));
    }
    if (done.length + waiting.length > MAX_ALTERNATIVES) return undefined;
  }
  return done;
}

/**
 * What may stand for a group; one that is not a group stands for itself. A shell reads `..` around other groups in odd
 * ways: such a text also stands for itself, with its braces and without.
 */
function membersOf(inside: string): readonly string[] | undefined {
  if (inside.includes(",")) return inside.split(",");
  const itself = `\u0001${inside}\u0002`;
  if (!inside.includes("..")) return [itself];
  const sequence = sequenceOf(inside);
  return sequence === undefined ? undefined : [...sequence, itself, inside];
}

/** `1..3`, `01..10..2`, `a..e`; nothing for what is not such a sequence, undefined for too many. */
function sequenceOf(inside: string): readonly string[] | undefined {
  const [, from = "", to = "", step = "1"] =
    /^(-?\d{1,9}|[A-Za-z])\.\.(-?\d{1,9}|[A-Za-z])(?:\.\.-?(\d{1,9}))?$/.exec(inside) ?? [];
  if (from === "" || /\d/.test(from) !== /\d/.test(to)) return [];
  const isNumber = /\d/.test(from);
  const first = isNumber ? Number(from) : from.charCodeAt(0);
  const last = isNumber ? Number(to) : to.charCodeAt(0);
  const width = Math.max(1, Number(step));
  const count = Math.floor(Math.abs(last - first) / width) + 1;
  if (count > MAX_ALTERNATIVES) return undefined;
  const digits = [from, to].some((end) => /^-?0\d/.test(end)) ? Math.max(from.length, to.length) : 0;
  return Array.from({ length: count }, (_, index) => {
    const value = first + Math.sign(last - first) * index * width;
    if (!isNumber) return String.fromCharCode(value);
    const sign = value < 0 ? "-" : "";
    return sign + String(Math.abs(value)).padStart(digits - sign.length, "0");
  });
}
