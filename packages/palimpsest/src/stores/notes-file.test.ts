import type { NotesStore } from "@palimpsest/core";
import { createMemoryNotesStore } from "@palimpsest/core/notes";
import { execFile } from "node:child_process";
import { chmod, mkdir, mkdtemp, readdir, readFile, rm, stat, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { createNotesFile } from "./notes-file.js";

let directory = "";
const file = (): string => join(directory, "c1", "session-memory", "summary.md");
beforeEach(async () => {
  directory = await mkdtemp(join(tmpdir(), "palimpsest-notes-"));
});
afterEach(() => rm(directory, { recursive: true, force: true }));

const stores: readonly [string, () => NotesStore][] = [
  ["memory", () => createMemoryNotesStore(file())],
  ["a file", () => createNotesFile(file())],
];

describe.each(stores)("notes in %s", (_, create) => {
  it("are none at first, and then what was written last", async () => {
    const store = create();
    expect(store.path).toBe(file());
    expect(await store.read()).toBeUndefined();
    await store.write("# Notes\n😀 ñ\u0000\r\n");
    expect(await store.read()).toBe("# Notes\n😀 ñ\u0000\r\n");
    await store.write("");
    expect(await store.read()).toBe("");
  });

  it("writes take their turn, and a read sees those before it", async () => {
    const store = create();
    const texts = Array.from({ length: 20 }, (__, at) => `${at} `.repeat(1000 * (20 - at)));
    const writes = texts.map((text) => store.write(text));
    expect(await store.read()).toBe(texts.at(-1));
    await Promise.all(writes);
    expect(await store.read()).toBe(texts.at(-1));
  });
});

describe("a notes file", () => {
  it("is private, and so is its folder", async () => {
    await createNotesFile(file()).write("secret");
    expect((await stat(file())).mode & 0o777).toBe(0o600);
    expect((await stat(join(directory, "c1", "session-memory"))).mode & 0o777).toBe(0o700);
    expect(await readdir(join(directory, "c1", "session-memory"))).toEqual(["summary.md"]);
  });

  it("is the old one where the swap fails, and the next write succeeds", async () => {
    let isBroken = true;
    await createNotesFile(file()).write("old");
    const { rename } = await import("node:fs/promises");
    const store = createNotesFile(file(), {
      rename: (from, to) => (isBroken ? Promise.reject(new Error("no space")) : rename(from, to)),
    });
    await expect(store.write("new")).rejects.toThrow("no space");
    expect(await store.read()).toBe("old");
    isBroken = false;
    await store.write("newer");
    expect(await store.read()).toBe("newer");
    expect(await readdir(join(directory, "c1", "session-memory"))).toEqual(["summary.md"]);
  });

  it("is the old one where the process dies between writing and swapping", async () => {
    await createNotesFile(file()).write("old");
    // The same steps as a write, up to the rename.
    const dying = `
      const { openSync, writeSync, fsyncSync } = require("node:fs");
      const file = openSync(process.argv[1] + "." + process.pid + ".tmp", "w", 0o600);
      writeSync(file, "half of the new no");
      fsyncSync(file);
      process.kill(process.pid, "SIGKILL");
    `;
    await expect(promisify(execFile)(process.execPath, ["-e", dying, file()])).rejects.toMatchObject({
      signal: "SIGKILL",
    });
    const store = createNotesFile(file());
    expect(await store.read()).toBe("old");
    await store.write("new");
    expect(await store.read()).toBe("new");
  });

  it("overwrites what an earlier crash of the same process id left", async () => {
    await mkdir(join(directory, "c1", "session-memory"), { recursive: true });
    await writeFile(`${file()}.${process.pid}.tmp`, "something longer than what comes now");
    await createNotesFile(file()).write("new");
    expect(await readFile(file(), "utf8")).toBe("new");
  });

  it.skipIf(process.getuid?.() === 0)("that cannot be read is an error, not an empty one", async () => {
    const store = createNotesFile(file());
    await store.write("mine");
    await chmod(file(), 0);
    await expect(store.read()).rejects.toThrow("EACCES");
  });

  it("that is a folder is an error", async () => {
    await mkdir(file(), { recursive: true });
    const store = createNotesFile(file());
    await expect(store.read()).rejects.toThrow("EISDIR");
    await expect(store.write("x")).rejects.toThrow();
  });
});
