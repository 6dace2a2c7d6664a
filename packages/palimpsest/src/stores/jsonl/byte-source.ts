import type { OpenFile } from "./file-system.js";

/** Bytes that can be read from anywhere. */
export interface ByteSource {
  /** Exactly the bytes from `start` up to `end`; rejects where there are fewer. */
  read(start: number, end: number): Promise<Buffer>;
}

export function fileSource(file: OpenFile): ByteSource {
  return {
    async read(start, end) {
      const buffer = Buffer.allocUnsafe(end - start);
      let filled = 0;
      while (filled < buffer.length) {
        const { bytesRead } = await file.read(buffer, filled, buffer.length - filled, start + filled);
        if (bytesRead === 0) throw new Error("the file became shorter while it was read, read it again");
        filled += bytesRead;
      }
      return buffer;
    },
  };
}

/** The first `length` bytes of `source`, followed by bytes that are not stored yet. */
export function extendedSource(source: ByteSource, length: number, pending: Buffer): ByteSource {
  return {
    async read(start, end) {
      const later = pending.subarray(Math.max(0, start - length), Math.max(0, end - length));
      if (start >= length) return later;
      const stored = await source.read(start, Math.min(end, length));
      return later.length === 0 ? stored : Buffer.concat([stored, later]);
    },
  };
}
