import { imageSize } from "@palimpsest/core/engine";
import type { FilePicture, FileRefusal } from "@palimpsest/core/restore";
import type { Disk } from "./disk.js";
import { imageTypeOf } from "./image-type.js";
import type { Bounds } from "./open-inside.js";
import { readBytesInside } from "./read-bytes-inside.js";

type PictureOutcome =
  | FilePicture
  | { readonly kind: FileRefusal }
  /** No API would take it: why, as the rest of a sentence that begins with its name. */
  | { readonly kind: "unfit"; readonly why: string };

const MAX_BYTES = 5 * 1024 * 1024;
const MAX_EDGE = 8000;

/** A picture that a model can be shown, by what its bytes say it is. Never rejects. */
export async function readPicture(
  disk: Disk,
  path: string,
  { bounds }: { readonly bounds: Bounds },
): Promise<PictureOutcome> {
  const read = await readBytesInside(disk, path, { bounds, maxBytes: MAX_BYTES });
  if (read.kind === "too-large") {
    return {
      kind: "unfit",
      why: "is a binary file of more than 5 MB. Pictures up to 5 MB can be shown",
    };
  }
  if (read.kind !== "bytes") return read;
  const mediaType = imageTypeOf(read.bytes);
  if (mediaType === undefined) return { kind: "binary" };
  const data = Buffer.from(read.bytes).toString("base64");
  const size = imageSize(data);
  if (size === undefined) {
    return { kind: "unfit", why: `starts like a picture (${mediaType}), but is damaged or not complete` };
  }
  if (Math.max(size.width, size.height) > MAX_EDGE) {
    const pixels = `${size.width} × ${size.height} pixels`;
    return { kind: "unfit", why: `is a picture of ${pixels}. Up to ${MAX_EDGE} each way can be shown` };
  }
  return { kind: "picture", mediaType, data, mtime: read.mtime };
}
