import { homedir } from "node:os";
import { basename, dirname, join, resolve } from "node:path";
import type { FileAccess } from "@palimpsest/core/restore";
import { diskCode, nodeDisk, type WritableDisk } from "../../files/disk.js";
import { createFileAccess } from "../../files/file-access.js";
import { isInside, rootsOf, type Bounds } from "../../files/open-inside.js";
import { matchDenied } from "../../files/path-patterns.js";
import { quotedPath } from "./shown-path.js";

export interface PathGuardOptions {
  /** Directories that the agent may use, with all that is below them and that links do not lead out of. */
  readonly roots: readonly string[];
  /** Single files elsewhere that may be read, and nothing else. */
  readonly readable?: readonly string[];
  /** Where relative paths start. */
  readonly workingDirectory: string;
  /** Patterns of paths that are nobody's business: `.env`, `*.pem`, `secrets/**`. */
  readonly denied?: readonly string[];
  /** What else is nobody's business: rules that forbid to read. Told absolute paths, as given and as links lead. */
  readonly isDenied?: (path: string) => boolean;
  /** What `~` stands for. Default: the home of whoever runs the program. */
  readonly home?: string;
  readonly disk?: WritableDisk;
}

/** What a file is wanted for. */
export type PathUse = "read" | "write";

type GuardedPath =
  | {
      readonly kind: "allowed";
      /** Absolute, as the read-state knows it: `.`, `..` and `~` are gone, links are not followed. */
      readonly path: string;
      /** As links lead; for what does not exist yet, where it would be made. */
      readonly real: string;
    }
  /** With a sentence for the model. */
  | { readonly kind: "refused"; readonly reason: string };

/** Which files the agent may use. */
export interface PathGuard {
  readonly workingDirectory: string;
  readonly bounds: Bounds;
  readonly disk: WritableDisk;
  /** Files inside, and those that may be read beside them, as the read tool shows them. */
  readonly files: FileAccess;
  /** The absolute path that a call means. Asks no disk and permits nothing. */
  readonly absolute: (path: string) => string;
  /**
   * Never rejects. What it allows is a judgement of this moment: whoever opens the file uses `openInside`,
   * `openDirectoryInside` or `writeInside`, which find out what took its place since.
   */
  readonly resolve: (path: string, use: PathUse) => Promise<GuardedPath>;
  /** Told of a file, by its real path, before a tool writes it. Where it rejects, nothing is written. */
  readonly beforeSave?: (real: string) => Promise<void>;
}

const MAX_PATH = 4096;

export function createPathGuard(options: PathGuardOptions): PathGuard {
  const { roots, readable = [], denied = [], home = homedir(), disk = nodeDisk } = options;
  const workingDirectory = resolve(options.workingDirectory);
  const isNamed = matchDenied(denied);
  const bounds: Bounds = {
    roots: roots.map((root) => resolve(workingDirectory, root)),
    isDenied: (path) => isNamed(path) || options.isDenied?.(path) === true,
  };
  const absolute = (path: string): string => resolve(workingDirectory, withHome(path, home));
  return {
    workingDirectory,
    bounds,
    disk,
    files: createFileAccess({
      roots: [...bounds.roots, ...readable],
      workingDirectory,
      isDenied: bounds.isDenied,
      disk,
    }),
    absolute,
    async resolve(path, use) {
      const reason = wordingProblem(path, use);
      if (reason !== undefined) return { kind: "refused", reason };
      const target = absolute(path);
      const judged = await judge(target, { disk, bounds });
      if (typeof judged === "string") return { kind: "allowed", path: target, real: judged };
      return { kind: "refused", reason: refusalSentence(judged.refused, { path, use, bounds }) };
    },
  };
}

const withHome = (path: string, home: string): string =>
  path === "~" || path.startsWith("~/") ? join(home, path.slice(1)) : path;

/** What is wrong with the path as a text. */
function wordingProblem(path: string, use: PathUse): string | undefined {
  if (path.trim() === "") return "The path is empty: name a file.";
  if (path.includes("\0")) return "The path holds a NUL character, which no file name can.";
  if (path.length > MAX_PATH) return `The path is longer than ${MAX_PATH} characters, which no file's is.`;
  const isAmbiguous = path.split(/[\\/]/).some((part) => part !== "." && part !== ".." && /[. ]$/.test(part));
  if (isAmbiguous && (use === "write" || process.platform === "win32")) {
    return `${quotedPath(path)} has a name that ends in a dot or a space, which some systems take for another name. Choose one that does not.`;
  }
  return undefined;
}

type PathRefusal = "outside" | "leads-outside" | "denied" | "nowhere" | "loop" | "no-directory" | "failed";

interface Judged {
  readonly refused: PathRefusal;
}

/** The real path, or why it is refused. */
async function judge(
  path: string,
  { disk, bounds }: { readonly disk: WritableDisk; readonly bounds: Bounds },
): Promise<string | Judged> {
  const realRoots = await rootsOf(disk, bounds);
  const isMeantInside = isInside(path, [...realRoots, ...bounds.roots]);
  const real = await realPathOf(disk, path);
  // Nothing is told about what lies elsewhere, not even that it is not there.
  if (typeof real !== "string") return isMeantInside ? real : { refused: "outside" };
  if (!isInside(real, realRoots)) return { refused: isMeantInside ? "leads-outside" : "outside" };
  return bounds.isDenied(path) || bounds.isDenied(real) ? { refused: "denied" } : real;
}

/** As links lead, as far as the path exists; below that there are none. */
async function realPathOf(disk: WritableDisk, path: string): Promise<string | Judged> {
  const missing: string[] = [];
  for (let at = path; ; at = dirname(at)) {
    try {
      return join(await disk.realpath(at), ...missing);
    } catch (error) {
      const code = diskCode(error);
      if (code === "ELOOP") return { refused: "loop" };
      if (code === "ENOTDIR") return { refused: "no-directory" };
      if (code !== "ENOENT" || at === dirname(at)) return { refused: "failed" };
    }
    if (await isThere(disk, at)) return { refused: "nowhere" };
    missing.unshift(basename(at));
  }
}

/** Whether something of this name exists, if only a link. */
const isThere = (disk: WritableDisk, path: string): Promise<boolean> =>
  disk.lstat(path).then(
    () => true,
    () => false,
  );

function refusalSentence(
  refusal: PathRefusal,
  { path, use, bounds }: { readonly path: string; readonly use: PathUse; readonly bounds: Bounds },
): string {
  const name = quotedPath(path);
  const roots = bounds.roots.map((root) => quotedPath(root)).join(", ");
  switch (refusal) {
    case "outside":
      return `${name} lies outside the directories that you may use. Stay inside ${roots}.`;
    case "leads-outside":
      return `${name} leads through a symbolic link to a place outside the directories that you may use. Stay inside ${roots}.`;
    case "denied":
      return `${name} may not be ${use === "read" ? "read" : "written"}: the settings deny it. Do without it, or ask the person.`;
    case "nowhere":
      return `${name} is, or passes through, a symbolic link that leads nowhere.`;
    case "loop":
      return `${name} is, or passes through, symbolic links that lead in a circle.`;
    case "no-directory":
      return `${name} cannot exist: a part of the path is a file, not a directory.`;
    case "failed":
      return `${name} cannot be looked up: the name is too long, or the system does not permit it.`;
  }
}
