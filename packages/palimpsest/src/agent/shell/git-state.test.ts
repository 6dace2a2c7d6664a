import fc from "fast-check";
import { execFileSync } from "node:child_process";
import { chmod, mkdtemp, rm, stat, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { describeStatus, gitState } from "./git-state.js";
import { createShellGroups } from "./shell-groups.js";

let directory: string;
beforeEach(async () => {
  directory = await mkdtemp(join(tmpdir(), "palimpsest-git-"));
});
afterEach(() => rm(directory, { recursive: true, force: true }));

const git = (...args: readonly string[]) => execFileSync("git", ["-C", directory, ...args]);
const env = { PATH: process.env["PATH"] };
const state = (more: object = {}) => gitState({ directory, env, groups: createShellGroups(), ...more });

describe("what git says", () => {
  it("is the branch and the changed files, without those that rules hide", async () => {
    expect(await state()).toBe("Git: this is not a repository.");
    git("init", "-q", "-b", "main");
    expect(await state()).toBe("Git: on main. Nothing is changed.");
    await writeFile(join(directory, ".env"), "x");
    await writeFile(join(directory, "a b.txt"), "x");
    expect(await state({ isDenied: (path: string) => path.endsWith(".env") })).toBe(
      'Git: on main. Changed files, as `git status --short` shows them:\n?? "a b.txt"',
    );
  });

  it("is nothing where the variables lead git elsewhere", async () => {
    expect(await state({ env: { ...env, GIT_DIR: "/elsewhere" } })).toBeUndefined();
  });

  it("is not asked for where the configuration names a program, and that does not run", async () => {
    git("init", "-q");
    const mark = join(directory, "ran");
    const program = join(directory, "program");
    await writeFile(program, `#!/bin/sh\ntouch '${mark}'\n`);
    await chmod(program, 0o755);
    git("config", "core.fsmonitor", program);
    expect(await state()).toContain("not asked");
    await expect(stat(mark)).rejects.toThrow("ENOENT");
  });
});

describe("a status", () => {
  it("names old names of renamed files once, and the distance to what it follows", () => {
    const text = "## main...origin/main [ahead 2, behind 1]\0R  new.txt\0old.txt\0 M c.txt\0";
    expect(describeStatus(text)).toBe(
      [
        "Git: on main, which follows origin/main (ahead 2, behind 1). Changed files, as `git status --short` shows them:",
        "R  new.txt",
        " M c.txt",
      ].join("\n"),
    );
  });

  it("whatever the names, is short, and every name stays on its line without anything that reads like markup", () => {
    fc.assert(
      fc.property(
        fc.stringMatching(/^[^\0.\s[]{1,30}$/),
        fc.array(fc.string({ minLength: 1, maxLength: 200, unit: "binary" }), { maxLength: 60 }),
        (branch, names) => {
          const usable = names.map((name) => name.replaceAll("\0", "")).filter((name) => name !== "");
          const shown =
            describeStatus(`## ${branch}\0${usable.map((name) => `?? ${name}\0`).join("")}`) ?? "";
          expect(shown.startsWith("Git: on ")).toBe(true);
          const lines = shown.split("\n").slice(1);
          expect(lines.length).toBeLessThanOrEqual(31);
          expect(lines.join("\n").length).toBeLessThan(2100);
          for (const line of lines) expect(line).toMatch(/^(?:\?\? |… and \d+ more)[^<>#`\r]*$/u);
        },
      ),
      { numRuns: 30 },
    );
  });
});
