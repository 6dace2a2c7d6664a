import { execFileSync } from "node:child_process";
import {
  chmod,
  mkdir,
  mkdtemp,
  readdir,
  readFile,
  rename,
  rm,
  stat,
  symlink,
  utimes,
  writeFile,
} from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createMemoryReadState, type ReadState } from "@palimpsest/core/restore";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { nodeDisk, type WritableDisk } from "../../files/disk.js";
import { createPathGuard } from "../base/path-guard.js";
import { createEditTool } from "./edit.js";
import { createReadTool } from "./read.js";
import type { AgentTool, ToolInput, ToolOutput } from "../base/tool.js";

let base: string;
let root: string;
let readState: ReadState;

beforeEach(async () => {
  base = await mkdtemp(join(tmpdir(), "palimpsest-edit-"));
  root = join(base, "root");
  await mkdir(root);
  await mkdir(join(base, "outside"));
  await writeFile(join(base, "outside", "a.txt"), "one");
  readState = createMemoryReadState();
});
afterEach(() => rm(base, { recursive: true, force: true }));

const at = (name: string): string => join(root, name);
const guard = (disk: WritableDisk) => createPathGuard({ roots: [root], workingDirectory: root, disk });
const run = (tool: AgentTool, input: ToolInput): Promise<ToolOutput> =>
  tool.run(input, {
    toolUseId: "t1",
    signal: new AbortController().signal,
    now: () => 42,
    readState,
    touch: () => {},
  });
const read = (input: ToolInput): Promise<ToolOutput> =>
  run(createReadTool({ guard: guard(nodeDisk) }), input);
const edit = (input: ToolInput, disk: WritableDisk = nodeDisk): Promise<ToolOutput> =>
  run(createEditTool({ guard: guard(disk) }), input);
const change = (path: string, from: string, to: string): ToolInput => ({
  file_path: path,
  old_string: from,
  new_string: to,
});

it("replaces what was read, shows the place, and knows the file as it is now", async () => {
  await writeFile(at("a.txt"), "1\n2\n3\n4\nfive\n6\n7\n8\n9\n");
  await chmod(at("a.txt"), 0o640);
  await read({ file_path: "a.txt" });
  expect(await edit(change("a.txt", "five", "FIVE\nand"))).toEqual({
    content: '"a.txt" was changed in one place:\n2\t2\n3\t3\n4\t4\n5\tFIVE\n6\tand\n7\t6\n8\t7\n9\t8',
  });
  expect(await readFile(at("a.txt"), "utf8")).toBe("1\n2\n3\n4\nFIVE\nand\n6\n7\n8\n9\n");
  const { mtimeMs, mode } = await stat(at("a.txt"));
  expect(mode & 0o777).toBe(0o640);
  expect(readState.get(at("a.txt"))).toMatchObject({ timestamp: 42, mtime: mtimeMs });
  expect((await edit(change("a.txt", "and", "or"))).isError).toBeUndefined();
  expect(await readdir(root)).toEqual(["a.txt"]);
});

it("everywhere, if asked", async () => {
  await writeFile(at("a.txt"), "x y x");
  await read({ file_path: "a.txt" });
  const many = await edit(change("a.txt", "x", "z"));
  expect(many).toMatchObject({ isError: true, content: expect.stringContaining("is 2 times in") });
  expect(await readFile(at("a.txt"), "utf8")).toBe("x y x");
  const all = await edit({ ...change("a.txt", "x", "z"), replace_all: true });
  expect(all.content).toBe('"a.txt" was changed in 2 places; the first:\n1\tz y z');
});

it("keeps Windows line ends and the byte order mark", async () => {
  await writeFile(at("a.txt"), "\uFEFFone\r\ntwo\r\n");
  await read({ file_path: "a.txt" });
  expect((await edit(change("a.txt", "one\ntwo", "1\n2"))).content).toContain("\n1\t1\n2\t2");
  expect(await readFile(at("a.txt"), "utf8")).toBe("\uFEFF1\r\n2\r\n");
});

it("of a part that was read, the part stays known as such", async () => {
  await writeFile(at("a.txt"), "1\n2\n3\n");
  await read({ file_path: "a.txt", offset: 2, limit: 1 });
  await edit(change("a.txt", "2", "two"));
  expect(readState.get(at("a.txt"))).toMatchObject({ offset: 2, limit: 1 });
});

describe("refused", () => {
  const refused = async (input: ToolInput, reason: string): Promise<void> => {
    expect(await edit(input)).toMatchObject({ isError: true, content: expect.stringContaining(reason) });
  };

  it("without knowing the file as it is", async () => {
    await writeFile(at("a.txt"), "one");
    await refused(change("a.txt", "one", "two"), "Read it first");
    await read({ file_path: "a.txt" });
    await utimes(at("a.txt"), 5, 5);
    await refused(change("a.txt", "one", "two"), "has changed on disk since you last read it");
    readState.forget(at("a.txt"));
    await refused(change("a.txt", "one", "two"), "Read it first");
    expect(await readFile(at("a.txt"), "utf8")).toBe("one");
  });

  it("what cannot be done", async () => {
    await writeFile(at("a.txt"), "one\n\ttwo\n");
    await writeFile(at("latin.txt"), Buffer.from(`${"plain ".repeat(50)}caf\u00e9`, "latin1"));
    await mkdir(at("dir"));
    execFileSync("mkfifo", [at("pipe")]);
    for (const name of ["a.txt", "latin.txt"]) await read({ file_path: name });
    await refused(change("a.txt", "one", "one"), "are the same");
    await refused(change("a.txt", "three", "four"), "old_string is not in");
    await refused(change("a.txt", "1\tone", "four"), "leave out the numbers");
    await refused(change("never.txt", "a", "b"), "does not exist");
    await refused({ ...change("latin.txt", "caf", "b") }, "not UTF-8");
    await refused(change("dir", "a", "b"), "is a directory");
    await refused(change("pipe", "a", "b"), "is not a regular file");
    await refused(change("a\0b", "a", "b"), "NUL");
    await refused({}, "are the same");
  });

  it("outside", async () => {
    await symlink(join(base, "outside"), at("link"));
    await symlink(join(base, "outside", "a.txt"), at("file-link"));
    for (const path of ["../outside/a.txt", join(base, "outside", "a.txt"), "link/a.txt", "file-link"]) {
      readState.remember(join(root, path), { timestamp: 1, mtime: 1 });
      await refused(change(path, "one", "two"), "outside");
      await refused(change(path.replace("a.txt", "new.txt"), "", "two"), "outside");
    }
    expect(await readFile(join(base, "outside", "a.txt"), "utf8")).toBe("one");
    expect(await readdir(join(base, "outside"))).toEqual(["a.txt"]);
  });
});

it("an empty old_string makes a file where there is none", async () => {
  expect(await edit(change("new/a.txt", "", "text"))).toEqual({ content: '"new/a.txt" was made.' });
  expect(await readFile(at("new/a.txt"), "utf8")).toBe("text");
  expect((await edit(change("new/a.txt", "", "more"))).content).toContain("exists already");
  await writeFile(at("empty.txt"), "");
  expect((await edit(change("empty.txt", "", "more"))).content).toContain("exists already");
});

it("a link that takes the directory's place meanwhile leads nowhere else", async () => {
  await mkdir(at("dir"));
  await writeFile(at("dir/a.txt"), "one");
  await read({ file_path: "dir/a.txt" });
  let swaps = 0;
  const disk: WritableDisk = {
    ...nodeDisk,
    async open(path, flags, mode) {
      // The first opening reads the file; the second one opens the directory to write in.
      swaps += 1;
      if (swaps === 2) {
        await rename(at("dir"), at("was"));
        await symlink(join(base, "outside"), at("dir"));
      }
      return nodeDisk.open(path, flags, mode);
    },
  };
  expect(await edit(change("dir/a.txt", "one", "two"), disk)).toMatchObject({ isError: true });
  expect(await readFile(join(base, "outside", "a.txt"), "utf8")).toBe("one");
  expect(await readFile(at("was/a.txt"), "utf8")).toBe("one");
});
