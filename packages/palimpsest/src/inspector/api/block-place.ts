import type { BlockPlace } from "../contract.js";
import { partKinds } from "../index/trace-lane.js";
import type { TracedRequest } from "../index/trace-requests.js";
import { wordsOf } from "./block-words.js";
import { blocksOfRequest } from "./context-blocks.js";
import type { OpenConversation } from "./conversations.js";
import { recordedBody } from "./recorded-bodies.js";
import { partText } from "./recorded-view.js";

/** At which place of a request's view a block of the conversation stands: one of an item, or of something that was found. */
export async function blockPlace(
  conversation: OpenConversation,
  request: TracedRequest,
  id: string,
): Promise<BlockPlace> {
  const [, ordinal, block] = /^(\d{1,9})-(\d{1,9})$/.exec(id)?.map(Number) ?? [];
  if (ordinal === undefined || block === undefined) return NOWHERE;
  const facts = conversation.index.messages[ordinal]?.blocks[block];
  if (facts === undefined) return NOWHERE;
  const body = await recordedBody(conversation, request);
  if (body === undefined) {
    const blocks = blocksOfRequest(conversation.index, request);
    const found = blocks.findIndex((one) => one.ordinal === ordinal && one.block === block);
    return { index: found < 0 ? null : found + unknownBefore(conversation, request) };
  }
  // As it was sent, a block has no number of its message: what it says tells which it is, the newest of equal ones.
  const [words = ""] = await wordsOf(conversation, [{ ordinal, block }]);
  if (words === "") return NOWHERE;
  const texts = body.parts.map((part) => (part.kind === "message" ? partText(part) : ""));
  const same = texts.lastIndexOf(words);
  const found = same < 0 ? texts.findLastIndex((text) => text.includes(words)) : same;
  return { index: found < 0 ? null : found };
}

const NOWHERE: BlockPlace = { index: null };

/** The one row that stands for what is not recorded. */
const unknownBefore = ({ index }: OpenConversation, { number, context }: TracedRequest): number =>
  context !== undefined && (index.parts[number]?.kinds[partKinds.indexOf("unknown")] ?? 0) > 0 ? 1 : 0;
