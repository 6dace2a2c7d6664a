import { isCompactBoundary, type Message } from "@palimpsest/core";
import { isFields } from "../base/fields.js";

const wordsIn = (value: unknown): readonly string[] =>
  (Array.isArray(value) ? value : []).filter((item): item is string => typeof item === "string");

/**
 * Deferred tools that were found before a compaction: what showed them is gone from the messages, their names are
 * in its boundary.
 */
export function carriedTools(live: readonly Message[]): ReadonlySet<string> {
  const names = live.flatMap((message) =>
    isCompactBoundary(message) ? wordsIn(message.compactMetadata?.["preCompactDiscoveredTools"]) : [],
  );
  return new Set(names);
}

/** Tools that the model was told of as deferred, and not told since that they are gone. */
export function announcedTools(live: readonly Message[]): ReadonlySet<string> {
  const names = new Set<string>();
  for (const message of live) {
    if (message.type !== "attachment" || !isFields(message.attachment)) continue;
    const { type, addedNames, removedNames } = message.attachment;
    if (type !== "deferred_tools_delta") continue;
    for (const name of wordsIn(addedNames)) names.add(name);
    for (const name of wordsIn(removedNames)) names.delete(name);
  }
  return names;
}
