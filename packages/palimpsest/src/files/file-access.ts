import { resolve } from "node:path";
import type { FileAccess, FileReadOptions, FileReadOutcome } from "@palimpsest/core/restore";
import { nodeDisk, type Disk } from "./disk.js";
import { close, locate, openInside, refusalOf, type Bounds } from "./open-inside.js";
import { matchDenied } from "./path-patterns.js";
import { readLines, type ReadLimits } from "./read-lines.js";
import { readPicture } from "./read-picture.js";

export interface FileAccessOptions {
  /** Directories that may be seen, with everything below them that links do not lead out of. */
  readonly roots: readonly string[];
  /** Where relative paths start. Default: the first root. */
  readonly workingDirectory?: string;
  /** Patterns of paths that may not be read: `.env`, `*.pem`, `secrets/**`, `/etc/**`; see `matchDenied`. */
  readonly denied?: readonly string[];
  /** What else may not be read. Told absolute paths, as given and as links lead. */
  readonly isDenied?: (path: string) => boolean;
  /** Lines that a read shows unless it asks for a number itself. Default 2,000. */
  readonly maxLines?: number;
  /** Characters of one numbered line. Default 2,000. */
  readonly maxLineCharacters?: number;
  /** Characters of one read unless it asks for fewer. Default 400,000. */
  readonly maxCharacters?: number;
  /** Bytes of a file that are searched for the lines that were asked for. Default 10 MiB. */
  readonly maxBytes?: number;
  readonly disk?: Disk;
}

/**
 * Files of this machine, as a read tool shows them: `1⇥text`, one line of the file a line, Windows line ends taken
 * off. Never rejects; see `FileRefusal` for what is not shown. Holds no file open and remembers nothing.
 */
export function createFileAccess(options: FileAccessOptions): FileAccess {
  const { disk = nodeDisk } = options;
  const start = resolve(options.workingDirectory ?? options.roots[0] ?? "/");
  const isNamed = matchDenied(options.denied ?? []);
  const bounds: Bounds = {
    roots: options.roots.map((root) => resolve(root)),
    isDenied: (path) => isNamed(path) || options.isDenied?.(path) === true,
  };
  return {
    async read(path, request = {}) {
      try {
        const file = resolve(start, path);
        const outcome = await readInside(disk, file, { bounds, limits: limitsOf(options, request) });
        if (outcome.kind !== "binary" || request.takesPictures !== true) return outcome;
        const picture = await readPicture(disk, file, { bounds });
        return picture.kind === "unfit" ? outcome : picture;
      } catch (error) {
        return { kind: refusalOf(error) };
      }
    },
    async stat(path) {
      try {
        const located = await locate(disk, resolve(start, path), bounds);
        return located.kind === "file" ? { mtime: located.status.mtimeMs } : undefined;
      } catch {
        return undefined;
      }
    },
  };
}

async function readInside(
  disk: Disk,
  path: string,
  { bounds, limits }: { readonly bounds: Bounds; readonly limits: ReadLimits },
): Promise<FileReadOutcome> {
  if (limits.isAborted()) return { kind: "unreadable" };
  const opened = await openInside(disk, path, bounds);
  if (opened.kind !== "open") return opened;
  try {
    const read = await readLines(opened.file, limits);
    return read.kind === "text" ? { ...read, mtime: opened.status.mtimeMs } : read;
  } finally {
    await close(opened.file);
  }
}

function limitsOf(options: FileAccessOptions, request: FileReadOptions): ReadLimits {
  const { offset = 1, limit, isNumbered = true, signal } = request;
  const maxCharacters = Math.min(request.maxCharacters ?? Infinity, options.maxCharacters ?? 400_000);
  return {
    first: Math.max(1, Math.floor(offset)),
    limit: limit === undefined ? undefined : Math.floor(limit),
    maxLines: options.maxLines ?? 2000,
    maxCharacters,
    maxLineCharacters: isNumbered ? (options.maxLineCharacters ?? 2000) : maxCharacters,
    maxBytes: options.maxBytes ?? 10 * 1024 * 1024,
    isNumbered,
    isAborted: () => signal?.aborted === true,
  };
}
