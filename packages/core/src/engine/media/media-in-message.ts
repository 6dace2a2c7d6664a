import { asText, isFields, type Fields } from "../../messages/fields.js";
import type { Message } from "../../messages/message.js";
import type { ImageSize } from "../../messages/image-size.js";
import { readMediaSource, type MediaKind } from "../../messages/normalise/media-source.js";
import { leftOutText } from "../../messages/normalise/wording.js";
import { contentOf, isMedia, listInside, type MediaPath } from "../boundaries/media-content.js";

/** One image or document of a message, as far as it may reach the model. */
export interface MediaBlock {
  readonly kind: "image" | "document";
  readonly path: MediaPath;
  /** Characters of its data in a request; 0 where the request only names it, or holds a list in its place. */
  readonly bytes: number;
  /** Undefined where the data is elsewhere, or not of a format that can be read. */
  readonly size?: ImageSize;
  /** What stands in a request in the place of one that cannot be read. */
  readonly unreadable?: string;
  /** The result that it is part of. */
  readonly toolUseId?: string;
  /** The document that it is part of, which is listed after it. */
  readonly within?: MediaPath;
}

const known = new WeakMap<Message, readonly MediaBlock[]>();

/** The images and documents of a message in their order; looked for once per message object. */
export function mediaIn(message: Message): readonly MediaBlock[] {
  let media = known.get(message);
  if (media === undefined) {
    media = (contentOf(message) ?? []).flatMap((block, index) =>
      isFields(block) && block["type"] === "tool_result"
        ? mediaInResult(block, { index, isSent: message.type === "user" })
        : mediaOf(block, { path: [index] }),
    );
    known.set(message, media);
  }
  return media;
}

interface Place {
  readonly path: MediaPath;
  readonly toolUseId?: string;
  readonly within?: MediaPath;
}

/** A result in an attachment never reaches the model. */
function mediaInResult(
  block: Fields,
  { index, isSent }: { readonly index: number; readonly isSent: boolean },
): readonly MediaBlock[] {
  const id = block["tool_use_id"];
  const result = typeof id === "string" ? { toolUseId: id } : {};
  const items = isSent ? (listInside(block)?.list ?? []) : [];
  return items.flatMap((item, at) => mediaOf(item, { path: [index, at], ...result }));
}

function mediaOf(block: unknown, place: Place): readonly MediaBlock[] {
  if (!isMedia(block)) return [];
  const source = isFields(block["source"]) ? block["source"] : {};
  const { path } = place;
  const { type } = source;
  if (block.type === "image" || (type !== "text" && type !== "content")) {
    return [sourcedOf({ kind: block.type, source }, place)];
  }
  const images = (listInside(block)?.list ?? []).flatMap((item, at) =>
    isMedia(item) && item.type === "image"
      ? mediaOf(item, { ...place, path: [...path, at], within: path })
      : [],
  );
  return [...images, { kind: "document", ...place, bytes: asText(source["data"]).length }];
}

/** As a request holds it, with what normalising mends put right. */
function sourcedOf(
  { kind, source }: { readonly kind: MediaKind; readonly source: Fields },
  place: Place,
): MediaBlock {
  const reading = readMediaSource(source, kind);
  const { bytes, size } = reading;
  const isUnreadable = "why" in reading && !reading.isTooLarge;
  return {
    kind: "kind" in reading ? reading.kind : kind,
    ...place,
    bytes,
    ...(size === undefined ? {} : { size }),
    ...(isUnreadable ? { unreadable: leftOutText(kind, { why: reading.why, source }) } : {}),
  };
}
