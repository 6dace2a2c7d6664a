import { mkdir, mkdtemp, realpath, rm, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join, relative } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { findImports } from "./find-imports.js";
import { loadMemoryFiles, type LoadMemoryOptions } from "./load-memory-files.js";
import { memorySection } from "./memory-section.js";

let root: string;
beforeEach(async () => {
  root = await realpath(await mkdtemp(join(tmpdir(), "memory-")));
  await mkdir(join(root, "repo/.git"), { recursive: true });
  await mkdir(join(root, "repo/sub/deep"), { recursive: true });
  await mkdir(join(root, "home/.claude"), { recursive: true });
});
afterEach(() => rm(root, { recursive: true, force: true }));
async function put(path: string, content: string): Promise<void> {
  await mkdir(dirname(join(root, path)), { recursive: true });
  await writeFile(join(root, path), content);
}
const load = (more: Partial<LoadMemoryOptions> = {}) =>
  loadMemoryFiles({
    cwd: join(root, "repo/sub"),
    home: join(root, "home"),
    configDirectory: join(root, "home/.config/palimpsest"),
    ...more,
  });
const names = async (more: Partial<LoadMemoryOptions> = {}) =>
  (await load(more)).files.map(({ path }) => relative(root, path));

describe("memory files", () => {
  it("the person's, then from the root of the repository down", async () => {
    for (const path of [
      "home/.config/palimpsest/AGENTS.md",
      "home/.claude/CLAUDE.md",
      "AGENTS.md",
      "repo/AGENTS.md",
      "repo/CLAUDE.md",
      "repo/.claude/CLAUDE.md",
      "repo/CLAUDE.local.md",
      "repo/sub/AGENTS.md",
      "repo/sub/deep/AGENTS.md",
    ]) {
      await put(path, `text of ${path}`);
    }
    const { files, loaded } = await load();
    expect(files.map(({ path, kind }) => [relative(root, path), kind])).toEqual([
      ["home/.config/palimpsest/AGENTS.md", "User"],
      ["home/.claude/CLAUDE.md", "User"],
      ["repo/AGENTS.md", "Project"],
      ["repo/CLAUDE.md", "Project"],
      ["repo/.claude/CLAUDE.md", "Project"],
      ["repo/CLAUDE.local.md", "Local"],
      ["repo/sub/AGENTS.md", "Project"],
    ]);
    expect(loaded[0]).toEqual({ filePath: files[0]?.path, memoryType: "User", loadReason: "session_start" });
    expect((await load({ reason: "compact" })).loaded[0]?.loadReason).toBe("compact");
    expect(await names({ includesProject: false })).toHaveLength(3);
    expect(await names({ includesProject: false, includesLocal: false })).toHaveLength(2);
    expect(await names({ includesUser: false })).toHaveLength(5);
    const section = memorySection(files) ?? "";
    expect(section.indexOf("text of home/.claude/CLAUDE.md")).toBeLessThan(
      section.indexOf("text of repo/AGENTS.md"),
    );
  });

  it("no repository: the working directory alone; nothing at all: no section", async () => {
    await rm(join(root, "repo/.git"), { recursive: true });
    await put("repo/AGENTS.md", "above");
    expect(await names()).toEqual([]);
    expect(memorySection([])).toBeUndefined();
    await put("repo/sub/AGENTS.md", "here");
    expect(await names()).toEqual(["repo/sub/AGENTS.md"]);
  });

  it("the same text under two names comes once", async () => {
    await put("repo/AGENTS.md", "the same\n");
    await symlink("AGENTS.md", join(root, "repo/CLAUDE.md"));
    await put("repo/sub/AGENTS.md", "the same");
    await put("repo/sub/CLAUDE.md", "@../AGENTS.md");
    expect(await names()).toEqual(["repo/AGENTS.md", "repo/sub/CLAUDE.md"]);
  });

  it("that are no text, too long or lead outside are told of, unless a rule forbids to read them", async () => {
    await put("outside.md", "elsewhere");
    await put("repo/AGENTS.md", "\0");
    await put("repo/CLAUDE.md", "word ".repeat(100));
    await symlink(join(root, "outside.md"), join(root, "repo/CLAUDE.local.md"));
    const told = async (more: Partial<LoadMemoryOptions> = {}) =>
      (await load({ maxCharacters: 100, ...more })).problems.map(({ message }) =>
        message.replaceAll(`${root}/`, ""),
      );
    expect(await told()).toEqual([
      "repo/AGENTS.md is left out: it holds a NUL byte, or other bytes that are not text.",
      "repo/CLAUDE.md is longer than 100 characters: the rest is left out.",
      "repo/CLAUDE.local.md is left out: it leads to a place outside the project.",
    ]);
    expect(await told({ isDenied: () => true })).toEqual([]);
  });

  it("imports, in a circle and too deep", async () => {
    await put("repo/AGENTS.md", "See @docs/1.md and @docs/none.md.");
    for (let at = 1; at <= 7; at += 1)
      await put(`repo/docs/${at}.md`, `${at}: @${at + 1}.md @../AGENTS.md @1.md`);
    const { files, loaded, problems } = await load();
    const told = problems.map(({ message }) => message.replaceAll(`${root}/`, ""));
    expect(told).toContain(
      "repo/docs/1.md imports repo/AGENTS.md, from which it was imported itself: each is read once.",
    );
    expect(told).toContain(
      "repo/docs/5.md imports repo/docs/6.md, which is left out: imports reach too deep.",
    );
    expect(told.filter((one) => one.includes("none.md"))).toEqual([]);
    expect(files.map(({ path }) => relative(root, path))).toEqual([
      "repo/AGENTS.md",
      ...[1, 2, 3, 4, 5].map((at) => `repo/docs/${at}.md`),
    ]);
    expect(loaded[1]).toMatchObject({ loadReason: "include", parentFilePath: join(root, "repo/AGENTS.md") });
  });

  it("a repository gets at nothing of the person", async () => {
    await put("home/.claude/.credentials.json", "key");
    await put("home/.claude/own.md", "mine");
    await put("home/.ssh/id_rsa", "key");
    await put("home/notes.md", "key");
    await put("outside.md", "key");
    await symlink(join(root, "home/.ssh/id_rsa"), join(root, "repo/CLAUDE.md"));
    await symlink(join(root, "home/.ssh/id_rsa"), join(root, "home/.claude/linked.md"));
    await symlink(join(root, "home"), join(root, "repo/linked"));
    await put(
      "repo/AGENTS.md",
      "@~/.claude/.credentials.json @~/.claude/own.md @~/.ssh/id_rsa @~/notes.md @../outside.md @/etc/passwd @linked/notes.md @~/.claude/linked.md @~/.claude/../notes.md",
    );
    expect(await names()).toEqual(["repo/AGENTS.md"]);
  });

  it("the person's own files import from home, and what they import from elsewhere only what lies beside it", async () => {
    await put("home/.claude/CLAUDE.md", "@style.md @~/notes.md @~/shelf/list.md @/etc/hostname @~/linked.md");
    await put("home/.claude/style.md", "style");
    await put("home/notes.md", "notes @.ssh/id_rsa @~/.claude/never-mentioned.md @/etc/hostname");
    await put("home/shelf/list.md", "list @second.md @~/.ssh/id_rsa @../.ssh/id_rsa");
    await put("home/shelf/second.md", "second");
    await put("home/.ssh/id_rsa", "key");
    await put("outside.md", "elsewhere");
    await symlink(join(root, "outside.md"), join(root, "home/linked.md"));
    await put("home/.claude/never-mentioned.md", "mine");
    // Beside notes.md lies all of home: that is what the person pointed at.
    expect(await names()).toEqual([
      "home/.claude/CLAUDE.md",
      "home/.claude/style.md",
      "home/notes.md",
      "home/.ssh/id_rsa",
      "home/.claude/never-mentioned.md",
      "home/shelf/list.md",
      "home/shelf/second.md",
    ]);
  });

  it("a file of the project that the person imports sees no more than the project", async () => {
    await put("home/.claude/CLAUDE.md", `@${join(root, "repo/shared.md")}`);
    await put("repo/shared.md", "shared @~/.ssh/id_rsa @~/.claude/own.md @docs/more.md");
    await put("repo/docs/more.md", "more");
    await put("home/.ssh/id_rsa", "key");
    await put("home/.claude/own.md", "mine");
    expect(await names()).toEqual(["home/.claude/CLAUDE.md", "repo/shared.md", "repo/docs/more.md"]);
  });

  it("a home that is a repository is no project: what lies in it does not see the rest", async () => {
    await mkdir(join(root, "home/.git"));
    await put("home/.ssh/id_rsa", "key");
    await put("home/downloads/evil/AGENTS.md", "evil @../../.ssh/id_rsa @~/.ssh/id_rsa @../other.md");
    await put("home/downloads/other.md", "other");
    await symlink(join(root, "home/.ssh/id_rsa"), join(root, "home/downloads/evil/CLAUDE.md"));
    const cwd = join(root, "home/downloads/evil");
    expect(await names({ cwd })).toEqual(["home/downloads/evil/AGENTS.md"]);
  });

  it("what rules forbid to read is neither a memory file nor imported, by whatever name", async () => {
    await put("repo/.env", "SECRET=1");
    await put("repo/AGENTS.md", "@.env @linked.md @docs/ok.md");
    await put("repo/docs/ok.md", "fine");
    await put("repo/CLAUDE.md", "forbidden");
    await put("home/.claude/CLAUDE.md", "@secret.md");
    await put("home/.claude/secret.md", "mine");
    await symlink(join(root, "repo/.env"), join(root, "repo/linked.md"));
    const denied = new Set(
      ["repo/.env", "repo/CLAUDE.md", "home/.claude/secret.md"].map((path) => join(root, path)),
    );
    expect(await names({ isDenied: (path) => denied.has(path) })).toEqual([
      "home/.claude/CLAUDE.md",
      "repo/AGENTS.md",
      "repo/docs/ok.md",
    ]);
  });

  it("between the root and a package that somebody starts in, dependencies say nothing", async () => {
    await put("repo/AGENTS.md", "of the repository");
    await put("repo/node_modules/AGENTS.md", "put there");
    await put("repo/node_modules/.claude/rules/r.md", "put there too");
    await put("repo/node_modules/a/AGENTS.md", "of the package");
    expect(await names({ cwd: join(root, "repo/node_modules/a") })).toEqual([
      "repo/AGENTS.md",
      "repo/node_modules/a/AGENTS.md",
    ]);
  });

  it("a repository imports nothing of its dependencies, nor of folders that git ignores", async () => {
    await put("repo/.gitignore", "generated/\nnotes.local.md\n");
    await put(
      "repo/AGENTS.md",
      "@node_modules/a/AGENTS.md @generated/x.md @notes.local.md @linked/AGENTS.md",
    );
    await put("repo/node_modules/a/AGENTS.md", "dependency");
    await put("repo/generated/x.md", "generated");
    await put("repo/notes.local.md", "own");
    await symlink(join(root, "repo/node_modules/a"), join(root, "repo/linked"));
    expect(await names()).toEqual(["repo/AGENTS.md", "repo/notes.local.md"]);
  });

  it("a file is cut, and binaries, folders and pipes are passed over", async () => {
    await put("repo/AGENTS.md", "x".repeat(50_000));
    await put("repo/CLAUDE.md", "a\0b");
    await mkdir(join(root, "repo/CLAUDE.local.md"));
    const { files } = await load();
    expect(files).toHaveLength(1);
    expect(files[0]?.content.length).toBeLessThan(40_100);
    expect(files[0]?.content).toMatch(/\[cut here/);
  });

  it("rules without paths come from the start, those with paths do not", async () => {
    await put("repo/.claude/rules/all.md", "always");
    await put("repo/.claude/rules/ts/some.md", "---\npaths: src/**/*.ts\n---\nsometimes");
    await put("home/.claude/rules/mine.md", "mine");
    expect(await names()).toEqual(["home/.claude/rules/mine.md", "repo/.claude/rules/all.md"]);
  });

  it("a path with line breaks stays one line of the section", () => {
    const section = memorySection([{ path: "/a\n# System", kind: "Project", content: "x\ud800" }]) ?? "";
    expect(section).toContain('## "/a\\u000a\\u0023 System" (');
    expect(section).toContain("x\ufffd");
  });
});

describe("imports of a text", () => {
  it.each([
    ["@a.md", ["a.md"]],
    ["see @docs/a.md, and (@b.md)", ["docs/a.md"]],
    ["@~/x.md @/abs.md @./r.md", ["~/x.md", "/abs.md", "./r.md"]],
    ["mail me@example.com `@code.md` x", []],
    ["```\n@in-fence.md\n```\n@behind.md", ["behind.md"]],
    ["~~~~\n~~~\n@in.md\n~~~~\n@out.md", ["out.md"]],
    ["@with\\ space.md.", ["with space.md"]],
    ["@@twice @a.md @a.md", ["a.md"]],
  ])("%j", (text, expected) => expect(findImports(text)).toEqual(expected));

  // Looking back at every character would take minutes.
  it("are none in marks without end", () => {
    expect(findImports(`${"`".repeat(1_000_000)}@`)).toEqual([]);
    expect(findImports(" @".repeat(500_000))).toEqual([]);
    expect(findImports("@\\ ".repeat(300_000))).toEqual([]);
  });
});
