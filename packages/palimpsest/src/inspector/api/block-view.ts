import type { BlockText } from "../contract.js";
import type { OpenConversation } from "./conversations.js";
import { recordedBody } from "./recorded-bodies.js";
import { partText } from "./recorded-view.js";
import { wordsOf } from "./block-words.js";

/** Some characters of a block; undefined where there is no such block. */
export async function blockView(
  conversation: OpenConversation,
  id: string,
  { offset, count }: { readonly offset: number; readonly count: number },
): Promise<BlockText | undefined> {
  const recorded = /^r(\d{1,9})-(\d{1,9})$/.exec(id);
  if (recorded !== null) {
    const request = conversation.index.traced.requests[Number(recorded[1])];
    const body = request && (await recordedBody(conversation, request));
    const part = body?.parts[Number(recorded[2])];
    return part && pageOf(partText(part), { offset, count });
  }
  const found = /^(\d{1,9})-(\d{1,9})$/.exec(id);
  if (found === null) return undefined;
  const [ordinal, block] = [Number(found[1]), Number(found[2])];
  if (conversation.index.messages[ordinal]?.blocks[block] === undefined) return undefined;
  const [text = ""] = await wordsOf(conversation, [{ ordinal, block }]);
  return pageOf(text, { offset, count });
}

const pageOf = (
  text: string,
  { offset, count }: { readonly offset: number; readonly count: number },
): BlockText => ({ characters: text.length, offset, text: text.slice(offset, offset + count) });
