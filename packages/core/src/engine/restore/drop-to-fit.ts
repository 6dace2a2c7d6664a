import type { RestoreChannel, Restored, RestoredItem, SkippedItem } from "./restored.js";

/** What goes first when there is no room. What can be had again goes before what only the host knows. */
const dropOrder: readonly RestoreChannel[] = [
  "files",
  "skills",
  "mcp-instructions",
  "agent-listing",
  "deferred-tools",
  "background-agents",
  "plan",
  "todos",
  "plan-mode",
];

/** Tokens of everything that comes back. */
export const restoredTokens = ({ attachments }: Restored): number =>
  attachments.reduce((sum, { tokens }) => sum + tokens, 0);

/**
 * As much as fits into `maxTokens`: files go first, the least recently read before the others, then channel after
 * channel, the plan and the todos last. Dropped files leave the read-state too. The same object where all fits.
 */
export function dropToFit(restored: Restored, maxTokens: number): Restored {
  let total = restoredTokens(restored);
  if (total <= maxTokens) return restored;
  const dropped = new Set<RestoredItem>();
  for (const item of dropOrder.flatMap((channel) => lastFirst(restored, channel))) {
    if (total <= maxTokens) break;
    dropped.add(item);
    total -= item.tokens;
  }
  const paths = new Set([...dropped].flatMap(({ path }) => path ?? []));
  return {
    ...restored,
    attachments: restored.attachments.filter((item) => !dropped.has(item)),
    readStateAfter: { reads: restored.readStateAfter.reads.filter(({ path }) => !paths.has(path)) },
    skipped: [...restored.skipped, ...Array.from(dropped, skippedAs)],
  };
}

/** Files stand newest first, so the last one is the oldest. */
const lastFirst = ({ attachments }: Restored, channel: RestoreChannel): readonly RestoredItem[] =>
  attachments.filter((item) => item.channel === channel).toReversed();

const skippedAs = ({ channel, path }: RestoredItem): SkippedItem => ({
  channel,
  ...(path === undefined ? {} : { path }),
  reason: "dropped",
});
