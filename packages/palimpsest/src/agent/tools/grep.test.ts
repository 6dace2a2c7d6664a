import { execFileSync } from "node:child_process";
import { chmod, mkdir, mkdtemp, readFile, rm, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { createMemoryReadState } from "@palimpsest/core/restore";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { createPathGuard } from "../base/path-guard.js";
import { createGrepTool, type GrepToolOptions } from "./grep.js";
import { findRipgrep } from "./ripgrep.js";
import type { ToolInput, ToolOutput } from "../base/tool.js";

let base: string;
let root: string;

beforeEach(async () => {
  base = await mkdtemp(join(tmpdir(), "palimpsest-grep-"));
  root = join(base, "root");
  await mkdir(root);
});
afterEach(() => rm(base, { recursive: true, force: true }));

async function put(name: string, text: string): Promise<void> {
  await mkdir(dirname(join(root, name)), { recursive: true });
  await writeFile(join(root, name), text);
}

function grepWith(
  options: Partial<GrepToolOptions>,
  input: ToolInput,
  signal = new AbortController().signal,
): Promise<ToolOutput> {
  const guard = createPathGuard({ roots: [root], workingDirectory: root, denied: [".env"] });
  return createGrepTool({ guard, ...options }).run(input, {
    toolUseId: "t1",
    signal,
    now: () => 0,
    readState: createMemoryReadState(),
    touch: () => {},
  });
}

describe.each<[string, Partial<GrepToolOptions>]>([
  ["with ripgrep", {}],
  ["without ripgrep", { findProgram: () => Promise.resolve(undefined) }],
  ["with a ripgrep that cannot be started", { findProgram: () => Promise.resolve("/nowhere/rg") }],
])("%s", (_, options) => {
  const grep = (input: ToolInput): Promise<ToolOutput> => grepWith(options, input);
  const text = async (input: ToolInput): Promise<unknown> => (await grep(input)).content;

  it("lists files, shows lines, counts", async () => {
    await put("a.ts", "one\ntwo needle\nthree\n");
    await put("src/b.js", "needle\nneedle\n");
    await put("c.txt", "nothing\n");
    expect(await text({ pattern: "needle" })).toBe("a.ts\nsrc/b.js");
    expect(await text({ pattern: "needle", output_mode: "content" })).toBe(
      "a.ts:2:two needle\nsrc/b.js:1:needle\nsrc/b.js:2:needle",
    );
    expect(await text({ pattern: "two", output_mode: "content", "-n": false })).toBe("a.ts:two needle");
    expect(await text({ pattern: "needle", output_mode: "count" })).toBe("a.ts:1\nsrc/b.js:2");
    expect(await text({ pattern: "absent" })).toBe("Nothing found.");
    expect(await text({ pattern: "NEEDLE", "-i": true, path: "src" })).toBe("src/b.js");
    expect(await text({ pattern: "^needle$", glob: "*.ts" })).toBe("Nothing found.");
    expect(await text({ pattern: "needle", glob: "*.js" })).toBe("src/b.js");
    expect(await text({ pattern: "needle", glob: "!*.js" })).toBe("a.ts");
    expect(await text({ pattern: "needle", glob: "*.{ts,js}" })).toBe("a.ts\nsrc/b.js");
    expect(await text({ pattern: "needle", type: "ts" })).toBe("a.ts");
  });

  it("with the lines around", async () => {
    await put("a.txt", "1\n2\nx\n4\n5\n6\n7\nx\n9\n");
    const content = { pattern: "x", output_mode: "content" };
    expect(await text({ ...content, "-C": 1 })).toBe(
      "a.txt-2-2\na.txt:3:x\na.txt-4-4\n--\na.txt-7-7\na.txt:8:x\na.txt-9-9",
    );
    expect(await text({ ...content, "-A": 1, path: "a.txt" })).toBe("3:x\n4-4\n--\n8:x\n9-9");
    expect(await text({ ...content, "-B": 1, head_limit: 1 })).toMatch(
      /^a.txt-2-2\n\[Cut here: more than 1 were found/,
    );
  });

  it("over several lines", async () => {
    await put("a.txt", "begin\nmiddle\nend\nother\n");
    const input = { pattern: "begin.*end", output_mode: "content", multiline: true };
    expect(await text(input)).toBe("a.txt:1:begin\na.txt:2:middle\na.txt:3:end");
    expect(await text({ ...input, multiline: false })).toBe("Nothing found.");
  });

  it("in one file", async () => {
    await put("a.txt", "needle\n");
    expect(await text({ pattern: "needle", path: "a.txt" })).toBe("a.txt");
    expect(await text({ pattern: "needle", path: join(root, "a.txt"), output_mode: "count" })).toBe(
      "a.txt:1",
    );
  });

  it("passes over what git ignores, what is denied, binaries, pipes", async () => {
    await put(".gitignore", "dist/\n");
    for (const name of ["dist/a.js", "node_modules/b.js", ".git/c", ".env", "sub/.env", "seen.txt"]) {
      await put(name, "needle\n");
    }
    await writeFile(join(root, "bin"), "\0needle\n");
    execFileSync("mkfifo", [join(root, "pipe")]);
    expect(await text({ pattern: "needle" })).toBe("seen.txt");
    expect(await text({ pattern: "needle", output_mode: "content" })).toBe("seen.txt:1:needle");
    expect(await text({ pattern: "needle", path: "dist" })).toBe("dist/a.js");
    for (const path of [".env", "pipe"])
      expect(await grep({ pattern: "needle", path })).toMatchObject({ isError: true });
  });

  it("never searches outside", async () => {
    await mkdir(join(base, "outside"));
    await writeFile(join(base, "outside", "secret.txt"), "needle\n");
    await symlink(join(base, "outside"), join(root, "link"));
    await symlink(join(base, "outside", "secret.txt"), join(root, "file-link"));
    expect(await text({ pattern: "needle" })).toBe("Nothing found.");
    expect(await text({ pattern: "needle", glob: "link/**" })).toBe("Nothing found.");
    expect(await text({ pattern: "needle", glob: "../outside/**" })).not.toContain("secret");
    for (const path of [
      "link",
      "file-link",
      "../outside",
      join(base, "outside"),
      "/proc/self/environ",
      "a\0b",
    ]) {
      expect(await grep({ pattern: "needle", path })).toMatchObject({ isError: true });
    }
  });

  it("nothing in the input becomes an option", async () => {
    await put("a.txt", "--files here\n-e\n");
    const mark = join(base, "mark");
    await writeFile(join(base, "run"), `#!/bin/sh\ntouch ${mark}\n`);
    await chmod(join(base, "run"), 0o755);
    expect(await text({ pattern: "--files", output_mode: "content" })).toBe("a.txt:1:--files here");
    expect(await text({ pattern: "-e", output_mode: "content" })).toBe("a.txt:2:-e");
    await grep({ pattern: `--pre=${join(base, "run")}` });
    await grep({ pattern: "x", glob: `--pre=${join(base, "run")}` });
    await grep({ pattern: "x", type: `--pre=${join(base, "run")}` });
    await grep({ pattern: "x", glob: "-g=*" });
    await expect(readFile(mark)).rejects.toThrow("ENOENT");
  });

  it("says what is wrong", async () => {
    expect(await grep({ pattern: "(" })).toMatchObject({
      isError: true,
      content: expect.stringContaining("failed"),
    });
    expect(await grep({ pattern: "x", type: "klingon" })).toMatchObject({
      isError: true,
      content: expect.stringContaining("unrecognized file type"),
    });
    expect(await grep({ pattern: "" })).toMatchObject({ isError: true });
    expect(await grep({ pattern: "a\0b" })).toMatchObject({ isError: true });
    expect(await grep({ pattern: "x", path: "never" })).toMatchObject({ isError: true });
  });

  it("is cut", async () => {
    await put("long.txt", `needle ${"x".repeat(5000)}\n`);
    expect(String(await text({ pattern: "needle", output_mode: "content" })).length).toBeLessThan(600);
    await put("many.txt", "needle and some more text to fill the line\n".repeat(5000));
    const input = { pattern: "needle", path: "many.txt", output_mode: "content" };
    const some = String(await text(input));
    expect(some.split("\n")).toHaveLength(251);
    const all = String(await text({ ...input, head_limit: 0 }));
    expect(all.length).toBeLessThan(30_200);
    expect(all).toContain("more was found than fits");
  });

  it("file names may be anything", async () => {
    await put("a:1:b.txt", "needle\n");
    await put("new\nline.txt", "needle\n");
    await put("--", "needle\n");
    expect(await text({ pattern: "needle", output_mode: "content" })).toBe(
      "--:1:needle\na:1:b.txt:1:needle\nnew\\u000aline.txt:1:needle",
    );
    expect(await text({ pattern: "needle", output_mode: "count" })).toBe(
      "--:1\na:1:b.txt:1\nnew\\u000aline.txt:1",
    );
  });

  it("stops when it is called off", async () => {
    await put("a.txt", "x\n");
    await expect(grepWith(options, { pattern: "x" }, AbortSignal.abort())).rejects.toThrow();
  });
});

it("a program that hangs is ended: by the clock, or when it is called off", async () => {
  await writeFile(join(base, "hang"), `#!/bin/sh\necho $$ > ${join(base, "pid")}\nexec sleep 100\n`);
  await chmod(join(base, "hang"), 0o755);
  const findProgram = (): Promise<string> => Promise.resolve(join(base, "hang"));
  const pid = async (): Promise<number> =>
    Number(await readFile(join(base, "pid"), "utf8").catch(() => "")) || 0;
  // A machine may be so slow that the program has not begun by then.
  for (let timeoutMs = 300; (await pid()) === 0; timeoutMs *= 3) {
    const { content } = await grepWith({ findProgram, timeoutMs }, { pattern: "x" });
    expect(content).toContain("the search took too long");
  }
  expect(isAlive(await pid())).toBe(false);
  await rm(join(base, "pid"));
  const controller = new AbortController();
  const running = grepWith({ findProgram }, { pattern: "x" }, controller.signal);
  while ((await pid()) === 0) await sleep(10);
  controller.abort();
  await expect(running).rejects.toThrow("abort");
  expect(isAlive(await pid())).toBe(false);
});

it("the program gets none of our environment", async () => {
  await writeFile(join(base, "spy"), `#!/bin/sh\nenv > ${join(base, "env")}\n`);
  await chmod(join(base, "spy"), 0o755);
  process.env["PALIMPSEST_TEST_SECRET"] = "sk-secret";
  try {
    await grepWith({ findProgram: () => Promise.resolve(join(base, "spy")) }, { pattern: "x" });
  } finally {
    delete process.env["PALIMPSEST_TEST_SECRET"];
  }
  expect(await readFile(join(base, "env"), "utf8")).not.toContain("sk-secret");
});

it("without ripgrep an expression that takes for ever is ended", async () => {
  await put("a.txt", `${"a".repeat(60)}\n`);
  const { content } = await grepWith(
    { findProgram: () => Promise.resolve(undefined) },
    { pattern: "(a+)+b", output_mode: "content" },
  );
  expect(content).toContain("the search took too long");
});

it("ripgrep is here", async () => {
  expect(await findRipgrep()).toMatch(/rg(?:\.exe)?$/);
});

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch {
    return false;
  }
}
