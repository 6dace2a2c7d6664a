import { byteAt } from "./base64.js";

export interface ImageSize {
  readonly width: number;
  readonly height: number;
}

/**
 * The size in pixels that the header of a PNG, JPEG, GIF or WebP image states; undefined for anything else
 * and for data that ends too early. Reads only the bytes it needs.
 */
export function imageSize(base64: string): ImageSize | undefined {
  const image = new Bytes(base64);
  const size = pngSize(image) ?? jpegSize(image) ?? gifSize(image) ?? webpSize(image);
  return size === undefined || size.width <= 0 || size.height <= 0 ? undefined : size;
}

class Bytes {
  readonly #base64: string;

  constructor(base64: string) {
    this.#base64 = base64;
  }

  /** NaN behind the end, which makes every figure computed from it NaN too. */
  at(index: number): number {
    return byteAt(this.#base64, index) ?? Number.NaN;
  }

  big16(index: number): number {
    return this.at(index) * 256 + this.at(index + 1);
  }

  big32(index: number): number {
    return this.big16(index) * 65_536 + this.big16(index + 2);
  }

  little16(index: number): number {
    return this.at(index) + this.at(index + 1) * 256;
  }

  little24(index: number): number {
    return this.little16(index) + this.at(index + 2) * 65_536;
  }

  has(index: number, ascii: string): boolean {
    for (let offset = 0; offset < ascii.length; offset += 1) {
      if (this.at(index + offset) !== ascii.charCodeAt(offset)) return false;
    }
    return true;
  }
}

function sized(width: number, height: number): ImageSize | undefined {
  return Number.isNaN(width) || Number.isNaN(height) ? undefined : { width, height };
}

function pngSize(image: Bytes): ImageSize | undefined {
  if (!image.has(0, "\u0089PNG\r\n\u001a\n") || !image.has(12, "IHDR")) return undefined;
  return sized(image.big32(16), image.big32(20));
}

function gifSize(image: Bytes): ImageSize | undefined {
  if (!image.has(0, "GIF87a") && !image.has(0, "GIF89a")) return undefined;
  return sized(image.little16(6), image.little16(8));
}

function webpSize(image: Bytes): ImageSize | undefined {
  if (!image.has(0, "RIFF") || !image.has(8, "WEBP")) return undefined;
  if (image.has(12, "VP8X")) return sized(image.little24(24) + 1, image.little24(27) + 1);
  if (image.has(12, "VP8 ")) return sized(image.little16(26) % 16_384, image.little16(28) % 16_384);
  if (!image.has(12, "VP8L") || image.at(20) !== 0x2f) return undefined;
  // 14 bits each, one behind the other
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
function jpegSize(image: Bytes): ImageSize | undefined {
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
