import { blocksIn, contentText, type Fields } from "../../messages/fields.js";
import { hashValue } from "../../messages/hash.js";
import type { Message } from "../../messages/message.js";
import { isCompactBoundary } from "../../messages/predicates.js";

/** A shorter result says too little for two of the same to mean anything. */
const LEAST_CHARACTERS = 400;
/** As much of a longer one is compared. */
const MOST_CHARACTERS = 20_000;
const KEY_DIGITS = 8;
const MOST_GONE = 500;

/** The call of each result with its key: it is asked about when it comes and when it goes. */
const known = new WeakMap<object, readonly [call: Fields, key: string]>();

/**
 * Names the results in messages, one after the other, by their calls and what they brought: who gets the same answer
 * to the same call has done work twice. Messages come from files and may be anything.
 */
export function createResultKeys(): (message: Message) => readonly string[] {
  const calls = new Map<unknown, Fields>();
  return (message) => {
    const { content } = (message as { readonly message?: { readonly content?: unknown } }).message ?? {};
    const keys: string[] = [];
    for (const block of blocksIn(content)) {
      if (block["type"] === "tool_use") calls.set(block["id"], block);
      if (block["type"] !== "tool_result" || block["is_error"] === true) continue;
      const id = block["tool_use_id"];
      const call = calls.get(id);
      calls.delete(id);
      if (call === undefined) continue;
      let made = known.get(block);
      if (made?.[0] !== call) known.set(block, (made = [call, keyOf(call, block["content"])]));
      if (made[1] !== "") keys.push(made[1]);
    }
    return keys;
  };
}

/** Empty where it has none. */
function keyOf({ name, input }: Fields, content: unknown): string {
  const text = contentText(content);
  if (text.length < LEAST_CHARACTERS) return "";
  try {
    return hashValue([[name, input], text.length, text.slice(0, MOST_CHARACTERS)]).slice(0, KEY_DIGITS);
  } catch {
    // Nested deeper than can be read.
    return "";
  }
}

/** Which results compactions took from the context, and which of these had to be fetched again. */
export interface GoneResults {
  /** Takes the message that comes next; whether it leaves the context now. */
  readonly take: (message: Message, leaves?: boolean) => void;
  /** Since the last compaction, and of those before each half as many as of the one after it. */
  readonly redone: () => number;
  /** Their keys, the oldest first: of many the newest. */
  readonly gone: () => readonly string[];
}

export function createGoneResults(): GoneResults {
  const keysOf = createResultKeys();
  let before = new Set<unknown>();
  const now = new Set<string>();
  let redone = 0;
  return {
    take(message, leaves = false) {
      if (isCompactBoundary(message)) {
        const gone: unknown = message.compactMetadata?.["goneResults"];
        before = new Set(Array.isArray(gone) ? gone : []);
        redone = positive(message.compactMetadata?.["redoneBefore"]) ?? 0;
      }
      for (const key of keysOf(message)) {
        if (before.delete(key)) redone += 1;
        now.delete(key);
        if (leaves) now.add(key);
      }
    },
    redone: () => redone,
    gone: () =>
      [...before, ...now]
        .filter((key): key is string => typeof key === "string" && key.length === KEY_DIGITS)
        .slice(-MOST_GONE),
  };
}

/** A number of somebody's file, where it is one. */
export const positive = (value: unknown): number | undefined =>
  typeof value === "number" && value > 0 ? value : undefined;
