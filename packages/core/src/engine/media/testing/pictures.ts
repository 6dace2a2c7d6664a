import type { DocumentBlock, ImageBlock } from "../../../messages/content.js";

const big32 = (value: number): string =>
  String.fromCharCode((value >>> 24) & 255, (value >>> 16) & 255, (value >>> 8) & 255, value & 255);

const HEADER = 32;

/** A PNG as far as its header goes, of so many characters, a multiple of four. */
export function picture(width: number, height = width, characters = HEADER): ImageBlock {
  const header = btoa(`\u0089PNG\r\n\u001a\n${big32(13)}IHDR${big32(width)}${big32(height)}`);
  const data = header + "A".repeat(characters - HEADER);
  return { type: "image", source: { type: "base64", media_type: "image/png", data } };
}

export const linked: ImageBlock = {
  type: "image",
  source: { type: "url", url: "https://example.org/a.png" },
};

export const uploaded: ImageBlock = { type: "image", source: { type: "file", file_id: "file_1" } };

/** A PDF of so many characters, a multiple of four. */
export const pdf = (characters: number): DocumentBlock => ({
  type: "document",
  source: { type: "base64", media_type: "application/pdf", data: "A".repeat(characters) },
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
