import { createHash } from "node:crypto";
import type { FieldRecord, MarkerRecord, MessageRecord, RequestLine } from "./request-record.js";

type Fields = Readonly<Record<string, unknown>>;

export interface PartKeeper {
  /** Keeps a value, and gives its id. */
  part(value: unknown): string;
  /** Keeps a line that is made of ids, unless it is known. */
  line(line: RequestLine): void;
  /** A small value as it may be written. */
  clean(value: unknown): unknown;
}

export interface RequestParts {
  readonly fields: readonly FieldRecord[];
  readonly markers: readonly MarkerRecord[];
}

/** Larger fields are parts: they are the same from request to request. */
const LONGEST_VALUE = 300;

/** 128 bits of SHA-256 as hex digits. */
export const idOf = (text: string): string => createHash("sha256").update(text).digest("hex").slice(0, 32);

/** Takes the body of a request to pieces that are each kept once. */
export function requestParts(body: Fields, keeper: PartKeeper): RequestParts {
  const markers: MarkerRecord[] = [];
  const bare = (value: unknown, at: MarkerRecord["at"]): unknown => {
    const marked = markedLast(value);
    if (marked === undefined) return value;
    markers.push({ at, control: keeper.clean(marked.control) });
    return marked.bare;
  };
  const listField = (name: "system" | "tools", values: readonly unknown[]): FieldRecord => {
    const parts = values.map((value, index) => keeper.part(bare(value, [name, index])));
    const id = idOf(JSON.stringify(parts));
    keeper.line({ type: "request_list", id, parts });
    return [name, "list", id];
  };
  const messagesField = (messages: readonly unknown[]): FieldRecord => {
    let last: string | null = null;
    for (const [index, message] of messages.entries()) {
      const content = messageParts(message, keeper, (block, at) => bare(block, ["messages", index, at]));
      const id: string = idOf(JSON.stringify([last, content]));
      keeper.line({ type: "request_message", id, after: last, ...content });
      last = id;
    }
    return ["messages", "messages", last];
  };
  const fields = Object.entries(body).map(([name, value]): FieldRecord => {
    if (Array.isArray(value)) {
      if (name === "messages") return messagesField(value);
      if (name === "system" || name === "tools") return listField(name, value);
    }
    return (JSON.stringify(value) ?? "").length > LONGEST_VALUE
      ? [name, "part", keeper.part(value)]
      : [name, "value", keeper.clean(value)];
  });
  return { fields, markers };
}

function messageParts(
  message: unknown,
  keeper: PartKeeper,
  bare: (block: unknown, at: number) => unknown,
): Pick<MessageRecord, "role" | "text" | "blocks" | "whole"> {
  const [first, second, ...others] = isFields(message) ? Object.keys(message) : [];
  if (!isFields(message) || first !== "role" || second !== "content" || others.length > 0) {
    return { whole: keeper.part(message) };
  }
  const { role, content } = message;
  if (typeof content === "string") {
    return { role: keeper.clean(role), text: keeper.part(textBlock(content)) };
  }
  if (!Array.isArray(content)) return { whole: keeper.part(message) };
  return { role: keeper.clean(role), blocks: content.map((block, at) => keeper.part(bare(block, at))) };
}

/** A text and a block with it are one part: clients spell a message now this way, now the other. */
export const textBlock = (text: string): Fields => ({ type: "text", text });

/** A value whose last field is a marker, without it; undefined where that is not so. */
export function markedLast(value: unknown): { readonly bare: Fields; readonly control: unknown } | undefined {
  if (!isFields(value) || !Object.hasOwn(value, "cache_control")) return undefined;
  if (Object.keys(value).at(-1) !== "cache_control") return undefined;
  const { cache_control: control, ...bare } = value;
  return { bare, control };
}

const isFields = (value: unknown): value is Fields =>
  typeof value === "object" && value !== null && !Array.isArray(value);
