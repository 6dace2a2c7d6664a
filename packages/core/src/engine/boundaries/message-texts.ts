import { isFields, type Fields } from "../../messages/fields.js";
import type { Message, UserMessage } from "../../messages/message.js";

/** Where a text stands in a message: the indexes of its block, and of the block inside a result; none where it is all. */
export type TextPath = readonly number[];

/** A text that people or tools have said. */
export interface MessageText {
  readonly uuid: string;
  readonly path: TextPath;
  readonly text: string;
  /** Of the call whose result it is part of. */
  readonly toolUseId?: string;
}

type Change = (text: string, place: Omit<MessageText, "uuid" | "text">) => string;

/** The texts of a message, as far as they may be long; none of what the model or the program wrote. */
export function textsIn(message: Message): readonly MessageText[] {
  const texts: MessageText[] = [];
  changeTexts(message, (text, place) => {
    texts.push({ uuid: message.uuid, text, ...place });
    return text;
  });
  return texts;
}

/** The message with other texts; the same object where none has changed. Messages come from files and may be anything. */
export function changeTexts(message: Message, change: Change): Message {
  if (message.type === "user" && message.isCompactSummary !== true) {
    const content: unknown = message.message?.content;
    const next = changeContent(content, change, {});
    return Object.is(next, content)
      ? message
      : ({ ...message, message: { ...message.message, content: next } } as UserMessage);
  }
  if (message.type === "attachment" && message.attachment?.type === "queued_command") {
    const { attachment } = message;
    const next = changeContent(attachment["prompt"], change, {});
    return Object.is(next, attachment["prompt"])
      ? message
      : { ...message, attachment: { ...attachment, prompt: next } };
  }
  return message;
}

interface Place {
  readonly path?: TextPath;
  readonly toolUseId?: string;
}

function changeContent(content: unknown, change: Change, { path = [], ...result }: Place): unknown {
  if (typeof content === "string") return change(content, { path, ...result });
  if (!Array.isArray(content)) return content;
  let isChanged = false;
  const next = content.map((block: unknown, at) => {
    const changed = isFields(block) ? changeBlock(block, change, { path: [...path, at], ...result }) : block;
    isChanged ||= !Object.is(changed, block);
    return changed;
  });
  return isChanged ? next : content;
}

/** A result may hold texts; nothing that it holds may hold a result. */
function changeBlock(block: Fields, change: Change, place: Place & { readonly path: TextPath }): Fields {
  const { type, text, content, source } = block;
  const isTop = place.path.length === 1;
  if (type === "text" && typeof text === "string") return changed(block, "text", change(text, place));
  if (type === "tool_result" && isTop) {
    const id = block["tool_use_id"];
    const result = typeof id === "string" ? { ...place, toolUseId: id } : place;
    return changed(block, "content", changeContent(content, change, result));
  }
  if (
    type === "document" &&
    isFields(source) &&
    source["type"] === "text" &&
    typeof source["data"] === "string"
  ) {
    return changed(block, "source", changed(source, "data", change(source["data"], place)));
  }
  return block;
}

const changed = (fields: Fields, name: string, value: unknown): Fields =>
  Object.is(fields[name], value) ? fields : { ...fields, [name]: value };
