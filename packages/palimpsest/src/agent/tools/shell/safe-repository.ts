import { existsSync, lstatSync, readFileSync, statSync } from "node:fs";
import { dirname, join, resolve } from "node:path";

const MAX_CONFIG_BYTES = 256 * 1024;
/** Deeper than any directory that people work in. */
const MOST_STEPS = 100;

/**
 * Keys by which a repository's own configuration has git run a program, or look at files elsewhere, also when git is
 * only asked to show something: what is missing may be fetched for that, and what is shown filtered.
 */
const harmfulKey =
  /(?:^|[\]\s])(?:fsmonitor|external|command|textconv|clean|smudge|process|program|worktree|sshcommand|uploadpack|gitproxy|vcs)[ \t]*=/im;
/** More configuration from elsewhere, and addresses that are programs. */
const harmfulText = /\[\s*include|=[ \t"]*\w+::/i;
const hooksPath = /(?:^|[\]\s])hookspath[ \t]*=[ \t]*(.*?)[ \t\r]*$/gim;

/** Runs when git writes down what it found while it was asked to show something. */
const READING_HOOK = "post-index-change";

interface Repository {
  /** Where its own files are. */
  readonly directory: string;
  /** Where the person's files are. */
  readonly top: string;
}

/**
 * Whether git can be asked to show something in a directory without running what others wrote: the repository that it
 * would find is an ordinary one, and its configuration names no programs. A folder that git would take for a bare
 * repository could have come with the files, so it is not one of these.
 */
export function isSafeRepository(directory: string): boolean {
  try {
    const found = findRepository(resolve(directory));
    if (found === "none") return true;
    if (found === "unsafe") return false;
    const common = commonDirectory(found.directory);
    const files = [join(common, "config"), join(found.directory, "config.worktree")];
    const config = files.map((file) => (existsSync(file) ? readSmall(file) : "")).join("\n");
    if (harmfulKey.test(config) || harmfulText.test(config)) return false;
    const named = Array.from(config.matchAll(hooksPath), ([, path = ""]) => path);
    if (named.some((path) => !/^[\w./-]+$/.test(path))) return false;
    const folders = [join(common, "hooks"), ...named.map((path) => resolve(found.top, path))];
    return !folders.some((folder) => existsSync(join(folder, READING_HOOK)));
  } catch {
    return false;
  }
}

/** The repository that git would use; `none` where there is none, and git would show nothing but an error. */
function findRepository(start: string): Repository | "none" | "unsafe" {
  let top = start;
  for (let step = 0; step < MOST_STEPS; step += 1) {
    const entry = join(top, ".git");
    const status = lstatSync(entry, { throwIfNoEntry: false });
    if (status?.isDirectory() === true) return { directory: entry, top };
    if (status !== undefined) return status.isFile() ? linkedRepository(entry) : "unsafe";
    if (existsSync(join(top, "HEAD")) && existsSync(join(top, "objects"))) return "unsafe";
    if (dirname(top) === top) return "none";
    top = dirname(top);
  }
  return "unsafe";
}

/** Worktrees and submodules: a file says where the repository is, below the `.git` of the one that they belong to. */
function linkedRepository(file: string): Repository | "unsafe" {
  const top = dirname(file);
  const [, path = ""] = /^gitdir:\s*(.+?)\s*$/.exec(readSmall(file)) ?? [];
  const directory = resolve(top, path);
  const isLinked = path !== "" && /[\\/]\.git[\\/](?:worktrees|modules)[\\/]/.test(directory);
  return isLinked && statSync(directory).isDirectory() ? { directory, top } : "unsafe";
}

function commonDirectory(repository: string): string {
  const file = join(repository, "commondir");
  return existsSync(file) ? resolve(repository, readSmall(file).trim()) : repository;
}

function readSmall(path: string): string {
  const status = statSync(path);
  if (!status.isFile() || status.size > MAX_CONFIG_BYTES) throw new Error("no ordinary file");
  return readFileSync(path, "utf8");
}
