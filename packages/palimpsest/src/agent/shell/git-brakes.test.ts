import { execFileSync, spawnSync } from "node:child_process";
import {
  chmodSync,
  copyFileSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  realpathSync,
  rmSync,
  utimesSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { afterAll, beforeEach, describe, expect, it } from "vitest";
import { findsOwnRepository, GIT_BRAKES } from "./git-brakes.js";
import { isReadOnlyCommand } from "./read-only-command.js";
import { createWorkingDirectory } from "./working-directory.js";

const base = realpathSync(mkdtempSync(join(tmpdir(), "palimpsest-brakes-")));
const project = join(base, "project");
const mark = join(base, "it-ran");
const program = join(base, "program.sh");
afterAll(() => rmSync(base, { recursive: true, force: true }));

const env = {
  PATH: process.env["PATH"],
  HOME: join(base, "home"),
  GIT_CONFIG_NOSYSTEM: "1",
  GIT_AUTHOR_NAME: "a",
  GIT_AUTHOR_EMAIL: "a@b.c",
  GIT_COMMITTER_NAME: "a",
  GIT_COMMITTER_EMAIL: "a@b.c",
};
const git = (...args: readonly string[]): string =>
  execFileSync("git", [...args], {
    cwd: project,
    env,
    encoding: "utf8",
    stdio: ["ignore", "pipe", "pipe"],
  }).trim();
const config = (key: string, value: string): string => git("config", key, value);
const put = (name: string, text: string): void => {
  mkdirSync(dirname(join(project, name)), { recursive: true });
  writeFileSync(join(project, name), text);
};
const commit = (): string => git("add", "-A") + git("commit", "-qm", "x");
const changed = (name: string): void => utimesSync(join(project, name), 1, Math.random() * 1e9);

beforeEach(() => {
  rmSync(base, { recursive: true, force: true });
  mkdirSync(env.HOME, { recursive: true });
  mkdirSync(project);
  writeFileSync(program, `#!/bin/sh\ntouch ${mark}\ncat\n`);
  chmodSync(program, 0o755);
  git("init", "-q", "-b", "main");
  put("a.txt", "one\n");
  commit();
});

interface Ran {
  readonly hasRun: boolean;
  readonly output: string;
}

function ran(command: string, brakes: string): Ran {
  rmSync(mark, { force: true });
  const { stdout, stderr } = spawnSync("bash", ["-c", `${brakes}${command}`], {
    cwd: project,
    env,
    encoding: "utf8",
    stdio: ["ignore", "pipe", "pipe"],
  });
  return { hasRun: existsSync(mark), output: stdout + stderr };
}

const judged = (command: string): boolean => {
  const { holds: isVisible } = createWorkingDirectory({ start: project, roots: [project] });
  return isReadOnlyCommand(command, { isVisible, directory: project });
};

interface Attack {
  readonly prepare: () => void;
  readonly commands: readonly string[];
}

/** A second repository inside, as a submodule without an entry. */
const nested = (): void => {
  mkdirSync(join(project, "sub"));
  git("-C", "sub", "init", "-q", "-b", "main");
  put("sub/s.txt", "x\n");
  git("-C", "sub", "add", "-A");
  git("-C", "sub", "commit", "-qm", "s");
  git("-C", "sub", "config", "core.fsmonitor", program);
  git("add", "sub");
  git("commit", "-qm", "sub");
  put("sub/s.txt", "more\n");
};

/** An object that is missing, to be fetched from elsewhere. */
const missing = (): void => {
  writeFileSync(program, `#!/bin/sh\ntouch ${mark}\n`);
  const id = git("rev-parse", "HEAD:a.txt");
  rmSync(join(project, ".git/objects", id.slice(0, 2), id.slice(2)));
  config("core.repositoryformatversion", "1");
  config("extensions.partialClone", "o");
  config("remote.o.promisor", "true");
};

const signed = (): void => {
  const signature = "gpgsig -----BEGIN PGP SIGNATURE-----\n \n abc\n -----END PGP SIGNATURE-----\n";
  const text = execFileSync("git", ["cat-file", "commit", "HEAD"], { cwd: project, encoding: "utf8" });
  const at = text.indexOf("\n\n") + 1;
  writeFileSync(join(base, "commit"), text.slice(0, at) + signature + text.slice(at));
  git("update-ref", "HEAD", git("hash-object", "-t", "commit", "-w", join(base, "commit")));
};

const merged = (): void => {
  put(".gitattributes", "*.txt merge=m\n");
  commit();
  git("checkout", "-q", "-b", "other");
  put("a.txt", "other\n");
  commit();
  git("checkout", "-q", "main");
  put("a.txt", "main\n");
  commit();
  spawnSync("git", ["merge", "-q", "other"], { cwd: project, env });
  put("a.txt", "both\n");
  commit();
};

const bareIn = (folder: string): void => {
  put(`${folder}/HEAD`, "ref: refs/heads/main\n");
  put(`${folder}/objects/x`, "");
  put(`${folder}/refs/x`, "");
  put(
    `${folder}/config`,
    `[core]\nrepositoryformatversion=0\nbare=false\nworktree=${project}\nfsmonitor=${program}\n`,
  );
};

const attacks: Readonly<Record<string, Attack>> = {
  "a monitor": {
    prepare: () => void config("core.fsmonitor", program),
    commands: ["git status", "git diff", "git ls-files -m"],
  },
  "a monitor of an included file": {
    prepare() {
      put(".git/more", `[core]\nfsmonitor=${program}\n`);
      config("include.path", "more");
    },
    commands: ["git status"],
  },
  "a folder that is a bare repository": { prepare: () => bareIn("bare"), commands: ["git -C bare status"] },
  "a folder that says where a repository is": {
    prepare() {
      bareIn("common");
      put(
        "common/config",
        `[core]\nrepositoryformatversion=1\nfsmonitor=${program}\n[extensions]\nworktreeConfig=true\n`,
      );
      put("sub/HEAD", "ref: refs/heads/main\n");
      put("sub/commondir", "../common\n");
      put("sub/config.worktree", "[core]\nbare=false\nworktree=..\n");
    },
    commands: ["git -C sub status"],
  },
  "a hook that hears of an index": {
    prepare() {
      copyFileSync(program, join(project, ".git/hooks/post-index-change"));
      changed("a.txt");
    },
    commands: ["git status"],
  },
  "hooks of a folder": {
    prepare() {
      mkdirSync(join(project, "hooks"));
      copyFileSync(program, join(project, "hooks/post-index-change"));
      config("core.hooksPath", "hooks");
      changed("a.txt");
    },
    commands: ["git diff"],
  },
  "a program for differences": {
    prepare() {
      config("diff.external", program);
      put("a.txt", "two\n");
    },
    commands: ["git diff"],
  },
  "a driver for differences": {
    prepare() {
      config("diff.d.command", program);
      put(".gitattributes", "*.txt diff=d\n");
      put("a.txt", "two\n");
    },
    commands: ["git diff"],
  },
  "a driver that makes text": {
    prepare() {
      config("diff.d.textconv", program);
      put(".gitattributes", "*.txt diff=d\n");
      put("a.txt", "two\n");
    },
    commands: ["git diff", "git show", "git log -p", "git blame a.txt"],
  },
  "a checker of signatures": {
    prepare() {
      signed();
      config("gpg.program", program);
      config("log.showSignature", "true");
    },
    commands: ["git log", "git show"],
  },
  "a checker of signatures by its format": {
    prepare() {
      signed();
      config("gpg.openpgp.program", program);
      config("format.pretty", "%G?");
    },
    commands: ["git log"],
  },
  "a submodule": { prepare: nested, commands: ["git status", "git diff"] },
  "a submodule that insists": {
    prepare() {
      nested();
      put(".gitmodules", '[submodule "sub"]\npath=sub\nurl=./x\nignore=none\n');
      config("status.submoduleSummary", "true");
      config("diff.submodule", "diff");
    },
    commands: ["git status", "git diff"],
  },
  "a promise of a program": {
    prepare() {
      missing();
      config("protocol.ext.allow", "always");
      config("remote.o.url", `ext::sh ${program}`);
    },
    commands: ["git show HEAD"],
  },
  "a promise behind a shell": {
    prepare() {
      missing();
      config("remote.o.url", "ssh://x/y");
      config("core.sshCommand", program);
    },
    commands: ["git show HEAD"],
  },
  "a promise of another address": {
    prepare() {
      missing();
      config("protocol.ext.allow", "always");
      config("remote.o.url", "https://example.invalid/x");
      config(`url.ext::sh ${program} .insteadOf`, "https://example.invalid/");
    },
    commands: ["git show HEAD"],
  },
  "a promise with a program on the other side": {
    prepare() {
      missing();
      config("remote.o.url", project);
      config("remote.o.uploadpack", program);
    },
    commands: ["git show HEAD"],
  },
  "merges that are made again": {
    prepare() {
      merged();
      config("merge.m.driver", program);
      config("log.diffMerges", "remerge");
    },
    commands: ["git log -m -p -1"],
  },
};

describe("git with its brakes on", () => {
  it.each(Object.keys(attacks))("does not run %s, which git without them does", (name) => {
    const { prepare, commands } = attacks[name] ?? { prepare: () => {}, commands: [] };
    prepare();
    for (const command of commands) {
      expect([command, ran(command, GIT_BRAKES).hasRun]).toEqual([command, false]);
      expect([command, ran(command, "").hasRun]).toEqual([command, true]);
      // And nobody would let it come to that.
      expect([command, judged(command)]).toEqual([
        command,
        name === "hooks of a folder" || name === "a submodule",
      ]);
    }
  });

  it("cannot do without filters, so a repository that has one is not asked", () => {
    config("filter.f.clean", program);
    put(".gitattributes", "*.txt filter=f\n");
    put("a.txt", "two\n");
    for (const command of ["git status", "git diff", "git blame a.txt", "git ls-files -m"]) {
      expect([command, ran(command, GIT_BRAKES).hasRun, judged(command)]).toEqual([command, true, false]);
    }
  });

  it("shows what git shows", () => {
    put("a.txt", "two\n");
    put("src/b.txt", "b\n");
    for (const command of [
      "git status --short",
      "git --no-pager diff",
      "git diff --stat",
      "git log --oneline -5",
      "git show HEAD:a.txt",
      "git -C src status --short",
      "git -C src log -p --format=%s",
      "git blame -s a.txt",
      "git branch -a | cat",
      "git rev-parse --abbrev-ref HEAD && git ls-files",
      "git stash list; git worktree list; git reflog -1",
      "git diff-tree -p HEAD",
      "git cat-file -p HEAD:a.txt",
      "git status --ignore-submodules=all",
      "git nothing",
    ]) {
      expect([command, judged(command) || command === "git nothing"]).toEqual([command, true]);
      expect(ran(command, GIT_BRAKES).output).toBe(ran(command, "").output);
    }
  });

  it("leaves the shell, and what else it runs, as they are", () => {
    config("alias.say", "!echo said");
    const command = 'git -C .git/.. status -s; pwd; echo "$1$name$GIT_PAGER"; sh -c "git say"';
    expect(ran(command, GIT_BRAKES).output).toBe(`${project}\n\nsaid\n`);
  });

  it("works in a plain shell too", () => {
    config("core.fsmonitor", program);
    const run = spawnSync("sh", ["-c", `${GIT_BRAKES}git status --short; echo $?`], { cwd: project, env });
    expect(run.stdout.toString()).toBe("0\n");
    expect(existsSync(mark)).toBe(false);
  });

  it("is not asked where variables lead it elsewhere", () => {
    expect(findsOwnRepository({ PATH: "x", GIT_EDITOR: "true" })).toBe(true);
    expect(findsOwnRepository({ GIT_DIR: "x" })).toBe(false);
    expect(findsOwnRepository({ GIT_CONFIG_COUNT: "1" })).toBe(false);
  });
});
