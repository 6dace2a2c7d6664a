import { execFileSync } from "node:child_process";
import {
  chmod,
  lstat,
  mkdir,
  mkdtemp,
  readdir,
  readFile,
  rename,
  rm,
  stat,
  symlink,
  writeFile,
} from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { nodeDisk, type WritableDisk } from "./disk.js";
import type { Bounds } from "./open-inside.js";
import { matchDenied } from "./path-patterns.js";
import { writeInside } from "./write-inside.js";

let base: string;
let root: string;
let outside: string;

beforeEach(async () => {
  base = await mkdtemp(join(tmpdir(), "palimpsest-write-"));
  root = join(base, "root");
  outside = join(base, "outside");
  await mkdir(join(root, "dir"), { recursive: true });
  await mkdir(outside);
  await writeFile(join(root, "dir", "file.txt"), "old");
  await writeFile(join(outside, "file.txt"), "secret");
});
afterEach(() => rm(base, { recursive: true, force: true }));

const bounds = (denied: readonly string[] = []): Bounds => ({ roots: [root], isDenied: matchDenied(denied) });
const bytes = (text: string): Uint8Array => Buffer.from(text);
const mtime = async (path: string): Promise<number> => (await stat(path)).mtimeMs;
const noProc: Partial<WritableDisk> = { readlink: () => Promise.reject(new Error("no /proc")) };

async function write(
  path: string,
  options: { disk?: WritableDisk; replaces?: number; denied?: readonly string[] } = {},
) {
  const { disk = nodeDisk, replaces, denied } = options;
  return writeInside(disk, path, { bounds: bounds(denied), content: bytes("new"), replaces });
}

describe.each([
  ["with /proc", {}],
  ["without /proc", noProc],
])("writing, %s", (_, change) => {
  const disk: WritableDisk = { ...nodeDisk, ...change };

  it("makes a file and the directories above it", async () => {
    const path = join(root, "a", "b", "c.txt");
    const outcome = await write(path, { disk });
    expect(outcome).toEqual({ kind: "written", mtime: await mtime(path) });
    expect(await readFile(path, "utf8")).toBe("new");
    expect(await readdir(join(root, "a", "b"))).toEqual(["c.txt"]);
    expect((await stat(path)).mode & 0o777).toBe(0o666 & ~process.umask());
  });

  it("replaces a file and keeps its mode", async () => {
    const path = join(root, "dir", "file.txt");
    await chmod(path, 0o751);
    expect(await write(path, { disk, replaces: await mtime(path) })).toMatchObject({ kind: "written" });
    expect(await readFile(path, "utf8")).toBe("new");
    expect((await stat(path)).mode & 0o777).toBe(0o751);
    expect(await readdir(join(root, "dir"))).toEqual(["file.txt"]);
  });

  it("does not replace what is not as it was, nor make what is there", async () => {
    const path = join(root, "dir", "file.txt");
    expect(await write(path, { disk, replaces: 1 })).toEqual({ kind: "changed" });
    expect(await write(path, { disk })).toEqual({ kind: "changed" });
    expect(await write(join(root, "dir", "gone"), { disk, replaces: 1 })).toEqual({ kind: "changed" });
    expect(await write(join(root, "dir"), { disk })).toEqual({ kind: "changed" });
    expect(await readFile(path, "utf8")).toBe("old");
    expect(await readdir(join(root, "dir"))).toEqual(["file.txt"]);
  });

  it("stays inside, whatever takes a directory's place", async () => {
    expect(await write(join(outside, "new.txt"), { disk })).toEqual({ kind: "outside" });
    await symlink(outside, join(root, "link"));
    expect((await write(join(root, "link", "new.txt"), { disk })).kind).not.toBe("written");
    expect((await write(join(root, "link", "deep", "new.txt"), { disk })).kind).not.toBe("written");
    expect(await readdir(outside)).toEqual(["file.txt"]);
  });

  it("a link in the place of the file is not followed", async () => {
    const path = join(root, "dir", "linked.txt");
    await symlink(join(outside, "file.txt"), path);
    expect(await write(path, { disk, replaces: await mtime(path) })).toEqual({ kind: "changed" });
    expect(await readFile(join(outside, "file.txt"), "utf8")).toBe("secret");
  });

  it("nor one that comes right before the swap", async () => {
    const path = join(root, "dir", "file.txt");
    const swapping: WritableDisk = {
      ...disk,
      async rename(from, to) {
        await rm(path);
        await symlink(join(outside, "file.txt"), path);
        return disk.rename(from, to);
      },
    };
    await write(path, { disk: swapping, replaces: await mtime(path) });
    expect(await readFile(join(outside, "file.txt"), "utf8")).toBe("secret");
    expect((await lstat(path)).isSymbolicLink()).toBe(false);
  });

  it("a directory swapped before it is opened is found out", async () => {
    const swapping: WritableDisk = {
      ...disk,
      async open(path, flags, mode) {
        if (path === join(root, "dir", "deep")) {
          await rename(join(root, "dir"), join(root, "was"));
          await symlink(outside, join(root, "dir"));
          await mkdir(join(outside, "deep"), { recursive: true });
        }
        return disk.open(path, flags, mode);
      },
    };
    await mkdir(join(root, "dir", "deep"));
    expect(await write(join(root, "dir", "deep", "x"), { disk: swapping })).toEqual({ kind: "outside" });
    expect(await readdir(join(outside, "deep"))).toEqual([]);
  });

  it("what is denied is not written", async () => {
    expect(await write(join(root, "secrets", "x"), { disk, denied: ["secrets"] })).toEqual({
      kind: "denied",
    });
  });

  it("a failure leaves nothing behind", async () => {
    const path = join(root, "dir", "file.txt");
    const full = Object.assign(new Error("full"), { code: "ENOSPC" });
    const failing: WritableDisk = { ...disk, rename: () => Promise.reject(full) };
    const outcome = await write(path, { disk: failing, replaces: await mtime(path) });
    expect(outcome).toEqual({ kind: "failed", code: "ENOSPC" });
    expect(await readFile(path, "utf8")).toBe("old");
    expect(await readdir(join(root, "dir"))).toEqual(["file.txt"]);
  });
});

it("with /proc a directory that is swapped once it is open leads nobody astray", async () => {
  const swapping: WritableDisk = {
    ...nodeDisk,
    async lstat(path) {
      await rename(join(root, "dir"), join(root, "was")).catch(() => {});
      await symlink(outside, join(root, "dir")).catch(() => {});
      return nodeDisk.lstat(path);
    },
  };
  expect(await write(join(root, "dir", "new.txt"), { disk: swapping })).toMatchObject({ kind: "written" });
  expect(await readdir(outside)).toEqual(["file.txt"]);
  expect((await readdir(join(root, "was"))).toSorted()).toEqual(["file.txt", "new.txt"]);
});

it("a pipe in the place of a file or a directory neither hangs nor is written", async () => {
  execFileSync("mkfifo", [join(root, "pipe")]);
  expect(await write(join(root, "pipe"))).toEqual({ kind: "changed" });
  expect((await write(join(root, "pipe", "x"))).kind).not.toBe("written");
});
