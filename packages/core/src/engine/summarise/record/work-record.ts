import type { Estimator } from "../../ports/estimator.js";
import type { UsedName } from "./used-names.js";

export interface WorkRecordOptions {
  readonly estimator: Estimator;
  /** Of the whole conversation, the weightiest first. */
  readonly names: readonly UsedName[];
  /** Of the list; 0 for none. */
  readonly tokens: number;
  /** What the model reads elsewhere in what it is given. */
  readonly shown: ReadonlySet<string>;
}

const NAMES_LABEL =
  "Paths, names and values from the calls so far and what they showed, the weightiest first; they may have changed since:";

/**
 * What stands after a summary so that nothing is looked for again: the names that calls and results have used. Taken
 * from the messages, never from a model. Undefined where there is nothing.
 */
export function writeWorkRecord(options: WorkRecordOptions): string | undefined {
  const { names, estimator, shown, tokens } = options;
  const size = (text: string): number => Math.max(1, estimator.block({ type: "text", text }));
  let taken: string[] = [];
  let left = tokens;
  for (const { name } of names) {
    if (shown.has(name)) continue;
    left -= size(`, ${name}`);
    if (left < 0) break;
    taken.push(name);
  }
  while (taken.length > 0) {
    const text = writeNames(taken);
    const share = tokens / size(text);
    if (share >= 1) return text;
    // Together, and with what stands around them, they come to more than one by one.
    taken = taken.slice(0, Math.min(taken.length - 1, Math.floor(taken.length * share)));
  }
  return undefined;
}

function writeNames(names: readonly string[]): string {
  const kindOf = (name: string): number => (/^["'`\d]/.test(name) ? 2 : /[/.]/.test(name) ? 0 : 1);
  const lists = [0, 1, 2].map((kind) => names.filter((name) => kindOf(name) === kind));
  return NAMES_LABEL + lists.map((list) => (list.length > 0 ? `\n- ${list.join(", ")}` : "")).join("");
}
