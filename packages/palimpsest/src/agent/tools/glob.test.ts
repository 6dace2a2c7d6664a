import { execFileSync } from "node:child_process";
import { mkdir, mkdtemp, rm, symlink, utimes, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { createMemoryReadState } from "@palimpsest/core/restore";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { createPathGuard } from "../base/path-guard.js";
import { createGlobTool } from "./glob.js";
import type { ToolInput, ToolOutput } from "../base/tool.js";

let base: string;
let root: string;
let clock: number;

beforeEach(async () => {
  base = await mkdtemp(join(tmpdir(), "palimpsest-glob-"));
  root = join(base, "root");
  clock = 1000;
  await mkdir(root);
});
afterEach(() => rm(base, { recursive: true, force: true }));

/** Files in the order in which they were changed. */
async function put(...names: readonly string[]): Promise<void> {
  for (const name of names) {
    const path = join(root, name);
    await mkdir(dirname(path), { recursive: true });
    await writeFile(path, name);
    await utimes(path, (clock += 1), clock);
  }
}

function glob(
  input: ToolInput,
  options: { signal?: AbortSignal; timeoutMs?: number } = {},
): Promise<ToolOutput> {
  const { signal = new AbortController().signal, ...rest } = options;
  const guard = createPathGuard({ roots: [root], workingDirectory: root, denied: [".env", "keys"] });
  return createGlobTool({ guard, ...rest }).run(input, {
    toolUseId: "t1",
    signal,
    now: () => 0,
    readState: createMemoryReadState(),
    touch: () => {},
  });
}
const found = async (input: ToolInput): Promise<readonly string[]> => {
  const { content } = await glob(input);
  return typeof content === "string" ? content.split("\n") : [];
};

describe("finds", () => {
  it("the newest first, hidden ones too", async () => {
    await put("src/a.ts", "src/deep/b.ts", "c.ts", ".hidden/d.ts", "e.js");
    expect(await found({ pattern: "**/*.ts" })).toEqual([
      ".hidden/d.ts",
      "c.ts",
      "src/deep/b.ts",
      "src/a.ts",
    ]);
    expect(await found({ pattern: "*.ts" })).toEqual(["c.ts"]);
    expect(await found({ pattern: "**/*.{ts,js}", path: "src" })).toEqual(["src/deep/b.ts", "src/a.ts"]);
    expect(await found({ pattern: `${root}/src/**` })).toEqual(["src/deep/b.ts", "src/a.ts"]);
    expect(await found({ pattern: `${root}/src/a.ts` })).toEqual(["src/a.ts"]);
    expect(await found({ pattern: "src/[ab].t?" })).toEqual(["src/a.ts"]);
    expect(await found({ pattern: "*.py" })).toEqual(["No files found."]);
  });

  it("at most 100, and says so", async () => {
    await put(...Array.from({ length: 120 }, (_, index) => `f${index}.txt`));
    const lines = await found({ pattern: "*.txt" });
    expect(lines[0]).toBe("f119.txt");
    expect(lines).toHaveLength(101);
    expect(lines.at(-1)).toBe(
      "[The newest 100 of 120 files are shown: use a closer pattern for the others.]",
    );
  });

  it("brackets as names", async () => {
    await put("app/(group)/page.tsx", "app/x+y.ts", "!odd.ts", "a|b.ts");
    expect(await found({ pattern: "app/(group)/*.tsx" })).toEqual(["app/(group)/page.tsx"]);
    expect(await found({ pattern: "**/(group)/*" })).toEqual(["app/(group)/page.tsx"]);
    expect(await found({ pattern: "app/x+*.ts" })).toEqual(["app/x+y.ts"]);
    expect(await found({ pattern: "!odd.*" })).toEqual(["!odd.ts"]);
    expect(await found({ pattern: "a|b.*" })).toEqual(["a|b.ts"]);
  });

  it("one file a line, whatever it is called", async () => {
    await put("a\nb.ts");
    expect(await found({ pattern: "*.ts" })).toEqual(["a\\u000ab.ts"]);
  });
});

describe("passes over", () => {
  it("what git ignores, deeper rules first", async () => {
    await put(
      "a.log",
      "keep/a.log",
      "dist/x.js",
      "src/dist/y.js",
      "src/only.txt",
      "src/deep/only.txt",
      "b.ts",
    );
    await put("node_modules/m/index.js", ".git/config");
    await writeFile(join(root, ".gitignore"), "*.log\ndist/\n# no\n");
    await writeFile(join(root, "keep/.gitignore"), "!a.log\n");
    await writeFile(join(root, "src/.gitignore"), "/only.txt\n");
    const all = await found({ pattern: "**/*" });
    expect(all.filter((name) => !name.endsWith(".gitignore")).toSorted()).toEqual([
      "b.ts",
      "keep/a.log",
      "src/deep/only.txt",
    ]);
    expect(await found({ pattern: "*", path: "src" })).toEqual(["src/.gitignore"]);
  });

  it("unless it is asked for", async () => {
    await put("dist/deep/x.js", "dist/a.log", "node_modules/m/index.js");
    await writeFile(join(root, ".gitignore"), "dist/\n*.log\n");
    expect(await found({ pattern: "**/*.js", path: "dist" })).toEqual(["dist/deep/x.js"]);
    expect(await found({ pattern: "dist/**/*.js" })).toEqual(["dist/deep/x.js"]);
    expect(await found({ pattern: "node_modules/m/*" })).toEqual(["node_modules/m/index.js"]);
  });

  it("what is denied", async () => {
    await put("keys/a.txt", ".env", "b.txt");
    expect(await found({ pattern: "**/*" })).toEqual(["b.txt"]);
    expect(await found({ pattern: "keys/*" })).toEqual(["No files found."]);
  });

  it("a hostile ignore file: a pipe, a link, rules that take for ever", async () => {
    const name = "a".repeat(200);
    await put(`one/${name}`, `two/${name}`, `three/${name}`);
    execFileSync("mkfifo", [join(root, "one/.gitignore")]);
    await symlink("/etc/passwd", join(root, "two/.gitignore"));
    await writeFile(join(root, "three/.gitignore"), `${"*a".repeat(40)}b\n`.repeat(50));
    // Trying every way in which stars can fit would never end.
    expect(await found({ pattern: "*/a*" })).toHaveLength(3);
  });
});

describe("stays inside", () => {
  beforeEach(async () => {
    await mkdir(join(base, "outside"));
    await writeFile(join(base, "outside", "secret.txt"), "x");
    await symlink(join(base, "outside"), join(root, "link"));
    await symlink(join(base, "outside", "secret.txt"), join(root, "file-link"));
    await put("a.txt");
  });

  it.each([
    [{ pattern: "../outside/*" }],
    [{ pattern: "**/../../outside/*" }],
    [{ pattern: "{..,a}/outside/*" }],
    [{ pattern: "{a,..}/outside/*" }],
    [{ pattern: "[.][.]/outside/*" }],
    [{ pattern: ".?/outside/*" }],
    [{ pattern: "\\.\\./outside/*" }],
    [{ pattern: "link/*" }],
    [{ pattern: "link/secret.txt" }],
    [{ pattern: "l{i,x}nk/*" }],
    [{ pattern: "*", path: "../outside" }],
    [{ pattern: "*", path: "link" }],
    [{ pattern: "/etc/*" }],
    [{ pattern: "/proc/self/*" }],
    [{ pattern: "*\0*" }],
    [{ pattern: "*", path: "a\0b" }],
  ])("%j", async (input) => {
    expect((await found(input)).join("\n")).not.toMatch(/secret|passwd|environ/);
  });

  it("absolute patterns outside", async () => {
    expect(await glob({ pattern: `${base}/outside/*` })).toMatchObject({ isError: true });
    expect(await found({ pattern: "**/*" })).toEqual(["a.txt"]);
  });
});

describe("refuses", () => {
  it("what it cannot search", async () => {
    await put("a.txt");
    expect((await glob({ pattern: "*", path: "a.txt" })).content).toContain("is not a directory");
    expect((await glob({ pattern: "*", path: "never" })).content).toContain("does not exist");
    expect((await glob({ pattern: "" })).content).toContain("is empty");
  });

  it("patterns that a name can make slow", async () => {
    await put("a".repeat(250));
    const patterns = [
      `${"*a".repeat(30)}b`,
      "**/a/".repeat(20),
      "(a*)+b",
      "+(+(a))b",
      "[a]+[a]+[a]+[a]+[a]+b",
      `${"{a,aa}".repeat(30)}b`,
      `${"{a,aa}".repeat(4)}*a*a*b`,
      "{*a,*aa}{*a,a}b",
      "{1..99999999}",
      "{a,".repeat(300),
      "x".repeat(2000),
    ];
    // Trying every way in which they can fit would never end.
    for (const pattern of patterns) {
      const { content } = await glob({ pattern });
      expect(content).not.toContain("took too long");
      expect(content).not.toContain("a".repeat(250));
    }
  });

  it("stops when it is called off, or takes too long", async () => {
    await put("a.txt");
    await expect(glob({ pattern: "*" }, { signal: AbortSignal.abort() })).rejects.toThrow();
    const slow = await glob({ pattern: "**/*" }, { timeoutMs: 0 });
    expect([
      "a.txt",
      "The search took too long. Name a smaller directory as path, or a closer pattern.",
    ]).toContain(slow.content);
  });
});
