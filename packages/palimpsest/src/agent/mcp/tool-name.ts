import { hashValue } from "@palimpsest/core/engine";

/** The longest name that providers take for a tool. */
const LONGEST_NAME = 64;
const LONGEST_SERVER = 24;
const PREFIX = "mcp__";
const SEPARATOR = "__";

const shortHash = (text: string): string => hashValue(text).slice(0, 6);

const clean = (text: string): string => text.replace(/[^A-Za-z0-9_-]/g, "_");

/** The text, or its beginning with a hash of all of it. */
const cutTo = (text: string, max: number, whole: string): string =>
  text.length <= max ? text : `${text.slice(0, max - 7)}_${shortHash(whole)}`;

/** Counts on until nobody has that name. */
function unique(name: string, max: number, taken: ReadonlySet<string>): string {
  for (let count = 1; ; count += 1) {
    const suffix = count === 1 ? "" : `_${count}`;
    const candidate = name.slice(0, max - suffix.length) + suffix;
    if (!taken.has(candidate)) return candidate;
  }
}

/**
 * How servers are called inside tool names, in the order of their configuration: no two alike, and none with what
 * separates a server from its tool, so that two servers never meet in one tool name.
 */
export function serverLabels(names: readonly string[]): readonly string[] {
  const taken = new Set<string>();
  return names.map((name) => {
    const bare = clean(name)
      .replace(/_{2,}/g, "_")
      .replace(/^_+|(?<!_)_+$/g, "");
    const label = unique(cutTo(bare === "" ? "server" : bare, LONGEST_SERVER, name), LONGEST_SERVER, taken);
    taken.add(label);
    return label;
  });
}

/**
 * The names under which a model calls a server's tools, `mcp__server__tool`, in the order of the list; only
 * letters, digits, `_` and `-`, at most 64 characters, no two alike. Names that need no cleaning come first, so
 * that none of them changes because of one that does.
 */
export function toolNames(label: string, names: readonly string[]): readonly string[] {
  const head = `${PREFIX}${label}${SEPARATOR}`;
  const room = LONGEST_NAME - head.length;
  const taken = new Set<string>();
  const given = new Map<number, string>();
  const give = (index: number, name: string): void => {
    const bare = clean(name);
    const found = unique(head + cutTo(bare === "" ? "tool" : bare, room, name), LONGEST_NAME, taken);
    taken.add(found);
    given.set(index, found);
  };
  const isClean = (name: string): boolean => clean(name) === name && name.length <= room;
  for (const [index, name] of names.entries()) if (isClean(name)) give(index, name);
  for (const [index, name] of names.entries()) if (!isClean(name)) give(index, name);
  return names.map((_, index) => given.get(index) ?? "");
}
