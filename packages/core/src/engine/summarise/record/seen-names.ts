import type { Message } from "../../../messages/message.js";
import { mentionsOf } from "./used-names.js";

/** So many are looked for anywhere in a text. Of more, only those that stand nowhere as words of their own. */
const LOOKED_FOR = 64;
const MAX_DEPTH = 20;

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
    const lengths = new Set([...missing].map((name) => name.length));
    for (const text of all) scan(text, lengths, take);
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

/** The words of a text that have one of these lengths, as file names are spelled. */
function scan(text: string, lengths: ReadonlySet<number>, take: (word: string) => void): void {
  let start = -1;
  for (let at = 0; at <= text.length; at += 1) {
    const code = at < text.length ? text.charCodeAt(at) : 32;
    if (isNameCharacter(code)) {
      if (start === -1) start = at;
      continue;
    }
    if (start === -1) continue;
    if (lengths.has(at - start)) take(text.slice(start, at));
    // At the end of a sentence.
    else if (text.charCodeAt(at - 1) === 46 && lengths.has(at - start - 1)) take(text.slice(start, at - 1));
    start = -1;
  }
}

const isNameCharacter = (code: number): boolean =>
  (code >= 97 && code <= 122) ||
  (code >= 65 && code <= 90) ||
  (code >= 45 && code <= 57 && code !== 47) ||
  code === 95 ||
  code === 43 ||
  code === 64 ||
  code > 127;
