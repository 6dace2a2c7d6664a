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

/** What the cache did with each block of a request that was rebuilt. */
export function cacheFates({ index, request, before, blocks, sizes, unknown }: Facts): CacheFates {
  const known = new Set(
    before?.context === undefined ? [] : before.context.list.slice(0, before.context.length),
  );
  const isNew = (at: number): boolean => before !== undefined && !known.has(blocks[at]?.ordinal ?? -1);
  const [head = "unknown", ...cache] = fatesOf({
    index,
    request,
    sizes: [unknown, ...sizes],
    isNew: (at) => at > 0 && isNew(at - 1),
  });
  const firstNew = before === undefined ? -1 : blocks.findIndex((_, at) => isNew(at));
  return { head, cache, firstNew, isNew };
}

interface Prompt {
  readonly index: ConversationIndex;
  readonly request: TracedRequest;
  /** Tokens of each block, in the order in which they are cached. */
  readonly sizes: readonly number[];
  /** The request before did not have it. */
  readonly isNew: (at: number) => boolean;
}

/** What was read stands first in a prompt, then what was written, then the rest; what was cached and not read again was missed. */
export function fatesOf({ index, request, sizes, isNew }: Prompt): readonly BlockRow["cache"][] {
  const { usage, isReported, number } = request;
  if (!isReported) return sizes.map(() => "unknown");
  const read = usage.cacheRead;
  const written = read + usage.cacheWrite5m + usage.cacheWrite1h;
  const expected = index.breakOf.get(number)?.expectedTokens ?? 0;
  let start = 0;
  return sizes.map((tokens, at) => {
    const middle = start + tokens / 2;
    start += tokens;
    if (middle <= read) return "read";
    if (middle <= expected && !isNew(at)) return "missed";
    return middle <= written ? "written" : "uncached";
  });
}
