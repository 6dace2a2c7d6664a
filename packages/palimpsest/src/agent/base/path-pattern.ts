import { resolve, sep } from "node:path";
import { matchPaths, type PathMatcher } from "../../files/path-patterns.js";
import { realPathOf, wayInside } from "./real-path.js";

interface PathPatternPlaces {
  readonly home: string;
  readonly workingDirectory: string;
  /** Where patterns start that begin with one slash. */
  readonly base: string;
}

export interface PathPatternOptions {
  readonly places: PathPatternPlaces;
  /** For rules that forbid: on many disks another case is the same file. */
  readonly ignoresCase?: boolean;
}

const MAX_ALTERNATIVES = 256;

/**
 * Whether an absolute path is meant by a pattern in the manner of .gitignore: `//x` counts from the root of the
 * disk, `~/x` from home, `/x` from the rule's own place, any other from the working directory; a name without a
 * slash stands at any depth; what means a directory means all below it. `{a,b}` and `[abc]` are alternatives.
 * Undefined for a pattern that cannot be read: exclusions, too many alternatives.
 */
export function compilePathPattern(pattern: string, options: PathPatternOptions): PathMatcher | undefined {
  const { places, ignoresCase = false } = options;
  const { base, rest } = anchor(pattern, places);
  const alternatives = expandAlternatives(rest);
  if (alternatives === undefined || pattern.startsWith("!")) return undefined;
  const fold = (text: string): string => (ignoresCase ? text.toLowerCase() : text);
  const matches = matchPaths(alternatives.map(fold));
  const bases = new Set([resolve(base), realPathOf(resolve(base))]);
  return (path) =>
    Array.from(bases, (directory) => wayInside(fold(directory), fold(path))).some(
      (way) => way !== undefined && matches(`/${way.split(sep).join("/")}`),
    );
}

function anchor(
  pattern: string,
  places: PathPatternPlaces,
): { readonly base: string; readonly rest: string } {
  if (pattern.startsWith("//")) return { base: "/", rest: pattern.slice(1) };
  if (pattern === "~") return { base: places.home, rest: "/**" };
  if (pattern.startsWith("~/")) return { base: places.home, rest: pattern.slice(1) };
  if (pattern.startsWith("/")) return { base: places.base, rest: pattern };
  const isLocal = pattern.startsWith("./");
  const name = (isLocal ? pattern.slice(2) : pattern).replace(/\/+$/, "");
  if (name === "" || name === ".") return { base: places.workingDirectory, rest: "/**" };
  const isAnchored = isLocal || name.includes("/");
  return { base: places.workingDirectory, rest: isAnchored ? `/${name}` : name };
}

/** The patterns without braces and brackets that a pattern stands for. */
function expandAlternatives(pattern: string): readonly string[] | undefined {
  const waiting = [pattern];
  const done: string[] = [];
  for (let text = waiting.pop(); text !== undefined; text = waiting.pop()) {
    const expanded = expandFirst(text);
    if (expanded === undefined || waiting.length + expanded.length > MAX_ALTERNATIVES) return undefined;
    if (expanded.length === 1 && expanded[0] === text) done.push(text);
    else waiting.push(...expanded);
    if (done.length > MAX_ALTERNATIVES) return undefined;
  }
  return done;
}

/** The innermost group taken apart; the text itself where there is none, undefined where it cannot be read. */
function expandFirst(text: string): readonly string[] | undefined {
  const [group, inBraces, inBrackets] = /\{([^{}]*,[^{}]*)\}|\[([^\]]+)\]/.exec(text) ?? [];
  if (group === undefined) return [text];
  const members = inBraces?.split(",") ?? charactersOf(inBrackets ?? "");
  const at = text.indexOf(group);
  return members?.map((member) => text.slice(0, at) + member + text.slice(at + group.length));
}

function charactersOf(set: string): readonly string[] | undefined {
  if (/^[!^]|[/\\]/.test(set)) return undefined;
  const characters: string[] = [];
  for (let at = 0; at < set.length; at += 1) {
    const from = set.charCodeAt(at);
    const isRange = set[at + 1] === "-" && at + 2 < set.length;
    const to = isRange ? set.charCodeAt(at + 2) : from;
    if (to - from > MAX_ALTERNATIVES) return undefined;
    for (let code = from; code <= to; code += 1) characters.push(String.fromCharCode(code));
    if (isRange) at += 2;
  }
  return characters;
}
