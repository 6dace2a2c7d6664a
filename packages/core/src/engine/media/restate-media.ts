import type { Message } from "../../messages/message.js";
import { isMediaBoundary, type MediaMetadata, type ReplacedMedia } from "../boundaries/media-boundary.js";

/**
 * One replacement that stands for those whose boundaries a compaction leaves behind although it keeps messages
 * that they changed (a kept prefix). Written right after the compaction, it makes a resumed conversation the
 * live one again; undefined where the kept messages need none. `live` is the list before the compaction, `kept`
 * a stretch of it.
 */
export function restateMedia(live: readonly Message[], kept: readonly Message[]): MediaMetadata | undefined {
  const keptUuids = new Set(kept.map(({ uuid }) => uuid));
  const replaced: ReplacedMedia[] = [];
  let stripped: { readonly from: number; readonly after: string } | undefined;
  for (const [at, boundary] of live.entries()) {
    if (!isMediaBoundary(boundary) || keptUuids.has(boundary.uuid)) continue;
    const { replaced: own, thinkingRemovedAfter: after } = boundary.mediaMetadata;
    for (const media of own) if (keptUuids.has(media.uuid)) replaced.push(media);
    const from = after === undefined ? -1 : firstStripped(kept, { before: live.slice(0, at), after });
    if (after !== undefined && from >= 0 && from < (stripped?.from ?? kept.length))
      stripped = { from, after };
  }
  if (replaced.length === 0 && stripped === undefined) return undefined;
  // A message that is not kept stands for one before all of them.
  return { replaced, ...(stripped === undefined ? {} : { thinkingRemovedAfter: stripped.after }) };
}

/** The first kept message between `after` and the boundary that all of `before` stands before; -1 for none. */
function firstStripped(
  kept: readonly Message[],
  { before, after }: { readonly before: readonly Message[]; readonly after: string },
): number {
  const start = before.findIndex(({ uuid }) => uuid === after) + 1;
  const behind = new Set(before.slice(start).map(({ uuid }) => uuid));
  return kept.findIndex(({ uuid }) => behind.has(uuid));
}
