import type { ContentBlock } from "../content.js";
import { asText, isFields, type Fields } from "../fields.js";
import { mendBase64 } from "../base64.js";
import { imageHeader } from "../image-size.js";

/** Standard globals, as far as they are used here. */
declare const btoa: (binary: string) => string;
declare const atob: (base64: string) => string;
declare const TextDecoder: new () => { decode(bytes: Uint8Array): string };

/** A picture, a document or a text; files of other kinds are named, because no model takes them. */
export function fileBlock(part: Fields): ContentBlock {
  const { data, image, url } = part;
  const content = data ?? image ?? url;
  const mediaType = asText(part["mediaType"]) || (part["type"] === "image" ? "image/png" : "");
  const source = sourceOf(content, mediaType);
  if (source !== undefined && mediaType.startsWith("image/")) return { type: "image", source };
  if (source !== undefined && mediaType === "application/pdf") return { type: "document", source };
  if (source?.type === "base64" && mediaType.startsWith("text/")) {
    const text = decoded(source.data);
    if (text.trim() !== "")
      return { type: "document", source: { type: "text", media_type: "text/plain", data: text } };
  }
  return { type: "text", text: `[file of type ${mediaType || "unknown"}]` };
}

/** The text in base64; what is not base64 is the text itself. */
function decoded(data: string): string {
  const base64 = mendBase64(data);
  if (base64 === undefined) return data;
  return new TextDecoder().decode(Uint8Array.from(atob(base64), (byte) => byte.charCodeAt(0)));
}

/** A picture that is given by its address, which may hold the picture itself. */
export function imageFrom(url: string): ContentBlock {
  const [, mediaType, data] = /^data:([^;,]+);base64,(.*)$/s.exec(url) ?? [];
  return mediaType === undefined || data === undefined
    ? { type: "image", source: { type: "url", url } }
    : { type: "image", source: { type: "base64", media_type: mediaType, data } };
}

type Source =
  | { readonly type: "url"; readonly url: string }
  | { readonly type: "base64"; readonly media_type: string; readonly data: string };

/** What a file is given as: an address, base64, or bytes. */
function sourceOf(data: unknown, mediaType: string): Source | undefined {
  if (isFields(data) && typeof data["href"] === "string") return fromText(data["href"], mediaType);
  if (typeof data === "string") return fromText(data, mediaType);
  const bytes = data instanceof ArrayBuffer ? new Uint8Array(data) : data;
  return bytes instanceof Uint8Array ? inline(base64(bytes), mediaType) : undefined;
}

function fromText(text: string, mediaType: string): Source {
  if (/^https?:/.test(text)) return { type: "url", url: text };
  return inline(text.replace(/^data:[^,]*,/, ""), mediaType);
}

/** "Some picture" is what its data says. */
function inline(data: string, mediaType: string): Source {
  const type = mediaType === "image/*" ? (imageHeader(data)?.mediaType ?? "image/jpeg") : mediaType;
  return { type: "base64", media_type: type, data };
}

const PIECE = 8192;

function base64(bytes: Uint8Array): string {
  let binary = "";
  for (let at = 0; at < bytes.length; at += PIECE) {
    binary += String.fromCharCode(...bytes.subarray(at, at + PIECE));
  }
  return btoa(binary);
}
