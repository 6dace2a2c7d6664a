import { createSystemMessage, type MessageOrigin } from "../../messages/construct.js";
import { isFields } from "../../messages/fields.js";
import type { Message, SystemMessage } from "../../messages/message.js";
import { isCount } from "./clearing-boundary.js";
import { pathKey, type MediaPath, type MediaTexts } from "./media-content.js";

/** One image or document that became text. */
export interface ReplacedMedia {
  /** Of the message that holds it. */
  readonly uuid: string;
  readonly path: MediaPath;
  /** What stands in its place, where that is not the plain `[image]` or `[document]`. */
  readonly text?: string;
}

export interface MediaMetadata {
  /** The oldest first. */
  readonly replaced: readonly ReplacedMedia[];
  /** All thinking after this message, up to the boundary, was removed with them. */
  readonly thinkingRemovedAfter?: string;
  /** Tokens of the messages, by the estimator of the time, where there was one. */
  readonly tokensBefore?: number;
  readonly tokensAfter?: number;
}

/** Records a replacement. The originals stay on disk before it; reading it again applies it again. */
export interface MediaBoundary extends SystemMessage {
  readonly subtype: "media_boundary";
  readonly mediaMetadata: MediaMetadata;
}

export function createMediaBoundary(origin: MessageOrigin, mediaMetadata: MediaMetadata): MediaBoundary {
  const base = createSystemMessage(origin, {
    subtype: "media_boundary",
    content: "Images and documents replaced by text",
    level: "info",
  });
  return { ...base, subtype: "media_boundary", mediaMetadata };
}

/** A boundary of a replacement whose metadata can be used; it may come from a file and be anything. */
export function isMediaBoundary(message: Message): message is MediaBoundary {
  if (message.type !== "system" || message.subtype !== "media_boundary") return false;
  const metadata: unknown = (message as Partial<MediaBoundary>).mediaMetadata;
  if (!isFields(metadata)) return false;
  const { replaced, thinkingRemovedAfter, tokensBefore, tokensAfter } = metadata;
  return (
    Array.isArray(replaced) &&
    replaced.every(isReplacedMedia) &&
    (thinkingRemovedAfter === undefined || typeof thinkingRemovedAfter === "string") &&
    [tokensBefore, tokensAfter].every((count) => count === undefined || isCount(count))
  );
}

const LONGEST_PATH = 3;

function isReplacedMedia(value: unknown): boolean {
  if (!isFields(value)) return false;
  const { uuid, path, text } = value;
  return (
    typeof uuid === "string" &&
    Array.isArray(path) &&
    path.length > 0 &&
    path.length <= LONGEST_PATH &&
    path.every((index) => isCount(index) && Number.isInteger(index)) &&
    (text === undefined || (typeof text === "string" && text.trim() !== ""))
  );
}

/** By message, then by path; what was said of a place first holds. */
export function textsByMessage(replaced: readonly ReplacedMedia[]): ReadonlyMap<string, MediaTexts> {
  const texts = new Map<string, Map<string, string | undefined>>();
  for (const { uuid, path, text } of replaced) {
    const own = texts.get(uuid) ?? new Map<string, string | undefined>();
    texts.set(uuid, own);
    const key = pathKey(path);
    if (!own.has(key)) own.set(key, text);
  }
  return texts;
}
