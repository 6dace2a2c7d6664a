import type { FileRefusal } from "@palimpsest/core/restore";
import type { Disk } from "./disk.js";
import { close, openInside, refusalOf, type Bounds } from "./open-inside.js";
import { fill } from "./read-lines.js";

type ReadBytes =
  | { readonly kind: "bytes"; readonly bytes: Uint8Array; readonly mtime: number }
  | { readonly kind: FileRefusal };

const CHUNK = 65_536;

/** All bytes of a file inside the roots; `too-large` where they are more than `maxBytes`. Never rejects. */
export async function readBytesInside(
  disk: Disk,
  path: string,
  { bounds, maxBytes }: { readonly bounds: Bounds; readonly maxBytes: number },
): Promise<ReadBytes> {
  try {
    const opened = await openInside(disk, path, bounds);
    if (opened.kind !== "open") return opened;
    try {
      const chunks: Uint8Array[] = [];
      for (let read = 0; ;) {
        const buffer = new Uint8Array(CHUNK);
        const chunk = buffer.subarray(0, await fill(opened.file, buffer, read));
        chunks.push(chunk);
        read += chunk.length;
        if (read > maxBytes) return { kind: "too-large" };
        if (chunk.length < CHUNK) break;
      }
      return { kind: "bytes", bytes: Buffer.concat(chunks), mtime: opened.status.mtimeMs };
    } finally {
      await close(opened.file);
    }
  } catch (error) {
    return { kind: refusalOf(error) };
  }
}
