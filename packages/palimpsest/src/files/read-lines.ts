import type { DiskFile } from "./disk.js";
import { looksBinary } from "./looks-binary.js";
import { TextPage, type PageLimits } from "./text-page.js";

export interface ReadLimits extends PageLimits {
  /** Bytes that are read at all. */
  readonly maxBytes: number;
  readonly isAborted: () => boolean;
}

export type ReadLines =
  | { readonly kind: "text"; readonly content: string; readonly lines: number; readonly isTruncated: boolean }
  | { readonly kind: "binary" | "too-large" | "unreadable" };

const CHUNK = 65_536;

/** Reads lines from the start of an open file, and no further than needed. May throw what the disk throws. */
export async function readLines(file: DiskFile, limits: ReadLimits): Promise<ReadLines> {
  const { maxBytes, isAborted } = limits;
  const page = new TextPage(limits);
  const decoder = new TextDecoder();
  const buffer = new Uint8Array(CHUNK);
  let read = 0;
  for (;;) {
    if (isAborted()) return { kind: "unreadable" };
    const isAtLimit = read >= maxBytes;
    const length = isAtLimit ? 1 : Math.min(CHUNK, maxBytes - read);
    const chunk = buffer.subarray(0, await fill(file, buffer.subarray(0, length), read));
    if (read === 0 && looksBinary(chunk)) return { kind: "binary" };
    const isEnd = chunk.length < length;
    if (isAtLimit && !isEnd) return page.hasBegun ? text(page, true) : { kind: "too-large" };
    page.take(decoder.decode(chunk, { stream: !isEnd }));
    if (isEnd || !page.isOpen) return text(page, false);
    read += chunk.length;
  }
}

const text = (page: TextPage, isCut: boolean): ReadLines => ({ kind: "text", ...page.finish(isCut) });

/** Reads until the buffer is full or the file is over; how much of the buffer is filled. */
export async function fill(file: DiskFile, buffer: Uint8Array, position: number): Promise<number> {
  let filled = 0;
  while (filled < buffer.length) {
    const { bytesRead } = await file.read(buffer, filled, buffer.length - filled, position + filled);
    if (bytesRead === 0) break;
    filled += bytesRead;
  }
  return filled;
}
