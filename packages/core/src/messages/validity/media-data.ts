/**
 * What the bytes in base64 are, as far as their headers say: the judge's own reading, which shares nothing with
 * the code that prepares requests.
 */

const ALPHABET = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
const STANDARD = /^[A-Za-z\d+/]*={0,2}$/;

/** Standard base64 with its padding, and nothing else. */
export function isBase64(text: string): boolean {
  return text.length % 4 === 0 && STANDARD.test(text);
}

/** Reads bytes without decoding what lies between; -1 after the end. */
type ReadByte = (index: number) => number;

function reader(base64: string): ReadByte {
  const padding = base64.endsWith("==") ? 2 : base64.endsWith("=") ? 1 : 0;
  const length = (base64.length / 4) * 3 - padding;
  return (index) => {
    if (!(index >= 0 && index < length)) return -1;
    const bit = index * 8;
    const at = Math.floor(bit / 6);
    const twelve = (ALPHABET.indexOf(base64.charAt(at)) << 6) | ALPHABET.indexOf(base64.charAt(at + 1));
    return (twelve >> (4 - (bit % 6))) & 0xff;
  };
}

const spells = (read: ReadByte, at: number, word: string): boolean =>
  Array.from(word, (letter, offset) => read(at + offset) === letter.charCodeAt(0)).every(Boolean);

/** A number of so many bytes; -1 where the data ends before. */
function bigEndian(read: ReadByte, at: number, count: number): number {
  let value = 0;
  for (let offset = 0; offset < count; offset += 1) {
    const byte = read(at + offset);
    if (byte < 0) return -1;
    value = value * 256 + byte;
  }
  return value;
}

/** The same with its bytes in the other order. */
function littleEndian(read: ReadByte, at: number, count: number): number {
  const last = at + count - 1;
  return bigEndian((index) => read(last - index), 0, count);
}

interface Pixels {
  readonly width: number;
  readonly height: number;
}

/** The signature of a kind of image, and what its header says; undefined where it cannot be read to its end. */
interface Format {
  readonly mediaType: string;
  readonly isSigned: (read: ReadByte) => boolean;
  readonly pixels: (read: ReadByte) => Pixels | undefined;
}

const png: Format = {
  mediaType: "image/png",
  isSigned: (read) => spells(read, 0, "\u0089PNG\r\n\u001a\n"),
  pixels: (read) =>
    spells(read, 12, "IHDR") && endsInOrder(read)
      ? { width: bigEndian(read, 16, 4), height: bigEndian(read, 20, 4) }
      : undefined,
};

/** Whether the pieces of a PNG follow each other up to the one that closes it. */
function endsInOrder(read: ReadByte): boolean {
  for (let piece = 8; ;) {
    const length = bigEndian(read, piece, 4);
    const next = piece + length + 12;
    if (length < 0 || read(next - 1) < 0) return false;
    if (spells(read, piece + 4, "IEND")) return true;
    piece = next;
  }
}

const gif: Format = {
  mediaType: "image/gif",
  isSigned: (read) => spells(read, 0, "GIF87a") || spells(read, 0, "GIF89a"),
  pixels: (read) => ({ width: littleEndian(read, 6, 2), height: littleEndian(read, 8, 2) }),
};

const jpeg: Format = {
  mediaType: "image/jpeg",
  isSigned: (read) => bigEndian(read, 0, 3) === 0xff_d8_ff,
  pixels(read) {
    for (let at = 2; read(at) === 0xff;) {
      const code = read(at + 1);
      const isFrame = code >= 0xc0 && code <= 0xcf && ![0xc4, 0xc8, 0xcc].includes(code);
      if (isFrame) return { height: bigEndian(read, at + 5, 2), width: bigEndian(read, at + 7, 2) };
      if (code === 0xff) at += 1;
      else if (code === 0x01 || (code >= 0xd0 && code <= 0xd8)) at += 2;
      else {
        const length = bigEndian(read, at + 2, 2);
        if (length < 2 || code === 0xda || code === 0xd9) return undefined;
        at += 2 + length;
      }
    }
    return undefined;
  },
};

const webp: Format = {
  mediaType: "image/webp",
  isSigned: (read) => spells(read, 0, "RIFF") && spells(read, 8, "WEBP"),
  pixels(read) {
    // The last byte only fills up to an even number.
    if (read(littleEndian(read, 4, 4) + 6) < 0) return undefined;
    if (spells(read, 12, "VP8X")) {
      return { width: littleEndian(read, 24, 3) + 1, height: littleEndian(read, 27, 3) + 1 };
    }
    if (spells(read, 12, "VP8 ")) {
      const [width, height] = [littleEndian(read, 26, 2), littleEndian(read, 28, 2)];
      return width < 0 || height < 0 ? undefined : { width: width & 0x3fff, height: height & 0x3fff };
    }
    const bits = littleEndian(read, 21, 4);
    if (!spells(read, 12, "VP8L") || read(20) !== 0x2f || bits < 0) return undefined;
    return { width: (bits & 0x3fff) + 1, height: ((bits >>> 14) & 0x3fff) + 1 };
  },
};

const formats: readonly Format[] = [png, jpeg, gif, webp];

/** An image by its signature; without pixels where its header is damaged or the data ends too early. */
export interface JudgedImage {
  readonly mediaType: string;
  readonly pixels: Pixels | undefined;
}

/** Undefined for data that is not an image of a kind that the API takes. */
export function judgeImage(base64: string): JudgedImage | undefined {
  const read = reader(base64);
  const format = formats.find(({ isSigned }) => isSigned(read));
  if (format === undefined) return undefined;
  const pixels = format.pixels(read);
  const hasArea = pixels !== undefined && pixels.width > 0 && pixels.height > 0;
  return { mediaType: format.mediaType, pixels: hasArea ? pixels : undefined };
}

/** Readers of PDF look for its first line this far. */
const FIRST_BYTES = 1024;

export function isPdf(base64: string): boolean {
  const read = reader(base64);
  let start = "";
  for (let index = 0; index < FIRST_BYTES + 4 && read(index) >= 0; index += 1) {
    start += String.fromCharCode(read(index));
  }
  return start.includes("%PDF-");
}
