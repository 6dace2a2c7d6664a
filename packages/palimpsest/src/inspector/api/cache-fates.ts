import type { BlockRow } from "../contract.js";
import type { ConversationIndex } from "../index/conversation-index.js";
import type { TracedRequest } from "../index/trace-requests.js";
import type { PlacedBlock } from "./context-blocks.js";

interface Facts {
  readonly index: ConversationIndex;
  readonly request: TracedRequest;
  readonly before: TracedRequest | undefined;
  readonly blocks: readonly PlacedBlock[];
  /** Tokens of each block. */
  readonly sizes: readonly number[];
  /** Tokens of what stands before them and is not recorded. */
  readonly unknown: number;
}

export interface CacheFates {
  /** Of what is not recorded. */
  readonly head: BlockRow["cache"];
  readonly cache: readonly BlockRow["cache"][];
  /** The first block that the request before did not have; -1 where it had all of them. */
  readonly firstNew: number;
  isNew(block: number): boolean;
}

/** What the cache did with each block: what was read stands first in a prompt, then what was written, then the rest. */
export function cacheFates({ index, request, before, blocks, sizes, unknown }: Facts): CacheFates {
  const known = new Set(
    before?.context === undefined ? [] : before.context.list.slice(0, before.context.length),
  );
  const isNew = (at: number): boolean => before !== undefined && !known.has(blocks[at]?.ordinal ?? -1);
  const { usage, isReported, number } = request;
  const read = usage.cacheRead;
  const written = read + usage.cacheWrite5m + usage.cacheWrite1h;
  const expected = index.breakOf.get(number)?.expectedTokens ?? 0;
  const fateAt = (start: number, tokens: number, isFresh: boolean): BlockRow["cache"] => {
    if (!isReported) return "unknown";
    const middle = start + tokens / 2;
    if (middle <= read) return "read";
    if (middle <= expected && !isFresh) return "missed";
    return middle <= written ? "written" : "uncached";
  };
  let start = unknown;
  const cache = sizes.map((tokens, at) => {
    const fate = fateAt(start, tokens, isNew(at));
    start += tokens;
    return fate;
  });
  return {
    head: fateAt(0, unknown, false),
    cache,
    firstNew: before === undefined ? -1 : blocks.findIndex((_, at) => isNew(at)),
    isNew,
  };
}
