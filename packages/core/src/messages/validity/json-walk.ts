import { joinPath, type Finding } from "./problem.js";
import { ownWordings } from "./own-wordings.js";

const DEEPEST_LEVEL = 200;
const UNPAIRED_SURROGATE = "The request body is not valid JSON: no low surrogate in string";

interface Frame {
  readonly value: object;
  readonly key: string;
  readonly parent: Frame | undefined;
  readonly level: number;
}

/**
 * Finds what keeps a value from being sent as JSON at all: strings with half of a surrogate pair, and nesting
 * beyond 200 levels. `level` is the one on which the value stands, the request itself being on the first.
 */
export function findMalformedJson(value: unknown, level: number): readonly Finding[] {
  const findings: Finding[] = [];
  if (typeof value === "string" && !value.isWellFormed()) findings.push(surrogateAt(""));
  if (typeof value !== "object" || value === null) return findings;
  const seen = new Set<object>();
  const open: Frame[] = [{ value, key: "", parent: undefined, level }];
  for (let frame = open.pop(); frame !== undefined; frame = open.pop()) {
    if (seen.has(frame.value)) continue;
    seen.add(frame.value);
    if (frame.level > DEEPEST_LEVEL) {
      const path = pathOf(frame);
      findings.push({
        path,
        label: undefined,
        rule: "nesting-too-deep",
        text: ownWordings.nestingTooDeep(DEEPEST_LEVEL),
      });
      continue;
    }
    visitMembers(frame, { open, findings });
  }
  return findings;
}

function visitMembers(frame: Frame, walk: { readonly open: Frame[]; readonly findings: Finding[] }): void {
  const isList = Array.isArray(frame.value);
  const nested: Frame[] = [];
  for (const [key, member] of Object.entries(frame.value) as [string, unknown][]) {
    if (typeof member === "string" && !member.isWellFormed()) {
      walk.findings.push(surrogateAt(joinPath(pathOf(frame), key)));
    } else if (!isList && !key.isWellFormed()) {
      walk.findings.push(surrogateAt(pathOf(frame)));
    }
    if (typeof member === "object" && member !== null) {
      nested.push({ value: member, key, parent: frame, level: frame.level + 1 });
    }
  }
  while (nested.length > 0) walk.open.push(nested.pop() as Frame);
}

function surrogateAt(path: string): Finding {
  return { path, label: undefined, rule: "unpaired-surrogate", text: UNPAIRED_SURROGATE };
}

function pathOf(frame: Frame): string {
  const keys: string[] = [];
  for (let at: Frame | undefined = frame; at?.parent !== undefined; at = at.parent) keys.push(at.key);
  return keys.toReversed().join(".");
}
