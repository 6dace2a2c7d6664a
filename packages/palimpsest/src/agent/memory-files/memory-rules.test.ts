import { mkdir, mkdtemp, realpath, rm, utimes, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join, relative } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { createMemoryRules } from "./memory-rules.js";

let root: string;
beforeEach(async () => {
  root = await realpath(await mkdtemp(join(tmpdir(), "rules-")));
});
afterEach(() => rm(root, { recursive: true, force: true }));
async function put(path: string, content: string): Promise<void> {
  await mkdir(dirname(join(root, path)), { recursive: true });
  await writeFile(join(root, path), content);
}
const shown = (paths: readonly string[]) => paths.map((path) => relative(root, path));

describe("rules for paths", () => {
  it("of home, of the directories above, of each directory", async () => {
    await put("home/.claude/rules/ts.md", '---\npaths:\n  - "**/*.{ts,tsx}"\n---\nmine');
    await put("home/.claude/rules/all.md", "everywhere");
    await put("repo/.claude/rules/api.md", "---\npaths: app/src/api/**\n---\nabove");
    await put("repo/app/.claude/rules/src.md", "---\npaths: src/**, test/**\n---\nhere");
    await put("repo/app/src/.claude/rules/lasting.md", "nested");
    const cwd = join(root, "repo/app");
    const rules = createMemoryRules({
      workingDirectory: cwd,
      home: join(root, "home"),
      directoriesAbove: [join(root, "repo"), cwd],
    });
    const path = join(cwd, "src/api/x.tsx");
    expect(shown(await rules.forPath(path))).toEqual([
      "home/.claude/rules/ts.md",
      "repo/.claude/rules/api.md",
    ]);
    expect(shown(await rules.forPath(join(cwd, "src/x.js")))).toEqual([]);
    expect(shown(await rules.inDirectory(cwd, path))).toEqual(["repo/app/.claude/rules/src.md"]);
    expect(await rules.inDirectory(cwd, join(cwd, "lib/x.ts"))).toEqual([]);
    expect(shown(await rules.inDirectory(join(cwd, "src"), path))).toEqual([
      "repo/app/src/.claude/rules/lasting.md",
    ]);
    expect(rules.patternsOf(join(cwd, ".claude/rules/src.md"))).toEqual(["src/**", "test/**"]);
  });

  it("a rule that changed is read again", async () => {
    await put("repo/.claude/rules/a.md", "---\npaths: a/**\n---\nx");
    const rules = createMemoryRules({ workingDirectory: join(root, "repo"), home: join(root, "home") });
    const ask = (path: string) => rules.inDirectory(join(root, "repo"), join(root, "repo", path));
    expect(await ask("a/x")).toHaveLength(1);
    await put("repo/.claude/rules/a.md", "---\npaths: b/**\n---\nx");
    await utimes(join(root, "repo/.claude/rules/a.md"), 1, 1);
    expect(await ask("a/x")).toEqual([]);
    expect(await ask("b/x")).toHaveLength(1);
  });
});
