import { open } from "node:fs/promises";

const CHUNK_BYTES = 4 * 1024 * 1024;

/** ASCII letters as small ones; every other byte as it is. */
const lowerCase = Uint8Array.from({ length: 256 }, (_, byte) =>
  byte >= 65 && byte <= 90 ? byte + 32 : byte,
);

/** Finds where any of some texts may stand in a file of JSON, whatever the case of its letters and however they are escaped. */
export class ByteSearch {
  readonly #patterns: readonly Buffer[];
  readonly #longest: number;

  constructor(words: string) {
    const spellings = [words, words.toLowerCase(), words.toUpperCase()].flatMap((text) => {
      const escaped = JSON.stringify(text).slice(1, -1);
      return [escaped, asciiOf(escaped), escaped.replaceAll("/", "\\/")];
    });
    const distinct = new Set(spellings.map((text) => lowered(Buffer.from(text)).toString("latin1")));
    this.#patterns = [...distinct].map((text) => Buffer.from(text, "latin1"));
    this.#longest = Math.max(...this.#patterns.map(({ length }) => length));
  }

  /**
   * Calls with each place from `from` on, in their order. What it gives back is the place to go on from, no smaller than the next;
   * `undefined` ends the search. Gives back where it ended.
   */
  async search(
    path: string,
    {
      from,
      to,
      signal,
    }: { readonly from: number; readonly to: number; readonly signal?: AbortSignal | undefined },
    found: (place: number) => Promise<number | undefined>,
  ): Promise<number> {
    const file = await open(path, "r");
    const buffer = Buffer.alloc(CHUNK_BYTES);
    try {
      let next = from;
      for (let start = from; start < to;) {
        signal?.throwIfAborted();
        const wanted = Math.min(CHUNK_BYTES, to - start);
        const { bytesRead } = await file.read(buffer, 0, wanted, start);
        if (bytesRead === 0) return to;
        const chunk = lowered(buffer.subarray(0, bytesRead));
        for (let at = this.#firstIn(chunk, next - start); at >= 0; at = this.#firstIn(chunk, next - start)) {
          const place = await found(start + at);
          if (place === undefined) return start + at;
          next = Math.max(place, start + at + 1);
          if (next >= start + bytesRead) break;
        }
        // What stands across the end of the chunk is found in the next one.
        const end = start + bytesRead;
        start = end >= to ? end : Math.max(next, end - this.#longest + 1, start + 1);
        next = Math.max(next, start);
      }
      return to;
    } finally {
      await file.close();
    }
  }

  #firstIn(chunk: Buffer, from: number): number {
    let first = -1;
    for (const pattern of this.#patterns) {
      const at = chunk.indexOf(pattern, Math.max(0, from));
      if (at >= 0 && (first < 0 || at < first)) first = at;
    }
    return first;
  }
}

/** In place. */
function lowered(bytes: Buffer): Buffer {
  for (let at = 0; at < bytes.length; at += 1) bytes[at] = lowerCase[bytes[at] ?? 0] ?? 0;
  return bytes;
}

const asciiOf = (text: string): string =>
  text.replaceAll(/[^\u0000-\u007f]/g, (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, "0")}`);
