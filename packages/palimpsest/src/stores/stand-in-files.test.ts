import { standInStoreContract } from "@palimpsest/core/testing";
import { mkdtemp, readdir, readFile, rm, stat, symlink, truncate, utimes, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, describe, expect, it } from "vitest";
import { createStandInFiles } from "./stand-in-files.js";

const directories: string[] = [];

afterAll(async () => {
  await Promise.all(directories.map((directory) => rm(directory, { recursive: true, force: true })));
});

async function newDirectory(): Promise<string> {
  const directory = await mkdtemp(join(tmpdir(), "palimpsest-stand-ins-"));
  directories.push(directory);
  return join(directory, "store");
}

const filesIn = async (directory: string): Promise<readonly string[]> =>
  (await readdir(directory, { recursive: true, withFileTypes: true }))
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name));

describe("stand-ins as files", () => {
  for (const requirement of standInStoreContract) {
    it(requirement.name, () =>
      requirement.run(async () => createStandInFiles({ directory: await newDirectory() })),
    );
  }

  it("says at once that a directory is missing", () => {
    for (const given of [{}, { directory: "" }, { directory: 7 }]) {
      expect(() => createStandInFiles(given as { directory: string })).toThrow("needs a directory");
    }
  });

  it("only this user can read them, names tell nothing of keys, and nothing else is left there", async () => {
    const directory = await newDirectory();
    const store = createStandInFiles({ directory });
    for (const key of ["../../outside", "/etc/x", "a secret"]) {
      await Promise.all([store.insert(key, "1"), store.insert(key, "2"), store.insert(key, "3")]);
    }
    const files = await filesIn(directory);
    expect(files.length).toBe(3);
    for (const file of files) {
      expect(file.slice(directory.length)).toMatch(/^[/\\][0-9a-f]{2}[/\\][0-9a-f]{62}\.json$/);
      expect((await stat(file)).mode & 0o777).toBe(0o600);
    }
    expect((await stat(directory)).mode & 0o777).toBe(0o700);
  });

  it.each([
    ["cut off", (path: string) => truncate(path, 20)],
    ["empty", (path: string) => writeFile(path, "")],
    ["of another key", (path: string) => writeFile(path, '{"key":"b","length":1}\n1')],
    ["no text at all", (path: string) => writeFile(path, Buffer.from([0xff, 0, 0xfe]))],
  ])("a file that is %s counts as not there, and is written again", async (_name, damage) => {
    const directory = await newDirectory();
    const store = createStandInFiles({ directory });
    await store.insert("a", "a value of some length");
    const [file = ""] = await filesIn(directory);
    await damage(file);
    expect(await store.find(["a"])).toBeUndefined();
    expect(await store.insert("a", "new")).toBe("new");
    expect(await store.find(["a"])).toEqual({ key: "a", values: ["new"] });
  });

  it("a link in the place of a file is replaced, and what it led to is not written", async () => {
    const directory = await newDirectory();
    const store = createStandInFiles({ directory });
    await store.insert("a", "1");
    const [file = ""] = await filesIn(directory);
    const target = join(directory, "..", "target");
    await writeFile(target, "untouched");
    await rm(file);
    await symlink(target, file);
    expect(await store.insert("a", "2")).toBe("2");
    expect(await readFile(target, "utf8")).toBe("untouched");
  });

  it("removes what nobody has asked for, and keeps what somebody has", async () => {
    const directory = await newDirectory();
    const store = createStandInFiles({ directory });
    await store.insert("old", "1");
    await store.insert("used", "2");
    const long = new Date(Date.now() - 10 * 86_400_000);
    for (const file of await filesIn(directory)) await utimes(file, long, long);
    await store.find(["used"]);
    expect(await store.removeUnusedSince(Date.now() - 86_400_000)).toBe(1);
    expect(await store.find(["old"])).toBeUndefined();
    expect(await store.find(["used"])).toBeDefined();
  });
});
