import { isFields, type Fields } from "../../messages/fields.js";
import { originOf } from "../../messages/list-origin.js";
import { sameContent } from "./same-content.js";

/** The blocks of a message as it was sent; a string is one text block. */
export function blocksOf(message: unknown): readonly unknown[] {
  const content = isFields(message) ? message["content"] : undefined;
  if (typeof content === "string") return [{ type: "text", text: content }];
  return Array.isArray(content) ? content : [];
}

/** How many messages two lists begin with that are the same objects. */
export function sharedMessages(before: readonly unknown[], now: readonly unknown[]): number {
  const most = Math.min(before.length, now.length);
  let shared = settledTogether(before, now);
  while (shared < most && before[shared] === now[shared]) shared += 1;
  return shared;
}

/** How many messages two lists of one maker begin with that it will never change. */
function settledTogether(before: readonly unknown[], now: readonly unknown[]): number {
  const [made, makes] = [originOf(before), originOf(now)];
  return made !== undefined && made.maker === makes?.maker ? Math.min(made.settled, makes.settled) : 0;
}

/**
 * Where a list departs from the one sent before it: the index of the first message that is another, or that is
 * no longer there. Undefined where the earlier list is its beginning; the last message of it may have grown by
 * further blocks. `shared` messages are known to be the same.
 */
export function firstChangedMessage(
  before: readonly unknown[],
  now: readonly unknown[],
  shared: number,
): number | undefined {
  for (let index = shared; index < before.length; index += 1) {
    if (index >= now.length) return index;
    const isLast = index === before.length - 1;
    if (!(isLast ? continues(before[index], now[index]) : sameMessage(before[index], now[index]))) {
      return index;
    }
  }
  return undefined;
}

/** Whether two messages are the same to the cache, however their text is written. */
const sameMessage = (before: unknown, now: unknown): boolean =>
  before === now ||
  (sameContent(withoutContent(before), withoutContent(now)) && sameContent(blocksOf(before), blocksOf(now)));

function continues(before: unknown, now: unknown): boolean {
  if (before === now) return true;
  const blocks = blocksOf(before);
  return (
    sameContent(withoutContent(before), withoutContent(now)) &&
    sameContent(blocks, blocksOf(now).slice(0, blocks.length))
  );
}

function withoutContent(message: unknown): unknown {
  if (!isFields(message)) return message;
  const { content: _content, ...rest } = message;
  return rest;
}

/** What a list of messages says to the cache besides its content. */
export interface MessageFacts {
  /** The first message that holds an image, and that wants citations; -1 for none. */
  readonly firstImage: number;
  readonly firstCitation: number;
  readonly markers: readonly MessageMarker[];
}

export interface MessageMarker {
  readonly message: number;
  readonly block: number;
  readonly marker: Fields;
}

const noFacts: MessageFacts = { firstImage: -1, firstCitation: -1, markers: [] };

/** The facts of a list whose first `shared` messages have known ones. Costs the rest. */
export function messageFacts(
  messages: readonly unknown[],
  known: { readonly facts: MessageFacts; readonly shared: number } = { facts: noFacts, shared: 0 },
): MessageFacts {
  const { facts, shared } = known;
  let firstImage = facts.firstImage < shared ? facts.firstImage : -1;
  let firstCitation = facts.firstCitation < shared ? facts.firstCitation : -1;
  const markers = facts.markers.filter(({ message }) => message < shared);
  for (let message = shared; message < messages.length; message += 1) {
    const blocks = blocksOf(messages[message]);
    for (let block = 0; block < blocks.length; block += 1) {
      const value = blocks[block];
      if (!isFields(value)) continue;
      const marker = findIn(value, markerOf);
      if (marker !== undefined) markers.push({ message, block, marker });
      if (firstImage < 0 && findIn(value, isImage) === true) firstImage = message;
      if (firstCitation < 0 && findIn(value, wantsCitations) === true) firstCitation = message;
    }
  }
  return { firstImage, firstCitation, markers };
}

/** The first thing that is found in a block, or in one of those that it holds. */
function findIn<T>(block: Fields, find: (value: Fields) => T | undefined): T | undefined {
  const own = find(block);
  const inner = block["content"];
  if (own !== undefined || !Array.isArray(inner)) return own;
  for (const item of inner) {
    const found = isFields(item) ? find(item) : undefined;
    if (found !== undefined) return found;
  }
  return undefined;
}

/** The marker that a tool, a block or a request carries. */
export const markerOf = (value: Fields): Fields | undefined => {
  const marker = value["cache_control"];
  return isFields(marker) ? marker : undefined;
};

const isImage = ({ type }: Fields): true | undefined => (type === "image" ? true : undefined);

const wantsCitations = ({ citations }: Fields): true | undefined =>
  isFields(citations) && citations["enabled"] === true ? true : undefined;

/** How many blocks a later position lies after an earlier one; negative where it lies before it. */
export function blocksBetween(
  messages: readonly unknown[],
  from: Pick<MessageMarker, "message" | "block">,
  to: Pick<MessageMarker, "message" | "block">,
): number {
  if (to.message < from.message) return -blocksBetween(messages, to, from);
  let blocks = to.block - from.block;
  for (let index = from.message; index < to.message; index += 1) blocks += blocksOf(messages[index]).length;
  return blocks;
}
