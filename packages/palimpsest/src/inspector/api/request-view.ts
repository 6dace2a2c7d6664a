import { CLEARED_RESULT_TEXT } from "@palimpsest/core/engine";
import type { BlockRow, RequestView } from "../contract.js";
import type { TracedRequest } from "../index/trace-requests.js";
import { partKinds } from "../index/trace-lane.js";
import { blockPreview, wordsOf } from "./block-words.js";
import type { OpenConversation } from "./conversations.js";
import { blocksOfRequest, type PlacedBlock } from "./context-blocks.js";
import { cacheFates } from "./cache-fates.js";
import { differenceTo } from "./request-difference.js";
import { recordedBody } from "./recorded-bodies.js";
import { recordedDifference, recordedRows } from "./recorded-view.js";
import { requestRow } from "./request-rows.js";

export const UNKNOWN_BLOCK = "unknown";

/** Some blocks of a request, with what the cache did with each of them, and where it departs from the one before. */
export async function requestView(
  conversation: OpenConversation,
  request: TracedRequest,
  { from, count }: { readonly from: number; readonly count: number },
): Promise<RequestView> {
  const { index } = conversation;
  const before = previousOf(conversation, request);
  const recorded = await recordedView(conversation, { request, before }, { from, count });
  if (recorded !== undefined) return recorded;
  const { kinds, factor } = index.parts[request.number] ?? { kinds: [], factor: 1 };
  const blocks = blocksOfRequest(index, request);
  const unknown = request.context === undefined ? 0 : (kinds[partKinds.indexOf("unknown")] ?? 0);
  const sizes = scaledSizes(blocks, factor);
  const fates = cacheFates({ index, request, before, sizes, unknown, blocks });
  const offset = unknown > 0 ? 1 : 0;
  const shown = blocks.slice(Math.max(0, from - offset), Math.max(0, from + count - offset));
  const words = await wordsOf(conversation, shown);
  const first = Math.max(0, from - offset);
  const rows = shown.map((placed, at) =>
    blockRow(placed, {
      index: first + at + offset,
      tokens: sizes[first + at] ?? 0,
      cache: fates.cache[first + at] ?? "unknown",
      isNew: fates.isNew(first + at),
      text: words[at] ?? "",
    }),
  );
  const difference = before && (await differenceTo(conversation, { request, before }, { blocks, offset }));
  return {
    ...requestRow(index, request),
    source: "rebuilt",
    parts: partKinds.flatMap((kind, at) => {
      const tokens = kinds[at] ?? 0;
      return tokens === 0 ? [] : [{ kind, tokens, estimated: true }];
    }),
    blockCount: blocks.length + offset,
    from,
    blocks: from === 0 && offset === 1 && count > 0 ? [unknownRow(unknown, fates.head), ...rows] : rows,
    ...(difference === undefined ? {} : { difference }),
    firstNewBlock: fates.firstNew < 0 ? -1 : fates.firstNew + offset,
    answer: await answerRows(conversation, request),
  };
}

interface Pair {
  readonly request: TracedRequest;
  readonly before: TracedRequest | undefined;
}

/** The same for a request whose body stands in the recording. */
async function recordedView(
  conversation: OpenConversation,
  { request, before }: Pair,
  { from, count }: { readonly from: number; readonly count: number },
): Promise<RequestView | undefined> {
  const body = await recordedBody(conversation, request);
  if (body === undefined) return undefined;
  const earlier = before && (await recordedBody(conversation, before));
  const rows = recordedRows(conversation, { request, body }, earlier);
  const kinds = partKinds.flatMap((kind) => {
    const tokens = rows.reduce((sum, row) => sum + (row.kind === kind ? row.tokens : 0), 0);
    return tokens === 0 ? [] : [{ kind, tokens, estimated: true }];
  });
  return {
    ...requestRow(conversation.index, request),
    source: "recorded",
    parts: kinds,
    blockCount: rows.length,
    from,
    blocks: rows.slice(from, from + count),
    ...(before === undefined || earlier === undefined
      ? {}
      : {
          difference: recordedDifference(conversation, { request, body }, { request: before, body: earlier }),
        }),
    firstNewBlock: rows.findIndex(({ isNew }) => isNew),
    answer: await answerRows(conversation, request),
  };
}

/** The request before it in the same lane. */
const previousOf = (
  { index }: Pick<OpenConversation, "index">,
  { number, lane }: TracedRequest,
): TracedRequest | undefined =>
  index.traced.requests
    .slice(0, number)
    .findLast((other) => other.lane === lane && other.context !== undefined);

/** Estimates made to sum to what was used: each is rounded so that the sum of all before it stays true. */
function scaledSizes(blocks: readonly PlacedBlock[], factor: number): readonly number[] {
  let estimated = 0;
  let given = 0;
  return blocks.map(({ facts, isCleared }) => {
    estimated += isCleared ? 0 : facts.tokens * factor;
    const tokens = Math.max(0, Math.round(estimated) - given);
    given += tokens;
    return tokens;
  });
}

interface RowFacts {
  readonly index: number;
  readonly tokens: number;
  readonly cache: BlockRow["cache"];
  readonly isNew: boolean;
  readonly text: string;
}

function blockRow(
  { ordinal, block, facts, role, message, isCleared }: PlacedBlock,
  { index, tokens, cache, isNew, text }: RowFacts,
): BlockRow {
  return {
    id: `${ordinal}-${block}`,
    index,
    kind: facts.kind,
    role,
    type: facts.type,
    ...(facts.name === undefined ? {} : { name: facts.name }),
    tokens,
    estimated: true,
    characters: facts.characters,
    cache,
    preview: blockPreview(facts.type, isCleared ? CLEARED_RESULT_TEXT : text),
    isNew,
    ...(message === undefined ? {} : { message }),
  };
}

const unknownRow = (tokens: number, cache: BlockRow["cache"]): BlockRow => ({
  id: UNKNOWN_BLOCK,
  index: 0,
  kind: "unknown",
  role: "system",
  type: "unknown",
  tokens,
  estimated: true,
  characters: 0,
  cache,
  preview: "",
  isNew: false,
});

async function answerRows(
  conversation: OpenConversation,
  { pieces, usage, isOutputKnown }: TracedRequest,
): Promise<readonly BlockRow[]> {
  const { messages } = conversation.index;
  const blocks = pieces.flatMap((ordinal) =>
    (messages[ordinal]?.blocks ?? []).map((facts, block): PlacedBlock => ({
      ordinal,
      block,
      facts,
      role: "assistant",
      isCleared: false,
    })),
  );
  const estimated = blocks.reduce((sum, { facts }) => sum + facts.tokens, 0);
  const sizes = scaledSizes(blocks, isOutputKnown && estimated > 0 ? usage.output / estimated : 1);
  const words = await wordsOf(conversation, blocks);
  return blocks.map((placed, index) =>
    blockRow(placed, {
      index,
      tokens: sizes[index] ?? 0,
      cache: "unknown",
      isNew: true,
      text: words[index] ?? "",
    }),
  );
}
