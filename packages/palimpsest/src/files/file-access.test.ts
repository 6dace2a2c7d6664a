import { execFileSync } from "node:child_process";
import { chmodSync } from "node:fs";
import { appendFile, mkdir, mkdtemp, rename, rm, symlink, truncate, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { nodeDisk, type Disk } from "./disk.js";
import { createFileAccess, type FileAccessOptions } from "./file-access.js";

let base: string;
let root: string;
let outside: string;

beforeEach(async () => {
  base = await mkdtemp(join(tmpdir(), "palimpsest-files-"));
  root = join(base, "root");
  outside = join(base, "outside");
  await mkdir(join(root, "dir"), { recursive: true });
  await mkdir(outside);
  await writeFile(join(root, "dir", "file.txt"), "inside\n");
  await writeFile(join(outside, "file.txt"), "secret\n");
});
afterEach(() => rm(base, { recursive: true, force: true }));

const access = (options: Partial<FileAccessOptions> = {}) => createFileAccess({ roots: [root], ...options });
const kind = async (path: string, options: Partial<FileAccessOptions> = {}): Promise<string> =>
  (await access(options).read(path)).kind;
const shown = async (path: string, options: Partial<FileAccessOptions> = {}): Promise<string> => {
  const outcome = await access(options).read(path);
  return outcome.kind === "text" ? outcome.content : outcome.kind;
};
/** The same disk, with the number of files that are open and of bytes that were read. */
function counting(disk: Disk = nodeDisk): {
  readonly disk: Disk;
  readonly counted: { open: number; bytes: number };
} {
  const counted = { open: 0, bytes: 0 };
  return {
    counted,
    disk: {
      ...disk,
      async open(path, flags) {
        const file = await disk.open(path, flags);
        counted.open += 1;
        return {
          fd: file.fd,
          stat: () => file.stat(),
          close() {
            counted.open -= 1;
            return file.close();
          },
          async read(buffer, offset, length, position) {
            const result = await file.read(buffer, offset, length, position);
            counted.bytes += result.bytesRead;
            return result;
          },
        };
      },
    },
  };
}

describe("what is inside", () => {
  it("by its absolute path, or a relative one from the working directory", async () => {
    expect(await shown(join(root, "dir", "file.txt"))).toBe("1\tinside");
    expect(await shown("dir/file.txt")).toBe("1\tinside");
    expect(await shown("file.txt", { workingDirectory: join(root, "dir") })).toBe("1\tinside");
    expect(await shown(`${root}/dir/../dir/./file.txt`)).toBe("1\tinside");
  });

  it("through links that stay inside, also where the root itself is one", async () => {
    await symlink(join(root, "dir"), join(root, "link"));
    await symlink("dir/file.txt", join(root, "file-link"));
    await symlink(root, join(base, "root-link"));
    expect(await shown(join(root, "link", "file.txt"))).toBe("1\tinside");
    expect(await shown(join(root, "file-link"))).toBe("1\tinside");
    expect(
      await shown(join(base, "root-link", "dir", "file.txt"), { roots: [join(base, "root-link")] }),
    ).toBe("1\tinside");
  });

  it.each(["naïve — 文件 😀.txt", " lead and trail ", "quo\"te'`$(x).txt", "new\nline.txt", "-rf"])(
    "whatever its name: %j",
    async (name) => {
      await writeFile(join(root, name), "named");
      expect(await shown(join(root, name))).toBe("1\tnamed");
    },
  );

  it("changed on disk is shown changed, with a new time", async () => {
    const path = join(root, "dir", "file.txt");
    const files = access();
    const before = await files.stat(path);
    await new Promise((resolve) => setTimeout(resolve, 15));
    await writeFile(path, "changed");
    expect(await shown(path)).toBe("1\tchanged");
    expect((await files.stat(path))?.mtime).toBeGreaterThan(before?.mtime ?? Infinity);
  });
});

describe("what is outside", () => {
  it.each([
    ["elsewhere", () => join(outside, "file.txt")],
    ["above", () => join(root, "..", "outside", "file.txt")],
    ["beside, with the same beginning", () => `${root}-not/file.txt`],
    ["not there at all", () => join(outside, "never.txt")],
    ["the system's", () => "/etc/passwd"],
  ])("%s", async (_, path) => {
    expect(await kind(path())).toBe("outside");
    expect(await access().stat(path())).toBeUndefined();
  });

  it("through links to files and directories", async () => {
    await symlink(join(outside, "file.txt"), join(root, "link"));
    await symlink(outside, join(root, "directory-link"));
    expect(await kind(join(root, "link"))).toBe("outside");
    expect(await kind(join(root, "directory-link", "file.txt"))).toBe("outside");
    expect(await access().stat(join(root, "link"))).toBeUndefined();
  });

  it("everything, without roots or with one that is not there", async () => {
    expect(await kind(join(root, "dir", "file.txt"), { roots: [] })).toBe("outside");
    expect(await kind(join(root, "dir", "file.txt"), { roots: [join(base, "no-root")] })).toBe("outside");
  });
});

describe("what takes a file's place while it is opened", () => {
  /** Does something once, right before the file is opened. */
  const before = (work: () => Promise<void>, change: Partial<Disk> = {}): Disk => ({
    ...nodeDisk,
    ...change,
    async open(path, flags) {
      await work();
      return nodeDisk.open(path, flags);
    },
  });
  const noProc: Partial<Disk> = { readlink: () => Promise.reject(new Error("no /proc")) };
  const swapDirectory = async (): Promise<void> => {
    await rename(join(root, "dir"), join(root, "was"));
    await symlink(outside, join(root, "dir"));
  };
  const swapFile = async (): Promise<void> => {
    await rm(join(root, "dir", "file.txt"));
    await symlink(join(outside, "file.txt"), join(root, "dir", "file.txt"));
  };

  it.each([
    ["a link in the place of a directory", swapDirectory, {}],
    ["a link in the place of a directory, without /proc", swapDirectory, noProc],
    ["a link in the place of the file", swapFile, {}],
    ["a link in the place of the file, without /proc", swapFile, noProc],
  ])("%s is found out", async (_, swap, change) => {
    const { disk, counted } = counting(before(swap, change));
    expect(await kind(join(root, "dir", "file.txt"), { disk })).toBe("outside");
    expect(counted).toEqual({ open: 0, bytes: 0 });
  });

  it("a pipe in its place neither hangs nor is read", async () => {
    const path = join(root, "dir", "file.txt");
    const swap = async (): Promise<void> => {
      await rm(path);
      execFileSync("mkfifo", [path]);
    };
    expect(await kind(path, { disk: before(swap) })).toBe("unreadable");
  });

  it("nothing in its place is gone; a new file of the same name is read", async () => {
    const path = join(root, "dir", "file.txt");
    expect(await kind(path, { disk: before(() => rm(path)) })).toBe("gone");
    await writeFile(path, "old");
    const replace = async (): Promise<void> => {
      await writeFile(`${path}.new`, "new");
      await rename(`${path}.new`, path);
    };
    expect(await shown(path, { disk: before(replace) })).toBe("1\tnew");
  });
});

describe("what cannot be shown", () => {
  it("is gone", async () => {
    expect(await kind(join(root, "never.txt"))).toBe("gone");
    expect(await kind(join(root, "dir", "file.txt", "below"))).toBe("gone");
    await symlink(join(root, "nowhere"), join(root, "dangling"));
    expect(await kind(join(root, "dangling"))).toBe("gone");
  });

  it("is no file", async () => {
    execFileSync("mkfifo", [join(root, "pipe")]);
    await symlink("loop", join(root, "loop"));
    expect(await kind(join(root, "dir"))).toBe("unreadable");
    expect(await kind(join(root, "pipe"))).toBe("unreadable");
    expect(await kind(join(root, "loop"))).toBe("unreadable");
    expect(await kind("/dev/zero", { roots: ["/dev"] })).toBe("unreadable");
    expect(await kind(`${root}/nul\0byte`)).toBe("unreadable");
    expect(await access().stat(join(root, "pipe"))).toBeUndefined();
  });

  it("is binary", async () => {
    const bytes = (...values: number[]) => Buffer.from(Array.from({ length: 200 }, () => values).flat());
    await writeFile(join(root, "zero"), Buffer.from("text\0text"));
    await writeFile(join(root, "broken"), bytes(0x41, 0xff, 0xfe));
    await writeFile(join(root, "utf16"), Buffer.from("\uFEFFhello", "utf16le"));
    await writeFile(join(root, "latin"), Buffer.from(`${"plain text ".repeat(20)}caf\u00e9`, "latin1"));
    expect(await kind(join(root, "zero"))).toBe("binary");
    expect(await kind(join(root, "broken"))).toBe("binary");
    expect(await kind(join(root, "utf16"))).toBe("binary");
    expect(await shown(join(root, "latin"))).toMatch(/caf\uFFFD$/);
  });

  it("a character that the first bytes cut in two is no sign of it", async () => {
    await writeFile(join(root, "cut"), `${"a".repeat(8191)}é${"a".repeat(10)}`);
    expect(await kind(join(root, "cut"))).toBe("text");
    await writeFile(join(root, "emoji"), "😀".repeat(40_000));
    const outcome = await access({ maxLineCharacters: 90_000 }).read(join(root, "emoji"));
    expect(outcome).toMatchObject({ kind: "text", content: `1\t${"😀".repeat(40_000)}` });
  });

  it.skipIf(process.getuid?.() === 0)("is denied by the system (not as root, who may read all)", async () => {
    chmodSync(join(root, "dir", "file.txt"), 0o000);
    expect(await kind(join(root, "dir", "file.txt"))).toBe("denied");
    chmodSync(join(root, "dir"), 0o000);
    expect(await kind(join(root, "dir", "file.txt"))).toBe("denied");
    chmodSync(join(root, "dir"), 0o700);
  });

  it("is denied where the disk says so", async () => {
    const error = Object.assign(new Error("no"), { code: "EACCES" });
    const disk: Disk = { ...nodeDisk, open: () => Promise.reject(error) };
    expect(await kind(join(root, "dir", "file.txt"), { disk })).toBe("denied");
  });

  it("fails while it is read, and is closed", async () => {
    const { disk, counted } = counting({
      ...nodeDisk,
      async open(path, flags) {
        const file = await nodeDisk.open(path, flags);
        return {
          fd: file.fd,
          stat: () => file.stat(),
          read: () => Promise.reject(new Error("bad sector")),
          close: () => file.close(),
        };
      },
    });
    expect(await kind(join(root, "dir", "file.txt"), { disk })).toBe("unreadable");
    expect(counted.open).toBe(0);
  });

  it("is denied by a pattern, also through a link", async () => {
    await writeFile(join(root, ".env"), "KEY=1");
    await symlink(".env", join(root, "harmless.txt"));
    const denied = [".env", "dir"];
    expect(await kind(join(root, ".env"), { denied })).toBe("denied");
    expect(await kind(join(root, "harmless.txt"), { denied })).toBe("denied");
    expect(await kind(join(root, "dir", "file.txt"), { denied })).toBe("denied");
    expect(await access({ denied }).stat(join(root, ".env"))).toBeUndefined();
  });

  it("is called off", async () => {
    const controller = new AbortController();
    controller.abort();
    const outcome = await access().read(join(root, "dir", "file.txt"), { signal: controller.signal });
    expect(outcome.kind).toBe("unreadable");
  });
});

describe("large files", () => {
  const FIVE_GIGABYTES = 5 * 1024 ** 3;
  it("of five gigabytes only the head is read", async () => {
    const path = join(root, "huge.log");
    await writeFile(path, "a line of text\n".repeat(100_000));
    await truncate(path, FIVE_GIGABYTES);
    const { counted, disk } = counting();
    const outcome = await access({ disk }).read(path, { maxCharacters: 1000 });
    expect(outcome).toMatchObject({ kind: "text", isTruncated: true });
    expect(outcome.kind === "text" && outcome.content.length).toBeLessThanOrEqual(1000);
    expect(counted.bytes).toBe(65_536);
    expect(await access().read(path)).toMatchObject({ kind: "text", lines: 2000, isTruncated: true });
  });

  it("a hole of five gigabytes is binary", async () => {
    const path = join(root, "hole");
    await writeFile(path, "");
    await truncate(path, FIVE_GIGABYTES);
    expect(await kind(path)).toBe("binary");
  });

  it("lines far inside are found as far as may be searched", async () => {
    const path = join(root, "long.txt");
    await writeFile(path, Array.from({ length: 50_000 }, (_, index) => `line ${index + 1}`).join("\n"));
    const { counted, disk } = counting();
    const inside = await access({ disk }).read(path, { offset: 30_000, limit: 2 });
    expect(inside).toMatchObject({ content: "30000\tline 30000\n30001\tline 30001", isTruncated: false });
    expect(counted.bytes).toBeLessThan(500_000);
    const small = access({ maxBytes: 1000 });
    expect(await small.read(path, { offset: 30_000 })).toEqual({ kind: "too-large" });
    expect(await small.read(path)).toMatchObject({ kind: "text", isTruncated: true });
    expect(await access({ maxBytes: 588_893 }).read(path, { offset: 49_999 })).toMatchObject({
      kind: "text",
      lines: 2,
    });
  });

  it("a line without end is cut", async () => {
    const path = join(root, "one-line.js");
    await writeFile(path, "x".repeat(300_000));
    await appendFile(path, "\nlast\n");
    const outcome = await access().read(path);
    expect(outcome).toMatchObject({ kind: "text", lines: 2, isTruncated: false });
    expect(outcome.kind === "text" && outcome.content).toMatch(/^1\tx{2000}… \[line cut\]\n2\tlast$/);
  });

  it("2,000 lines, or as many as were asked for", async () => {
    const path = join(root, "many.txt");
    await writeFile(path, "x\n".repeat(2000));
    expect(await access().read(path)).toMatchObject({ lines: 2000, isTruncated: false });
    await appendFile(path, "y");
    expect(await access().read(path)).toMatchObject({ lines: 2000, isTruncated: true });
    expect(await access().read(path, { limit: 3000 })).toMatchObject({ lines: 2001, isTruncated: false });
    expect(await access().read(path, { limit: 0 })).toMatchObject({ lines: 0, isTruncated: false });
  });
});

it("no file stays open", async () => {
  const { disk, counted } = counting();
  const files = access({ disk });
  const names = ["dir/file.txt", "dir", "never"];
  await Promise.all(Array.from({ length: 60 }, (_, index) => files.read(names[index % 3] ?? "")));
  expect(counted).toEqual({ open: 0, bytes: 20 * 7 });
});
