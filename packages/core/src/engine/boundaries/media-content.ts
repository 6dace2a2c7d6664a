import { isFields, type Fields } from "../../messages/fields.js";
import type { Message, UserMessage } from "../../messages/message.js";

/** Where a block stands in a message: its index, then those in the lists inside: a result's, a document's. */
export type MediaPath = readonly number[];

/** One string for each path. */
export const pathKey = (path: MediaPath): string => path.join(".");

export const isMedia = (block: unknown): block is Fields & { readonly type: "image" | "document" } =>
  isFields(block) && (block["type"] === "image" || block["type"] === "document");

/** What stands in the place of an image or document that is no longer sent. */
export const placeholderOf = (kind: "image" | "document"): string => `[${kind}]`;

const asList = (value: unknown): readonly unknown[] | undefined => (Array.isArray(value) ? value : undefined);

/** The blocks of a message that may hold media: what people and tools say, and what was said meanwhile. */
export function contentOf(message: Message): readonly unknown[] | undefined {
  if (message.type === "user") return asList(message.message?.content);
  return isQueued(message) ? asList(message.attachment["prompt"]) : undefined;
}

const isQueued = (message: Message): message is Message & { readonly type: "attachment" } =>
  message.type === "attachment" && message.attachment?.type === "queued_command";

/** The list that a result or document holds, and the block with another one; not of results that hold text only. */
export function listInside(
  block: Fields,
):
  | { readonly list: readonly unknown[]; readonly withList: (list: readonly unknown[]) => Fields }
  | undefined {
  if (block["type"] === "tool_result" && block["is_error"] !== true) {
    const list = asList(block["content"]);
    return list && { list, withList: (content) => ({ ...block, content }) };
  }
  const { type, source } = block;
  if (type !== "document" || !isFields(source) || source["type"] !== "content") return undefined;
  const list = asList(source["content"]);
  return list && { list, withList: (content) => ({ ...block, source: { ...source, content } }) };
}

/** By path, the text for each block that goes; undefined for the plain one. */
export type MediaTexts = ReadonlyMap<string, string | undefined>;

/**
 * The message with text in the place of the images and documents that `texts` names; a path that leads to
 * anything else is passed over. The same object where nothing changes.
 */
export function replaceMedia(message: Message, texts: MediaTexts): Message {
  const content = contentOf(message);
  if (content === undefined) return message;
  const replaced = replaceInList(content, { texts, above: "", levels: LEVELS });
  if (replaced === content) return message;
  const changed =
    message.type === "attachment"
      ? { ...message, attachment: { ...message.attachment, prompt: replaced } }
      : { ...message, message: { ...(message as UserMessage).message, content: replaced } };
  return changed as Message;
}

/** A message, a result in it, a document in that. */
const LEVELS = 3;

interface Replacing {
  readonly texts: MediaTexts;
  /** What the paths of these blocks start with. */
  readonly above: string;
  readonly levels: number;
}

function replaceInList(list: readonly unknown[], replacing: Replacing): readonly unknown[] {
  const { texts, above, levels } = replacing;
  let isChanged = false;
  const next = list.map((block, index) => {
    if (!isFields(block)) return block;
    const key = `${above}${index}`;
    const replaced =
      isMedia(block) && texts.has(key)
        ? { type: "text", text: texts.get(key) ?? placeholderOf(block.type) }
        : replaceInside(block, { texts, above: `${key}.`, levels: levels - 1 });
    isChanged ||= replaced !== block;
    return replaced;
  });
  return isChanged ? next : list;
}

function replaceInside(block: Fields, replacing: Replacing): Fields {
  const inner = replacing.levels === 0 ? undefined : listInside(block);
  if (inner === undefined) return block;
  const list = replaceInList(inner.list, replacing);
  return list === inner.list ? block : inner.withList(list);
}
