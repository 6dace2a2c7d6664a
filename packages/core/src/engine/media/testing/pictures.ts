import type { DocumentBlock, ImageBlock } from "../../../messages/content.js";

const little16 = (value: number): string => String.fromCharCode(value & 255, value >>> 8);

const HEADER = 32;

/** A GIF as far as its header goes, of so many characters, a multiple of four. */
export function picture(width: number, height = width, characters = HEADER): ImageBlock {
  const header = btoa(`GIF89a${little16(width)}${little16(height)}\0\0`);
  const data = header + "A".repeat(characters - header.length);
  return { type: "image", source: { type: "base64", media_type: "image/gif", data } };
}

export const linked: ImageBlock = {
  type: "image",
  source: { type: "url", url: "https://example.org/a.png" },
};

export const uploaded: ImageBlock = { type: "image", source: { type: "file", file_id: "file_1" } };

/** A PDF as far as its first characters go, of so many characters, a multiple of four and at least eight. */
export const pdf = (characters: number): DocumentBlock => ({
  type: "document",
  source: { type: "base64", media_type: "application/pdf", data: "JVBERi0x" + "A".repeat(characters - 8) },
});

export const plainDocument = (text: string): DocumentBlock => ({
  type: "document",
  source: { type: "text", media_type: "text/plain", data: text },
});

/** A document put together of words and pictures. */
export const mixedDocument = (text: string, ...images: readonly ImageBlock[]): DocumentBlock => ({
  type: "document",
  source: { type: "content", content: [{ type: "text", text }, ...images] },
});
