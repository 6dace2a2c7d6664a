/** Whether a group of hooks is meant by what an event is about: a tool's name, a trigger, a source. */
export type Matcher = (value: string) => boolean;

const matchesAll: Matcher = () => true;

/**
 * Nothing, an empty text and `*` match everything. Letters, digits, `_`, `-`, spaces, `|` and `,` alone are names,
 * each to be met exactly. Anything else is a regular expression that may match anywhere. Undefined for one that
 * cannot be read.
 */
export function readMatcher(pattern: string | undefined): Matcher | undefined {
  if (pattern === undefined || pattern === "" || pattern === "*") return matchesAll;
  if (/^[\w\-, |]+$/.test(pattern)) {
    const names = new Set(pattern.split(/[|,]/).map((name) => name.trim()));
    return (value) => names.has(value);
  }
  try {
    const expression = new RegExp(pattern);
    return (value) => expression.test(value);
  } catch {
    return undefined;
  }
}
