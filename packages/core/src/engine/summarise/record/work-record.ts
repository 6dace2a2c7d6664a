import { asText, isFields } from "../../../messages/fields.js";
import type { Message } from "../../../messages/message.js";
import type { Estimator } from "../../ports/estimator.js";
import { oneLine } from "../../../messages/plain-text.js";
import { namesInText, type UsedName } from "./used-names.js";

export interface WorkRecordOptions {
  readonly estimator: Estimator;
  /** What was summarised. */
  readonly summarised: readonly Message[];
  /** Of the whole conversation, the weightiest first. */
  readonly names: readonly UsedName[];
  /** Tokens of the list of names, and of the list of calls; 0 for none. */
  readonly namesTokens: number;
  readonly callsTokens: number;
  /** Whether the model reads a name elsewhere in what it is given. */
  readonly isShown: (name: string) => boolean;
}

const CALLS_LABEL = "The last calls before this point, in short, the newest last:";
const NAMES_LABEL =
  "Paths and names from the calls so far and what they showed, the weightiest first; they may have changed since:";

/**
 * What stands after a summary so that work is neither done twice nor looked for again: the last calls, and the
 * names that calls and results have used. Taken from the messages, never from a model. Undefined where there is
 * nothing.
 */
export function writeWorkRecord(options: WorkRecordOptions): string | undefined {
  const calls = recentCalls(options);
  const names = usedNames(options, calls ?? "");
  const parts = [calls, names].filter((part) => part !== undefined);
  return parts.length === 0 ? undefined : parts.join("\n\n");
}

function recentCalls({ summarised, estimator, callsTokens }: WorkRecordOptions): string | undefined {
  const write = (lines: readonly string[]): string => [CALLS_LABEL, ...lines.toReversed()].join("\n");
  return writeWithin(callsBackwards(summarised), { estimator, tokens: callsTokens, write });
}

/** Each call once, the newest first. */
function* callsBackwards(messages: readonly Message[]): Generator<string> {
  const seen = new Set<string>();
  for (let at = messages.length - 1; at >= 0; at -= 1) {
    const message = messages[at];
    if (message?.type !== "assistant") continue;
    const content: unknown = message.message?.content;
    const blocks: readonly unknown[] = Array.isArray(content) ? content : [];
    for (const block of blocks.toReversed()) {
      if (!isFields(block) || block["type"] !== "tool_use") continue;
      const line = describeCall(block);
      if (seen.has(line)) continue;
      seen.add(line);
      yield line;
    }
  }
}

const NAME_CHARACTERS = 100;
const FIELD_CHARACTERS = 200;
const CALL_CHARACTERS = 400;
const MOST_FIELDS = 100;

/** `Name field: value, field: value` on one line, without tags that mean something to programs. */
function describeCall({ name, input }: Readonly<Record<string, unknown>>): string {
  const fields = Object.entries(isFields(input) ? input : {})
    .slice(0, MOST_FIELDS)
    .map(([key, value]) => `${key}: ${oneLine(asJson(value), FIELD_CHARACTERS)}`);
  return `- ${oneLine(asText(name), NAME_CHARACTERS)} ${oneLine(fields.join(", "), CALL_CHARACTERS)}`.trimEnd();
}

function asJson(value: unknown): string {
  if (typeof value === "string") return value;
  try {
    return JSON.stringify(value) ?? "";
  } catch {
    // Nested deeper than can be written.
    return "…";
  }
}

function usedNames(options: WorkRecordOptions, calls: string): string | undefined {
  const { names, estimator, isShown, namesTokens } = options;
  const named = namesInText(calls);
  const unseen = namesWithout(names, (name) => named.has(name) || isShown(name));
  return writeWithin(unseen, { estimator, tokens: namesTokens, write: writeNames });
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
