/** Whether a path, or a directory above it, is meant by a pattern. */
export type PathMatcher = (path: string) => boolean;

const partsOf = (path: string): readonly string[] => path.split(/[\\/]/).filter((part) => part !== "");

/**
 * Patterns such as `.env`, `*.pem`, `secrets/**` and `/etc/**`: `*` and `?` stand for characters of one name,
 * `**` for any number of directories. One that begins with a slash counts from the root, any other from anywhere.
 * What matches a directory covers all that is below it.
 */
export function matchPaths(patterns: readonly string[]): PathMatcher {
  const compiled = patterns
    .filter((pattern) => pattern.trim() !== "")
    .map((pattern) =>
      /^[\\/]|^[a-z]:[\\/]/i.test(pattern) ? partsOf(pattern) : ["**", ...partsOf(pattern)],
    );
  return (path) => {
    const parts = partsOf(path);
    return compiled.some((pattern) => coversParts(pattern, parts));
  };
}

/** What the system tells of its processes, their environments among it. */
const NEVER = ["/proc"];

/**
 * As `matchPaths`, for what must not be seen: a file is meant also under names that some file system takes for its
 * own (other cases, other compositions of a letter, dots and spaces after it). `/proc` is always meant.
 */
export function matchDenied(patterns: readonly string[]): PathMatcher {
  const isNamed = matchPaths([...NEVER, ...patterns]);
  const isAlias = matchPaths(patterns.map(fold));
  return (path) => isNamed(path) || isAlias(partsOf(fold(path)).map(withoutTail).join("/"));
}

const fold = (path: string): string => path.normalize("NFC").toLowerCase();

/** A name without the dots and spaces at its end; one that is nothing else stays. */
function withoutTail(name: string): string {
  let end = name.length;
  while (end > 0 && (name[end - 1] === "." || name[end - 1] === " ")) end -= 1;
  return end === 0 ? name : name.slice(0, end);
}

/** Whether the pattern fits the parts, or as many of them as it takes; each pair is looked at once. */
function coversParts(pattern: readonly string[], parts: readonly string[]): boolean {
  // reached[i]: the pattern so far fits the first i parts.
  let reached = [true, ...parts.map(() => false)];
  for (const piece of pattern) {
    const next = reached.map(() => false);
    if (piece === "**") {
      let isReached = false;
      for (const [index, value] of reached.entries()) next[index] = isReached ||= value;
    } else {
      for (const [index, part] of parts.entries()) {
        if (reached[index] === true && fitsName(piece, part)) next[index + 1] = true;
      }
    }
    reached = next;
  }
  return reached.includes(true);
}

/** Goes back to the last star only, so that no name takes longer than its length times the pattern's. */
function fitsName(pattern: string, name: string): boolean {
  let at = 0;
  let inName = 0;
  let star = -1;
  let starName = 0;
  while (inName < name.length) {
    if (pattern[at] === "*") {
      star = at;
      starName = inName;
      at += 1;
    } else if (pattern[at] === "?" || pattern[at] === name[inName]) {
      at += 1;
      inName += 1;
    } else if (star >= 0) {
      at = star + 1;
      starName += 1;
      inName = starName;
    } else {
      return false;
    }
  }
  while (pattern[at] === "*") at += 1;
  return at === pattern.length;
}
