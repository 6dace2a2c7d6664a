import type { Message } from "../../../messages/message.js";
import { mentionsOf } from "./used-names.js";

/** So many are looked for anywhere in a text. Of more, only those that stand nowhere as words of their own. */
const LOOKED_FOR = 64;
const MAX_DEPTH = 20;
/** A word as file names are spelled. */
const NAME = /[\w.+@\u0080-\uffff-]+/g;

/** Which of these file names stand somewhere in the conversation. */
export function namesSeen(
  wanted: Iterable<string>,
  { live, texts }: { readonly live: readonly Message[]; readonly texts: readonly string[] },
): ReadonlySet<string> {
  const missing = new Set(wanted);
  const seen = new Set<string>();
  const take = (name: string): void => {
    if (missing.delete(name)) seen.add(name);
  };
  const longest = Math.max(0, ...[...missing].map((name) => name.length));
  // Most stand in calls and results, whose names are known already.
  for (const message of live) {
    if (missing.size === 0) return seen;
    for (const { names } of mentionsOf(message)) {
      for (const name of names) {
        if (name.length <= longest) take(name);
        const slash = name.lastIndexOf("/");
        if (slash >= 0 && name.length - slash - 1 <= longest) take(name.slice(slash + 1));
      }
    }
  }
  if (missing.size === 0) return seen;
  const all: string[] = [...texts];
  for (const message of live) collectTexts(contentOf(message), all);
  if (missing.size > LOOKED_FOR) {
    for (const text of all) {
      for (const [word] of text.matchAll(NAME)) {
        take(word);
        // At the end of a sentence.
        if (word.endsWith(".")) take(word.slice(0, -1));
      }
    }
  }
  for (const name of [...missing].slice(0, LOOKED_FOR)) {
    if (all.some((text) => text.includes(name))) seen.add(name);
  }
  return seen;
}

function contentOf(message: Message): unknown {
  switch (message.type) {
    case "user":
    case "assistant":
      return message.message?.content;
    case "attachment":
      return message.attachment;
    default:
      return undefined;
  }
}

/** Every text in a value, but for what is no language: pictures and signatures. */
function collectTexts(value: unknown, into: string[], depth = 0): void {
  if (typeof value === "string") {
    into.push(value);
    return;
  }
  if (typeof value !== "object" || value === null || depth > MAX_DEPTH) return;
  if (Array.isArray(value)) {
    for (const item of value) collectTexts(item, into, depth + 1);
    return;
  }
  for (const [key, item] of Object.entries(value)) {
    if (key !== "data" && key !== "signature") collectTexts(item, into, depth + 1);
  }
}
