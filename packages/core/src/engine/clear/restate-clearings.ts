import type { Message } from "../../messages/message.js";
import { CLEARED_RESULT_TEXT } from "../boundaries/cleared-result.js";
import {
  isLocalClearing,
  isClearingBoundary,
  type ClearingMetadata,
} from "../boundaries/clearing-boundary.js";

/**
 * One clearing that stands for those whose boundaries a compaction leaves behind although it keeps messages
 * that they changed (a kept prefix). Written right after the compaction, it makes a resumed conversation the
 * live one again; undefined where the kept messages need none. `live` is the list before the compaction.
 */
export function restateClearings(
  live: readonly Message[],
  kept: readonly Message[],
): ClearingMetadata | undefined {
  const keptUuids = new Set(kept.map(({ uuid }) => uuid));
  const lost = live.filter(isClearingBoundary).filter((boundary) => !keptUuids.has(boundary.uuid));
  const keptResults = new Set(kept.flatMap(resultIds));
  const texts = new Map<string, string>();
  let thinkingRemovedAfter: string | undefined;
  for (const boundary of lost.filter(isLocalClearing)) {
    const { toolUseIds, texts: own, thinkingRemovedAfter: after } = boundary.microcompactMetadata;
    for (const id of toolUseIds) {
      if (keptResults.has(id) && !texts.has(id)) texts.set(id, own?.[id] ?? CLEARED_RESULT_TEXT);
    }
    const from = live.findIndex(({ uuid }) => uuid === after) + 1;
    const isStripped = live.slice(from, live.indexOf(boundary)).some(({ uuid }) => keptUuids.has(uuid));
    if (after !== undefined && isStripped) thinkingRemovedAfter = earlier(kept, thinkingRemovedAfter, after);
  }
  if (texts.size === 0 && thinkingRemovedAfter === undefined) return undefined;
  return {
    variant: "size-based",
    trigger: "auto",
    toolUseIds: [...texts.keys()],
    tokensBefore: 0,
    tokensAfter: 0,
    texts: Object.fromEntries(texts),
    ...(thinkingRemovedAfter === undefined ? {} : { thinkingRemovedAfter }),
  };
}

const resultIds = (message: Message): readonly string[] =>
  message.type === "user" && Array.isArray(message.message?.content)
    ? message.message.content.flatMap((block) => (block?.type === "tool_result" ? [block.tool_use_id] : []))
    : [];

/** One that is not kept stands before all of them. */
function earlier(kept: readonly Message[], a: string | undefined, b: string): string {
  const placeOf = (name: string): number => kept.findIndex(({ uuid }) => uuid === name);
  return a !== undefined && placeOf(a) <= placeOf(b) ? a : b;
}
