import type { FileAccess, FileRefusal } from "../../ports/file-access.js";
import type { ReadFile } from "./choose-parts.js";

export interface DiskFile extends ReadFile {
  readonly kind: "read";
  /** Milliseconds since the epoch. */
  readonly mtime: number;
}

/** Of a larger file the beginning is looked at, and what stands around the places that are named. */
const MOST_CHARACTERS = 400_000;
const MOST_LINES = 20_000;
const MOST_PLACES = 8;

/** A file as it stands on the disk now; of one that is not had from its start, what follows each of these lines. */
export async function readFile(
  files: FileAccess,
  path: string,
  { places, signal }: { readonly places: readonly number[]; readonly signal?: AbortSignal | undefined },
): Promise<DiskFile | { readonly kind: FileRefusal }> {
  const lines = new Map<number, string>();
  let mtime: number | undefined;
  let isWhole = false;
  let refusal: FileRefusal = "unreadable";
  const offsets = [1, ...new Set(places.filter((place) => Number.isInteger(place) && place > 1))];
  for (const offset of offsets.slice(0, MOST_PLACES + 1)) {
    if (lines.has(offset) || (isWhole && offset > 1) || signal?.aborted === true) continue;
    const outcome = await readFrom(files, path, { offset, signal });
    if (outcome.kind !== "text") {
      if (outcome.kind !== "picture" && offset === 1) refusal = outcome.kind;
      continue;
    }
    mtime ??= outcome.mtime;
    if (offset === 1) isWhole = !outcome.isTruncated;
    const texts = outcome.content.split("\n").slice(0, outcome.lines);
    // A line that is too long alone comes cut: it is not what stands there.
    if (outcome.isTruncated && texts.length === 1) continue;
    for (const [index, text] of texts.entries()) lines.set(offset + index, text);
  }
  if (mtime === undefined) return { kind: refusal };
  return { kind: "read", lines: new Map([...lines].toSorted(([a], [b]) => a - b)), isWhole, mtime };
}

async function readFrom(
  files: FileAccess,
  path: string,
  { offset, signal }: { readonly offset: number; readonly signal?: AbortSignal | undefined },
) {
  try {
    return await files.read(path, {
      ...(offset === 1 ? {} : { offset }),
      limit: MOST_LINES,
      maxCharacters: MOST_CHARACTERS,
      isNumbered: false,
      ...(signal === undefined ? {} : { signal }),
    });
  } catch {
    return { kind: "unreadable" } as const;
  }
}
