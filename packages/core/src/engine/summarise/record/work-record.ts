import type { Estimator } from "../../ports/estimator.js";
import type { UsedName } from "./used-names.js";

export interface WorkRecordOptions {
  readonly estimator: Estimator;
  /** Of the whole conversation, the weightiest first. */
  readonly names: readonly UsedName[];
  /** Of the list; 0 for none. */
  readonly tokens: number;
  /** Whether the model reads a name elsewhere in what it is given. */
  readonly isShown: (name: string) => boolean;
}

const NAMES_LABEL =
  "Paths and names from the calls so far and what they showed, the weightiest first; they may have changed since:";

/**
 * What stands after a summary so that nothing is looked for again: the names that calls and results have used. Taken
 * from the messages, never from a model. Undefined where there is nothing.
 */
export function writeWorkRecord({
  names,
  estimator,
  isShown,
  tokens,
}: WorkRecordOptions): string | undefined {
  return writeWithin(namesWithout(names, isShown), { estimator, tokens, write: writeNames });
}

function* namesWithout(names: readonly UsedName[], isKnown: (name: string) => boolean): Generator<string> {
  for (const { name } of names) if (!isKnown(name)) yield name;
}

function writeNames(names: readonly string[]): string {
  const paths: string[] = [];
  const others: string[] = [];
  for (const name of names) (name.includes("/") || name.includes(".") ? paths : others).push(name);
  const lines = [paths, others].filter((list) => list.length > 0).map((list) => `- ${list.join(", ")}`);
  return [NAMES_LABEL, ...lines].join("\n");
}

interface ListBudget {
  readonly estimator: Estimator;
  /** Of the whole list, as it is written. */
  readonly tokens: number;
  readonly write: (items: readonly string[]) => string;
}

/** A list of the first items, as many as there is room for. Undefined where that is none. */
function writeWithin(items: Iterable<string>, { estimator, tokens, write }: ListBudget): string | undefined {
  const size = (text: string): number => Math.max(1, estimator.block({ type: "text", text }));
  let taken: string[] = [];
  let left = tokens;
  for (const item of items) {
    left -= size(`, ${item}`);
    if (left < 0) break;
    taken.push(item);
  }
  while (taken.length > 0) {
    const text = write(taken);
    const share = tokens / size(text);
    if (share >= 1) return text;
    // Together, and with what stands around them, they come to more than one by one.
    taken = taken.slice(0, Math.min(taken.length - 1, Math.floor(taken.length * share)));
  }
  return undefined;
}
