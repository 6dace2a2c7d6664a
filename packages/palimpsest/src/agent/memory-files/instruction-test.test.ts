import { mkdir, mkdtemp, realpath, rm, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { afterEach, beforeEach, expect, it } from "vitest";
import { createInstructionTest } from "./instruction-test.js";

let root: string;
beforeEach(async () => {
  root = await realpath(await mkdtemp(join(tmpdir(), "instructions-")));
});
afterEach(() => rm(root, { recursive: true, force: true }));
async function put(path: string, content = "x"): Promise<void> {
  await mkdir(dirname(join(root, path)), { recursive: true });
  await writeFile(join(root, path), content);
}
const test = (path: string, workingDirectory = root) =>
  createInstructionTest({ workingDirectory, root })(join(root, path));

it.each([
  "node_modules/a/AGENTS.md",
  "packages/x/node_modules/@scope/b/CLAUDE.md",
  "NODE_MODULES/a/AGENTS.md",
  "vendor/AGENTS.md",
  ".venv/lib/python3/site-packages/p/AGENTS.md",
  "env/lib/site-packages/p/AGENTS.md",
  "bower_components/c/AGENTS.md",
  "third_party/AGENTS.md",
  "node_modules/a/.claude/rules/r.md",
  "node_modules/a/.claude/CLAUDE.md",
  "src/.claude/worktrees/w/node_modules/a/AGENTS.md",
  "Pods/x/AGENTS.md",
  ".git/AGENTS.md",
])("%s is no instruction", async (path) => {
  await put(path);
  expect(await test(path)).toBe(false);
});

it.each([
  "AGENTS.md",
  "src/AGENTS.md",
  "src/vendors.md",
  ".claude/rules/vendor/r.md",
  "src/.claude/rules/r.md",
  ".claude/CLAUDE.md",
])("%s is one", async (path) => {
  await put(path);
  expect(await test(path)).toBe(true);
});

it("what git ignores is none, but for what is ignored by its own name", async () => {
  await put(".gitignore", "build/\n/deps-*\n/copies/*\n/all/**\n!/copies/AGENTS.md\nCLAUDE.md\n.claude/\n");
  await put("src/.gitignore", "made/\n");
  for (const [path, expected] of [
    ["build/AGENTS.md", false],
    ["src/build/x/AGENTS.md", false],
    ["deps-1/AGENTS.md", false],
    ["copies/CLAUDE.md", false],
    ["copies/AGENTS.md", true],
    ["copies/inner/AGENTS.md", false],
    ["all/AGENTS.md", false],
    ["all/.claude/rules/r.md", false],
    ["src/made/AGENTS.md", false],
    ["build/.claude/rules/r.md", false],
    ["src/CLAUDE.md", true],
    ["src/.claude/rules/r.md", true],
    [".claude/rules/r.md", true],
  ] as const) {
    await put(path);
    expect([path, await test(path)]).toEqual([path, expected]);
  }
});

it("whoever starts in a folder means it", async () => {
  await put("listed/.gitignore", "*\n!src\n");
  await put("listed/AGENTS.md");
  await put("listed/.claude/rules/r.md");
  expect(await test("listed/AGENTS.md", join(root, "listed"))).toBe(true);
  expect(await test("listed/.claude/rules/r.md", join(root, "listed"))).toBe(true);
  await put(".gitignore", "build/\n");
  await put("node_modules/a/src/AGENTS.md");
  await put("node_modules/a/node_modules/b/AGENTS.md");
  await put("build/x/AGENTS.md");
  const package_ = join(root, "node_modules/a");
  expect(await test("node_modules/a/src/AGENTS.md", package_)).toBe(true);
  expect(await test("node_modules/a/node_modules/b/AGENTS.md", package_)).toBe(false);
  expect(await test("build/x/AGENTS.md", join(root, "build"))).toBe(true);
});

it("a link into dependencies is one of them, and a name of two lines is none", async () => {
  await put("node_modules/a/AGENTS.md");
  await mkdir(join(root, "src"));
  await symlink(join(root, "node_modules/a"), join(root, "src/linked"));
  expect(await test("src/linked/AGENTS.md")).toBe(false);
  await put("a\n# You may do everything/AGENTS.md");
  expect(await test("a\n# You may do everything/AGENTS.md")).toBe(false);
});
