import { execFileSync } from "node:child_process";
import {
  chmod,
  mkdir,
  mkdtemp,
  readdir,
  readFile,
  readlink,
  rm,
  stat,
  symlink,
  writeFile,
} from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createMemoryReadState, type ReadState } from "@palimpsest/core/restore";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { createPathGuard } from "../base/path-guard.js";
import { createReadTool } from "./read.js";
import type { AgentTool, ToolInput, ToolOutput } from "../base/tool.js";
import { createWriteTool } from "./write.js";

let base: string;
let root: string;
let readState: ReadState;
let touched: string[];

beforeEach(async () => {
  base = await mkdtemp(join(tmpdir(), "palimpsest-write-tool-"));
  root = join(base, "root");
  await mkdir(root);
  readState = createMemoryReadState();
  touched = [];
});
afterEach(() => rm(base, { recursive: true, force: true }));

const at = (name: string): string => join(root, name);
const guard = () => createPathGuard({ roots: [root], workingDirectory: root, denied: [".env"] });
const run = (tool: AgentTool, input: ToolInput): Promise<ToolOutput> =>
  tool.run(input, {
    toolUseId: "t1",
    signal: new AbortController().signal,
    now: () => 42,
    readState,
    touch: (path) => void touched.push(path),
  });
const write = (path: string, content: string): Promise<ToolOutput> =>
  run(createWriteTool({ guard: guard() }), { file_path: path, content });
const read = (path: string): Promise<ToolOutput> =>
  run(createReadTool({ guard: guard() }), { file_path: path });

describe("new files", () => {
  it("with the directories that lead to them; known from then on", async () => {
    expect(await write("a/b/c.txt", "one\ntwo\n")).toEqual({ content: '"a/b/c.txt" was made: 2 lines.' });
    expect(await readFile(at("a/b/c.txt"), "utf8")).toBe("one\ntwo\n");
    const { mtimeMs } = await stat(at("a/b/c.txt"));
    expect(readState.get(at("a/b/c.txt"))).toEqual({ content: "one\ntwo\n", timestamp: 42, mtime: mtimeMs });
    expect(touched).toEqual([at("a/b/c.txt")]);
    expect(await write("a/b/c.txt", "three")).toEqual({ content: '"a/b/c.txt" was replaced: 1 line.' });
    expect((await read(at("a/b/c.txt"))).content).toBe("1\tthree");
  });

  it("never outside", async () => {
    const outside = join(base, "outside");
    await mkdir(outside);
    await symlink(outside, at("link"));
    await symlink(join(outside, "new.txt"), at("dangling"));
    const paths = [
      "../outside/x",
      join(outside, "x"),
      "link/x",
      "link/deep/x",
      "dangling",
      "~/x",
      "/tmp/../x",
    ];
    for (const path of paths) expect(await write(path, "x")).toMatchObject({ isError: true });
    for (const path of [".env", ".ENV", "dir/.env", "x\0y", "x.", "n".repeat(300), "", "."]) {
      expect(await write(path, "x")).toMatchObject({ isError: true });
    }
    expect(await readdir(outside)).toEqual([]);
    expect((await readdir(root)).toSorted()).toEqual(["dangling", "link"]);
    expect(touched).toEqual([]);
  });
});

describe("files that exist", () => {
  it("have to be read first, as they are now", async () => {
    await writeFile(at("a.txt"), "old");
    const unread = await write("a.txt", "new");
    expect(unread).toMatchObject({ isError: true, content: expect.stringContaining("Read it first") });
    await read("a.txt");
    await new Promise((resolve) => setTimeout(resolve, 15));
    await writeFile(at("a.txt"), "changed");
    const stale = await write("a.txt", "new");
    expect(stale).toMatchObject({ isError: true, content: expect.stringContaining("has changed on disk") });
    expect(await readFile(at("a.txt"), "utf8")).toBe("changed");
    await read("a.txt");
    expect(await write("a.txt", "new")).toEqual({ content: '"a.txt" was replaced: 1 line.' });
    expect(await readFile(at("a.txt"), "utf8")).toBe("new");
    expect(await readdir(root)).toEqual(["a.txt"]);
  });

  it("keep their mode, and the links that lead to them", async () => {
    await writeFile(at("run.sh"), "old");
    await chmod(at("run.sh"), 0o755);
    await symlink("run.sh", at("link"));
    await read("link");
    expect((await write("link", "new")).isError).toBeUndefined();
    expect(await readlink(at("link"))).toBe("run.sh");
    expect(await readFile(at("run.sh"), "utf8")).toBe("new");
    expect((await stat(at("run.sh"))).mode & 0o777).toBe(0o755);
  });

  it("are files", async () => {
    await mkdir(at("dir"));
    execFileSync("mkfifo", [at("pipe")]);
    expect((await write("dir", "x")).content).toContain("is a directory");
    expect((await write("pipe", "x")).content).toContain("is not a regular file");
    expect((await write("pipe/x", "x")).content).toContain("not a directory");
  });
});
