import type { ContentBlock } from "../../messages/content.js";
import { asText, isFields } from "../../messages/fields.js";
import type { SdkPart } from "./sdk-types.js";

/** A standard global, as far as it is used here. */
declare const btoa: (binary: string) => string;

/** A picture or a document; files of other kinds stand for themselves as a text. */
export function fileBlock(part: SdkPart): ContentBlock {
  const { data, image } = part;
  const content = data ?? image;
  const mediaType = asText(part["mediaType"]) || (part.type === "image" ? "image/png" : "");
  const source = sourceOf(content, mediaType);
  if (source !== undefined && mediaType.startsWith("image/")) return { type: "image", source };
  if (source !== undefined && mediaType === "application/pdf") return { type: "document", source };
  return { type: "text", text: `[file of type ${mediaType || "unknown"}]` };
}

type Source =
  | { readonly type: "url"; readonly url: string }
  | { readonly type: "base64"; readonly media_type: string; readonly data: string };

/** What a file is given as: an address, base64, or bytes. */
function sourceOf(data: unknown, mediaType: string): Source | undefined {
  const type = mediaType === "image/*" ? "image/jpeg" : mediaType;
  if (isFields(data) && typeof data["href"] === "string") return fromText(data["href"], type);
  if (typeof data === "string") return fromText(data, type);
  const bytes = data instanceof ArrayBuffer ? new Uint8Array(data) : data;
  return bytes instanceof Uint8Array ? { type: "base64", media_type: type, data: base64(bytes) } : undefined;
}

function fromText(text: string, type: string): Source {
  if (/^https?:/.test(text)) return { type: "url", url: text };
  return { type: "base64", media_type: type, data: text.replace(/^data:[^,]*,/, "") };
}

const PIECE = 8192;

function base64(bytes: Uint8Array): string {
  let binary = "";
  for (let at = 0; at < bytes.length; at += PIECE) {
    binary += String.fromCharCode(...bytes.subarray(at, at + PIECE));
  }
  return btoa(binary);
}
