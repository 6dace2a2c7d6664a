import type { ContentBlock } from "../../messages/content.js";
import { asText, isFields } from "../../messages/fields.js";
import { imageHeader } from "../../messages/image-size.js";
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
