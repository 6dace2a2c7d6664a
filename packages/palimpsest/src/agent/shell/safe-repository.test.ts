import { execFileSync } from "node:child_process";
import {
  appendFileSync,
  cpSync,
  mkdirSync,
  mkdtempSync,
  realpathSync,
  renameSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeEach, describe, expect, it } from "vitest";
import { inspectRepository } from "./safe-repository.js";

const base = realpathSync(mkdtempSync(join(tmpdir(), "palimpsest-repository-")));
const project = join(base, "project");
const elsewhere = join(base, "elsewhere");
afterAll(() => rmSync(base, { recursive: true, force: true }));

const env = { PATH: process.env["PATH"], GIT_CONFIG_GLOBAL: "/dev/null", GIT_CONFIG_NOSYSTEM: "1" };
const person = ["-c", "user.name=a", "-c", "user.email=a@example.com"];
const git = (cwd: string, ...args: readonly string[]): string =>
  execFileSync("git", [...person, ...args], { cwd, env, encoding: "utf8", stdio: "pipe" });

function makeRepository(directory: string): void {
  mkdirSync(directory);
  git(directory, "init", "-q", "-b", "main");
  writeFileSync(join(directory, "a.txt"), "one\n");
  git(directory, "add", "-A");
  git(directory, "commit", "-qm", "first");
}

beforeEach(() => {
  rmSync(base, { recursive: true, force: true });
  mkdirSync(base);
  makeRepository(project);
  makeRepository(elsewhere);
  mkdirSync(join(project, "src"));
});

const kind = (directory = project): string => inspectRepository(directory).kind;

describe("a repository that may be asked", () => {
  it("is an ordinary one, a working tree of it, or a submodule", () => {
    expect(kind()).toBe("safe");
    expect(kind(join(project, "src"))).toBe("safe");
    git(project, "worktree", "add", "-q", "tree");
    expect(kind(join(project, "tree"))).toBe("safe");
    git(project, "-c", "protocol.file.allow=always", "submodule", "add", "-q", elsewhere, "sub");
    expect(kind(join(project, "sub"))).toBe("safe");
    git(project, "checkout", "-q", "--detach");
    expect(kind()).toBe("safe");
    rmSync(join(project, ".git/hooks"), { recursive: true, force: true });
    symlinkSync("../src", join(project, ".git/hooks"));
    expect(kind()).toBe("safe");
  });

  it("is not one that git passes over on its way to the one above", () => {
    for (const name of ["objects", "refs"]) mkdirSync(join(project, "src/.git", name), { recursive: true });
    for (const text of ["nothing of the kind", "", "ref: elsewhere", "ref: refs/heads/main\nmore"]) {
      writeFileSync(join(project, "src/.git/HEAD"), text);
      expect([text, kind(join(project, "src"))]).toEqual([text, "unsafe"]);
    }
    appendFileSync(join(project, ".git/config"), "[core]\n\trepositoryformatversion = 9\n");
    expect(kind()).toBe("unsafe");
  });

  it.each([
    ["objects", join(elsewhere, ".git/objects")],
    ["refs", join(elsewhere, ".git/refs")],
    ["packed-refs", join(elsewhere, "a.txt")],
    ["HEAD", join(elsewhere, ".git/HEAD")],
    ["info/grafts", join(elsewhere, "a.txt")],
    ["objects/pack", join(elsewhere, ".git/objects/pack")],
    ["objects/ab", join(elsewhere, ".git/objects/ab")],
    ["logs/HEAD", join(elsewhere, "a.txt")],
    ["refs/heads/other", join(elsewhere, "a.txt")],
  ])("has no links that lead git elsewhere: %s", (name, target) => {
    const place = join(project, ".git", name);
    rmSync(place, { recursive: true, force: true });
    symlinkSync(target, place);
    expect(kind()).toBe("unsafe");
  });

  it("is where git looks for it, blanks at the ends of a path included", () => {
    git(project, "-c", "protocol.file.allow=always", "submodule", "add", "-q", elsewhere, "sub");
    const module = join(project, ".git/modules/sub");
    cpSync(module, `${module} `, { recursive: true });
    git(`${module} `, "config", "core.fsmonitor", "touch it-ran");
    writeFileSync(join(project, "sub/.git"), "gitdir: ../.git/modules/sub \n");
    expect(kind(join(project, "sub"))).toBe("unsafe");
    git(project, "worktree", "add", "-q", "tree");
    renameSync(join(project, ".git/worktrees/tree/commondir"), join(base, "old"));
    writeFileSync(join(project, ".git/worktrees/tree/commondir"), "../.. \n");
    expect(kind(join(project, "tree"))).toBe("unsafe");
  });
});
