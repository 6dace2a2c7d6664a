import { execFileSync } from "node:child_process";
import { mkdir, mkdtemp, rm, symlink, utimes, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createMemoryReadState, type ReadState } from "@palimpsest/core/restore";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { showsFile } from "../../../../core/src/engine/tools/file-reads.js";
import { createPathGuard } from "../base/path-guard.js";
import { createReadTool } from "./read.js";
import type { ToolInput, ToolOutput } from "../base/tool.js";

let base: string;
let root: string;
let readState: ReadState;
let touched: string[];

beforeEach(async () => {
  base = await mkdtemp(join(tmpdir(), "palimpsest-read-"));
  root = join(base, "root");
  await mkdir(root);
  readState = createMemoryReadState();
  touched = [];
});
afterEach(() => rm(base, { recursive: true, force: true }));

const at = (name: string): string => join(root, name);

function read(input: ToolInput, signal = new AbortController().signal): Promise<ToolOutput> {
  const guard = createPathGuard({ roots: [root], workingDirectory: root, denied: [".env"] });
  return createReadTool({ guard }).run(input, {
    toolUseId: "t1",
    signal,
    now: () => 42,
    readState,
    touch: (path) => void touched.push(path),
  });
}

describe("text", () => {
  it("with line numbers, remembered and touched", async () => {
    await writeFile(at("a.txt"), "one\r\ntwo\n");
    await utimes(at("a.txt"), 7, 7);
    expect(await read({ file_path: at("a.txt") })).toEqual({ content: "1\tone\n2\ttwo" });
    expect(readState.get(at("a.txt"))).toEqual({ content: "1\tone\n2\ttwo", timestamp: 42, mtime: 7000 });
    expect(touched).toEqual([at("a.txt")]);
  });

  it("a part of it", async () => {
    await writeFile(at("a.txt"), "1\n2\n3\n4\n");
    expect(await read({ file_path: at("a.txt"), offset: 2, limit: 2 })).toEqual({ content: "2\t2\n3\t3" });
    expect(readState.get(at("a.txt"))).toMatchObject({ offset: 2, limit: 2 });
  });

  it("no further than it may, and how to read on", async () => {
    await writeFile(at("a.txt"), "x\n".repeat(2500));
    const { content } = await read({ file_path: at("a.txt") });
    expect(content).toMatch(/2000\tx\n\[Cut here: lines 1 to 2000 are shown. Read on with offset 2001/);
    expect(readState.get(at("a.txt"))).toMatchObject({ offset: 1, limit: 2000, isCut: true });
    expect((await read({ file_path: at("a.txt"), offset: 2001 })).content).toMatch(/^2001\tx\n.*2500\tx$/s);
    await writeFile(at("wide.txt"), `${"y".repeat(1500)}\n`.repeat(200));
    const wide = (await read({ file_path: at("wide.txt") })).content;
    expect(wide.length).toBeLessThan(100_300);
    expect(wide).toMatch(/Read on with offset 67/);
  });

  it("that is empty, or over before the offset", async () => {
    await writeFile(at("empty"), "");
    expect(await read({ file_path: "empty" })).toEqual({ content: '"empty" exists and is empty.' });
    expect(readState.has(at("empty"))).toBe(true);
    const beyond = await read({ file_path: "empty", offset: 5 });
    expect(beyond).toMatchObject({ isError: true, content: expect.stringContaining("fewer than 5 lines") });
  });
});

describe("unchanged", () => {
  beforeEach(() => writeFile(at("a.txt"), "one\ntwo\n"));

  it("is said of the same part of the same file, in words that the engine knows", async () => {
    await read({ file_path: at("a.txt") });
    await writeFile(at("b.txt"), "other");
    await read({ file_path: at("b.txt") });
    const { content } = await read({ file_path: at("a.txt") });
    expect(content).toMatch(/^File unchanged since it was last read/);
    expect(showsFile({ type: "tool_result", tool_use_id: "t1", content })).toBe(false);
    expect(readState.snapshot().reads.map(({ path }) => path)).toEqual([at("a.txt"), at("b.txt")]);
  });

  it.each<[string, () => Promise<ToolInput>]>([
    ["of another part", async () => ({ file_path: at("a.txt"), limit: 1 })],
    [
      "of a file that was touched",
      async () => {
        await utimes(at("a.txt"), 9, 9);
        return { file_path: at("a.txt") };
      },
    ],
    [
      "of a file that was changed, though its time was not",
      async () => {
        await writeFile(at("a.txt"), "one\ntwo!\n");
        await utimes(at("a.txt"), 5, 5);
        return { file_path: at("a.txt") };
      },
    ],
    [
      "of what the model no longer sees",
      async () => {
        readState.forget(at("a.txt"));
        return { file_path: at("a.txt") };
      },
    ],
    [
      "of what it wrote itself",
      async () => {
        readState.remember(at("a.txt"), { content: "one\ntwo\n", timestamp: 1, mtime: 5000 });
        return { file_path: at("a.txt") };
      },
    ],
    [
      "behind a failed read",
      async () => {
        readState.noteFailure(at("a.txt"));
        return { file_path: at("a.txt") };
      },
    ],
  ])("is not said %s", async (_, change) => {
    await utimes(at("a.txt"), 5, 5);
    await read({ file_path: at("a.txt") });
    expect((await read(await change())).content).toMatch(/^1\tone/);
  });
});

describe("pictures", () => {
  const pad = Buffer.alloc(64);
  const heads = {
    png: (width: number) =>
      Buffer.concat([
        Buffer.from("\x89PNG\r\n\x1a\n\0\0\0\rIHDR\0\0", "latin1"),
        Buffer.from([width >> 8, width & 255, 0, 0, 0, 1]),
      ]),
    jpeg: Buffer.from([0xff, 0xd8, 0xff, 0xc0, 0, 11, 8, 0, 1, 0, 1]),
    gif: Buffer.from("GIF89a\x01\0\x01\0"),
    webp: Buffer.from("RIFF\x10\0\0\0WEBPVP8 \x0a\0\0\0\0\0\0\x9d\x01\x2a\x01\0\x01\0", "latin1"),
  };
  it.each([
    ["image/png", heads.png(1)],
    ["image/jpeg", heads.jpeg],
    ["image/gif", heads.gif],
    ["image/webp", heads.webp],
  ])("%s by its bytes, not its name", async (mediaType, head) => {
    const bytes = Buffer.concat([head, pad]);
    await writeFile(at("picture.txt"), bytes);
    expect((await read({ file_path: "picture.txt" })).content).toEqual([
      { type: "image", source: { type: "base64", media_type: mediaType, data: bytes.toString("base64") } },
    ]);
  });

  it.each([
    ["damaged or not complete", Buffer.concat([heads.png(1).subarray(0, 8), pad])],
    ["damaged or not complete", heads.jpeg.subarray(0, 6)],
    ["a picture of 8001 × 1 pixels. Up to 8000", Buffer.concat([heads.png(8001), pad])],
  ])("one that no provider takes is refused: %s", async (why, bytes) => {
    await writeFile(at("broken.png"), bytes);
    const { isError, content } = await read({ file_path: "broken.png" });
    expect(isError).toBe(true);
    expect(content).toContain(why);
    expect(readState.get(at("broken.png"))?.content).toBeUndefined();
    expect(touched).toEqual([]);
  });

  it("no larger than 5 MB", async () => {
    await writeFile(at("large.png"), Buffer.alloc(5 * 1024 * 1024 + 1));
    const { isError, content } = await read({ file_path: "large.png" });
    expect(isError).toBe(true);
    expect(content).toContain("more than 5 MB");
  });
});

describe("refused, with a reason", () => {
  const reason = async (path: string): Promise<string> => {
    readState.remember(at(path), { timestamp: 1, mtime: 1 });
    const { content, isError } = await read({ file_path: path });
    expect(isError).toBe(true);
    expect(readState.get(at(path))?.hasFailed).toBe(true);
    expect(touched).toEqual([]);
    return content as string;
  };

  it("what is not there, or no text", async () => {
    await writeFile(at("bin.png"), Buffer.from("\0\x01\x02binary"));
    await mkdir(at("dir"));
    execFileSync("mkfifo", [at("pipe")]);
    await symlink("/dev/zero", at("zero"));
    expect(await reason("never.txt")).toContain(`does not exist. Relative paths start at "${root}"`);
    expect(await reason("bin.png")).toContain("is a binary file");
    expect(await reason("dir")).toContain("is a directory, not a file");
    expect(await reason("pipe")).toContain("is not a regular file");
    expect(await reason("zero")).toContain("outside");
    expect(await reason(".env")).toContain("the settings deny it");
    expect(await reason("x".repeat(300))).toContain("cannot be looked up");
    expect(await reason("a\0b")).toContain("NUL");
  });

  it("what lies outside, and nothing of it is told", async () => {
    await writeFile(join(base, "secret.txt"), "the secret");
    await symlink(join(base, "secret.txt"), at("link"));
    await symlink("/proc/self/environ", at("environ"));
    const paths = [
      "link",
      "environ",
      "../secret.txt",
      join(base, "secret.txt"),
      "/proc/self/environ",
      "/etc/passwd",
    ];
    for (const path of paths) {
      const { content, isError } = await read({ file_path: path });
      expect(isError).toBe(true);
      expect(content).toContain("outside the directories that you may use");
      expect(content).not.toContain("the secret");
    }
  });

  it("an empty input", async () => {
    expect(await read({})).toMatchObject({ isError: true });
    expect(await read({ file_path: "" })).toMatchObject({ isError: true });
  });

  it("stops when it is called off", async () => {
    await writeFile(at("a.txt"), "one");
    await expect(read({ file_path: "a.txt" }, AbortSignal.abort())).rejects.toThrow();
  });
});
