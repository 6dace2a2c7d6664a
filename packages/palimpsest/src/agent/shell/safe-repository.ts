import {
  accessSync,
  constants,
  existsSync,
  lstatSync,
  readdirSync,
  readFileSync,
  realpathSync,
  statSync,
} from "node:fs";
import { dirname, join, resolve } from "node:path";
import { readGitConfig, type GitSetting } from "./git-config.js";

const MAX_CONFIG_BYTES = 256 * 1024;
/** Deeper than any directory that people work in. */
const MOST_STEPS = 100;

/** Settings of a repository of which none has git run a program, reach for the network or look elsewhere. */
const harmless: ReadonlySet<string> = new Set(
  `core.filemode core.logallrefupdates core.ignorecase core.precomposeunicode core.symlinks
   core.autocrlf core.eol core.safecrlf core.hookspath core.untrackedcache core.preloadindex core.fscache core.longpaths
   core.abbrev core.quotepath core.protecthfs core.protectntfs core.sparsecheckout core.sparsecheckoutcone
   core.commitgraph core.multipackindex core.compression core.whitespace core.checkstat core.trustctime
   core.splitindex core.sharedrepository core.packedgitlimit core.packedgitwindowsize core.bigfilethreshold
   remote.fetch remote.push remote.tagopt remote.prune remote.prunetags remote.gh-resolved remote.skipfetchall
   user.name user.email user.signingkey user.useconfigonly author.name author.email committer.name committer.email
   commit.gpgsign commit.verbose commit.cleanup tag.gpgsign tag.sort tag.forcesignannotated gpg.format
   extensions.worktreeconfig extensions.objectformat extensions.refstorage extensions.relativeworktrees
   submodule.url submodule.active submodule.branch submodule.fetchjobs
   diff.renames diff.renamelimit diff.algorithm diff.mnemonicprefix diff.noprefix diff.colormoved diff.context
   diff.interhunkcontext diff.indentheuristic diff.wserrorhighlight diff.ignoresubmodules
   status.short status.branch status.showuntrackedfiles status.showstash status.renames status.relativepaths
   log.date log.decorate log.abbrevcommit log.follow merge.ff merge.conflictstyle merge.renames merge.renamelimit
   merge.log http.postbuffer http.sslverify http.version http.extraheader lfs.repositoryformatversion lfs.access
   maintenance.auto maintenance.strategy`.split(/\s+/),
);
/** Sections of which that holds for all. */
const harmlessSections: ReadonlySet<string> = new Set(
  "branch init pull push fetch rebase color column advice rerere gc index feature i18n gui".split(" "),
);
/** An address, not a program that makes up for one. */
const plainAddress =
  /^"?(?:(?:https?|ssh|git|file):\/\/[^\s"]+|[\w.-]+@[\w.-]+:[^\s":]+|[\w./~\\][^\s":]*|[A-Za-z]:[\\/][^\s":]*)"?$/;

/** Runs when git writes down what it found while it was asked to show something. */
const READING_HOOK = "post-index-change";

interface FoundRepository {
  /** Where its own files are. */
  readonly directory: string;
  /** Where those are that it shares with other working trees. */
  readonly common: string;
  /** Where the person's files are. */
  readonly top: string;
}

/** What git would find in a directory. */
export type Repository =
  | { readonly kind: "safe"; readonly top: string }
  /** There is none, and git would show nothing but an error. */
  | { readonly kind: "none" }
  | { readonly kind: "unsafe" };

/**
 * Whether git, with its brakes on, can be asked to show something in a directory without running what others wrote: the
 * repository that it would find is an ordinary one, and its configuration says nothing but what is known to be harmless.
 * A folder that git could take for a bare repository may have come with the files, so it is not one of these.
 */
export function inspectRepository(directory: string): Repository {
  try {
    const found = findRepository(realpathSync.native(directory));
    if (found === "none") return { kind: "none" };
    if (found === "unsafe" || !isOrdinary(found)) return { kind: "unsafe" };
    return { kind: "safe", top: found.top };
  } catch {
    return { kind: "unsafe" };
  }
}

function isOrdinary(found: FoundRepository): boolean {
  const { directory, common } = found;
  // What git does not take for a repository it passes over, and goes on to the one above, which nobody has looked at.
  if (!head.test(readSmall(join(directory, "HEAD")))) return false;
  for (const name of ["objects", "refs"]) {
    if (!statSync(join(common, name)).isDirectory()) return false;
    accessSync(join(common, name), constants.X_OK);
  }
  if (![directory, common].every(hasOwnFiles)) return false;
  // Objects of other repositories could be shown as well.
  if (["alternates", "http-alternates"].some((name) => existsSync(join(common, "objects/info", name))))
    return false;
  if (existsSync(join(common, "hooks", READING_HOOK))) return false;
  const files = [join(common, "config"), join(directory, "config.worktree"), join(directory, "config")];
  return Array.from(new Set(files)).every((file) => {
    if (!existsSync(file)) return true;
    const settings = readGitConfig(readSmall(file));
    return settings !== undefined && settings.every((setting) => isHarmless(setting, found));
  });
}

/** What git wants to read there. */
const head = /^(?:ref: refs\/[^\s]+|[0-9a-f]{40}|[0-9a-f]{64})\s*$/;

const filledByGit = ["", "info", "objects", "objects/info", "objects/pack", "refs", "refs/heads", "logs"];

/** Links would have git read, and show, what lies elsewhere: other repositories, or any file, line by line in errors. */
const hasOwnFiles = (directory: string): boolean =>
  filledByGit.every((name) => {
    const place = join(directory, name);
    if (!existsSync(place)) return true;
    return readdirSync(place, { withFileTypes: true }).every(
      (entry) => !entry.isSymbolicLink() || (name === "" && entry.name === "hooks"),
    );
  });

function isHarmless({ key, subsection, value }: GitSetting, { directory, top }: FoundRepository): boolean {
  if (key === "core.bare") return /^(?:false|no|off|0)$/i.test(value);
  if (key === "core.repositoryformatversion") return /^[01]$/.test(value);
  // A submodule's own, which leads back to where it was found.
  if (key === "core.worktree") {
    return subsection === undefined && !/["#;\\]/.test(value) && resolve(directory, value) === top;
  }
  if (key === "remote.url" || key === "remote.pushurl") return plainAddress.test(value);
  // With a name of their own, sections of these kinds are drivers and tools.
  if (subsection !== undefined && /^(?:core|diff|merge|log|status|gpg|user|commit|tag)\./.test(key))
    return false;
  return harmless.has(key) || harmlessSections.has(key.split(".", 1)[0] ?? "");
}

/** The repository that git would use. */
function findRepository(start: string): FoundRepository | "none" | "unsafe" {
  let top = start;
  for (let step = 0; step < MOST_STEPS; step += 1) {
    const entry = join(top, ".git");
    const status = lstatSync(entry, { throwIfNoEntry: false });
    if (status?.isDirectory() === true) {
      return existsSync(join(entry, "commondir")) ? "unsafe" : { directory: entry, common: entry, top };
    }
    if (status !== undefined) return status.isFile() ? linkedRepository(entry) : "unsafe";
    if (lstatSync(join(top, "HEAD"), { throwIfNoEntry: false }) !== undefined) return "unsafe";
    if (dirname(top) === top) return "none";
    top = dirname(top);
  }
  return "unsafe";
}

/**
 * Worktrees and submodules: a file says where the repository is, below the `.git` of the one that they belong to, and
 * what is there leads back to the file.
 */
function linkedRepository(file: string): FoundRepository | "unsafe" {
  const top = dirname(file);
  // Blanks at its ends are part of a path for git.
  const [, path = ""] = /^gitdir: (\S|\S.*\S)[\r\n]*$/.exec(readSmall(file)) ?? [];
  const directory = path === "" ? "" : realpathSync.native(resolve(top, path));
  const [, kind] = /[\\/]\.git[\\/](worktrees|modules)[\\/]/.exec(directory) ?? [];
  if (kind === "modules") {
    const settings = readGitConfig(readSmall(join(directory, "config"))) ?? [];
    const leadsBack = settings.some(
      ({ key, value }) => key === "core.worktree" && resolve(directory, value) === top,
    );
    return leadsBack && !existsSync(join(directory, "commondir"))
      ? { directory, common: directory, top }
      : "unsafe";
  }
  if (kind !== "worktrees") return "unsafe";
  const back = resolve(directory, readSmall(join(directory, "gitdir")).trim());
  const [, shared = ""] = /^(\S|\S.*\S)[\r\n]*$/.exec(readSmall(join(directory, "commondir"))) ?? [];
  if (shared === "") return "unsafe";
  const common = realpathSync.native(resolve(directory, shared));
  const isOwn = realpathSync.native(back) === file && directory.startsWith(join(common, "worktrees"));
  return isOwn ? { directory, common, top } : "unsafe";
}

function readSmall(path: string): string {
  const status = statSync(path);
  if (!status.isFile() || status.size > MAX_CONFIG_BYTES) throw new Error("no ordinary file");
  return readFileSync(path, "utf8");
}
