import { Base64Bytes, mendBase64 } from "../base64.js";
import { isFields, type Fields } from "../fields.js";
import { imageHeader, isCutOff, type ImageSize } from "../image-size.js";
import { fieldsOf, isFilled, isText, keepFields } from "./block-fields.js";
import { describeExcess, LARGEST_DOCUMENT, LARGEST_EDGE, LARGEST_IMAGE } from "./largest-media.js";

export type MediaKind = "image" | "document";

/** What the source of an image or document is found to be. */
export type MediaReading = ReadableMedia | UnreadableMedia;

interface MediaFacts {
  /** Characters of its data in a request; 0 where the request only names it. */
  readonly bytes: number;
  /** Undefined where the data is elsewhere, or not of a kind that can be read. */
  readonly size?: ImageSize;
}

interface ReadableMedia extends MediaFacts {
  /** What its data is, whatever its block says. */
  readonly kind: MediaKind;
  /** As it can be sent; the same reference where it was in order. */
  readonly source: Fields;
  readonly isMended: boolean;
}

interface UnreadableMedia extends MediaFacts {
  /** Why no request may hold it. */
  readonly why: string;
  readonly isTooLarge: boolean;
}

const BASE64 = fieldsOf("media_type", "data");
const URL = fieldsOf("url");
const FILE = fieldsOf("file_id");

const WEB_ADDRESS =
  /^https?:\/\/(?:[^\s/?#@\p{Cc}]+@)?(?:\[[\da-f:.]+\]|[\p{L}\p{N}_-][\p{L}\p{N}._-]*)(?::\d{1,5})?(?:[/?#][^\s\p{Cc}]*)?$/iu;
const DATA_ADDRESS = /^\s*data:/i;

/** How the data of a PDF starts, and how far into it that may stand. */
const PDF = "%PDF-";
const PDF_HEADER_WITHIN = 1024;

const unreadable = (why: string, bytes = 0): UnreadableMedia => ({ why, bytes, isTooLarge: false });

/**
 * Reads a source that holds data, an address or the name of a file. Data is gone through once per source object:
 * sources must not change once read.
 */
export function readMediaSource(source: unknown, kind: MediaKind): MediaReading {
  if (!isFields(source)) return unreadable("it has no source");
  const { type, data, url, file_id: fileId } = source;
  if (type === "base64") return isText(data) ? readOnce(source, data) : unreadable("it has no data");
  if (type === "url" && isText(url)) {
    if (DATA_ADDRESS.test(url)) return readOnce(source, url);
    const address = url.trim();
    if (!WEB_ADDRESS.test(address)) return unreadable("its address is not a web address");
    const kept = keepFields(source, URL);
    const isMended = address !== url;
    return { kind, bytes: 0, source: isMended ? { ...kept, url: address } : kept, isMended };
  }
  if (type === "file" && isFilled(fileId) && fileId.trim() !== "") {
    return { kind, bytes: 0, source: keepFields(source, FILE), isMended: false };
  }
  return unreadable("its source is not one that can be read");
}

const known = new WeakMap<Fields, MediaReading>();

function readOnce(source: Fields, data: string): MediaReading {
  let reading = known.get(source);
  if (reading === undefined) known.set(source, (reading = readData(source, data)));
  return reading;
}

function readData(source: Fields, given: string): MediaReading {
  const data = mendBase64(given);
  if (data === undefined) return unreadable("its data is not base64", given.length);
  const bytes = data.length;
  if (bytes === 0) return unreadable("it has no data");
  const header = imageHeader(data);
  const kind = header !== undefined ? "image" : isPdf(data) ? "document" : undefined;
  if (kind === undefined) {
    return unreadable("its data is neither a PNG, JPEG, GIF or WebP picture nor a PDF", bytes);
  }
  const facts = { bytes, ...(header === undefined ? {} : { size: header.size }) };
  const excess = excessOf(facts, kind);
  if (excess !== undefined) return { why: excess, isTooLarge: true, ...facts };
  if (kind === "image" && isCutOff(data)) return { ...unreadable("its data ends too early"), ...facts };
  const mediaType = header?.mediaType ?? "application/pdf";
  const isMended = source["type"] !== "base64" || source["media_type"] !== mediaType || data !== given;
  const sent = isMended ? { type: "base64", media_type: mediaType, data } : keepFields(source, BASE64);
  return { kind, source: sent, isMended, ...facts };
}

function excessOf({ size, bytes }: MediaFacts, kind: MediaKind): string | undefined {
  if (size !== undefined && Math.max(size.width, size.height) > LARGEST_EDGE) {
    return `${size.width}×${size.height} px, the limit is ${LARGEST_EDGE}`;
  }
  const limit = kind === "image" ? LARGEST_IMAGE : LARGEST_DOCUMENT;
  return bytes > limit ? describeExcess(bytes, limit) : undefined;
}

function isPdf(data: string): boolean {
  const bytes = new Base64Bytes(data);
  for (let at = 0; at < PDF_HEADER_WITHIN && !Number.isNaN(bytes.at(at)); at += 1) {
    if (bytes.has(at, PDF)) return true;
  }
  return false;
}
