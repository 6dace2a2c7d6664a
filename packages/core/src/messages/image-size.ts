import { Base64Bytes } from "./base64.js";

export interface ImageSize {
  readonly width: number;
  readonly height: number;
}

/** What the first bytes of an image say. */
export interface ImageHeader {
  readonly mediaType: string;
  readonly size: ImageSize;
}

/**
 * The kind and size that the header of a PNG, JPEG, GIF or WebP image states; undefined for anything else and for
 * data that ends too early. Reads only the bytes it needs.
 */
export function imageHeader(base64: string): ImageHeader | undefined {
  const image = new Base64Bytes(base64);
  for (const [mediaType, sizeOf] of readers) {
    const size = sizeOf(image);
    if (size !== undefined && size.width > 0 && size.height > 0) return { mediaType, size };
  }
  return undefined;
}

/** The size in pixels that the header states; undefined where there is none to read. */
export function imageSize(base64: string): ImageSize | undefined {
  return imageHeader(base64)?.size;
}

/** Whether a PNG or WebP image is shorter than it says itself; the other kinds do not say. */
export function isCutOff(base64: string): boolean {
  const image = new Base64Bytes(base64);
  // The last byte may be missing: many writers forget to fill up to an even number.
  if (image.has(0, "RIFF")) return Number.isNaN(image.at(image.little24(4) + image.at(7) * 16_777_216 + 6));
  if (!image.has(0, "\u0089PNG")) return false;
  let chunk = 8;
  while (!Number.isNaN(image.at(chunk + 11))) {
    if (image.has(chunk + 4, "IEND")) return false;
    chunk += 12 + image.big32(chunk);
  }
  return true;
}

function sized(width: number, height: number): ImageSize | undefined {
  return Number.isNaN(width) || Number.isNaN(height) ? undefined : { width, height };
}

function pngSize(image: Base64Bytes): ImageSize | undefined {
  if (!image.has(0, "\u0089PNG\r\n\u001a\n") || !image.has(12, "IHDR")) return undefined;
  return sized(image.big32(16), image.big32(20));
}

function gifSize(image: Base64Bytes): ImageSize | undefined {
  if (!image.has(0, "GIF87a") && !image.has(0, "GIF89a")) return undefined;
  return sized(image.little16(6), image.little16(8));
}

function webpSize(image: Base64Bytes): ImageSize | undefined {
  if (!image.has(0, "RIFF") || !image.has(8, "WEBP")) return undefined;
  if (image.has(12, "VP8X")) return sized(image.little24(24) + 1, image.little24(27) + 1);
  if (image.has(12, "VP8 ")) return sized(image.little16(26) % 16_384, image.little16(28) % 16_384);
  if (!image.has(12, "VP8L") || image.at(20) !== 0x2f) return undefined;
  // 14 bits each, one after the other
  const low = image.little16(21);
  const high = image.little16(23);
  return sized((low % 16_384) + 1, Math.floor(low / 16_384) + (high % 4096) * 4 + 1);
}

const START_OF_SCAN = 0xda;
const END_OF_IMAGE = 0xd9;

function isStartOfFrame(marker: number): boolean {
  return marker >= 0xc0 && marker <= 0xcf && marker !== 0xc4 && marker !== 0xc8 && marker !== 0xcc;
}

function hasNoLength(marker: number): boolean {
  return marker === 0x01 || (marker >= 0xd0 && marker <= 0xd8);
}

/** Steps from segment to segment until the one that describes the frame. */
function jpegSize(image: Base64Bytes): ImageSize | undefined {
  if (image.at(0) !== 0xff || image.at(1) !== 0xd8) return undefined;
  let position = 2;
  while (image.at(position) === 0xff) {
    const marker = image.at(position + 1);
    if (marker === 0xff) position += 1;
    else if (hasNoLength(marker)) position += 2;
    else if (isStartOfFrame(marker)) return sized(image.big16(position + 7), image.big16(position + 5));
    else if (marker === START_OF_SCAN || marker === END_OF_IMAGE) return undefined;
    else {
      const length = image.big16(position + 2);
      if (!(length >= 2)) return undefined;
      position += 2 + length;
    }
  }
  return undefined;
}

const readers: readonly (readonly [string, (image: Base64Bytes) => ImageSize | undefined])[] = [
  ["image/png", pngSize],
  ["image/jpeg", jpegSize],
  ["image/gif", gifSize],
  ["image/webp", webpSize],
];
