import { chmod, mkdtemp, readFile, rm, stat, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { createKeptCopies } from "./kept-copies.js";

let folder = "";
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "palimpsest-copies-"));
});
afterEach(() => rm(folder, { recursive: true, force: true }));

describe("copies of files before the agent's own edits", () => {
  const open = () => {
    let time = 0;
    const copies = createKeptCopies(join(folder, "edits"), {
      now: () => (time += 10),
      isOurs: (path) => path.includes("plan.md"),
    });
    return { copies, path: join(folder, "a.txt") };
  };

  it("put a file back as it was at a time, its mode kept, and keep what it held", async () => {
    const { copies, path } = open();
    await writeFile(path, "one");
    await chmod(path, 0o640);
    await copies.keep(path);
    await writeFile(path, "two");
    await copies.keep(path);
    await writeFile(path, "three");
    expect(await copies.since(15)).toEqual([path]);
    expect(await copies.restore(15)).toMatchObject({ restored: [path], failed: [] });
    expect(await readFile(path, "utf8")).toBe("two");
    expect(await copies.restore(0)).toMatchObject({ restored: [path] });
    expect(await readFile(path, "utf8")).toBe("one");
    expect((await stat(path)).mode & 0o777).toBe(0o640);
    expect((await stat(join(folder, "edits"))).mode & 0o777).toBe(0o700);
  });

  it("take a file away that was not there", async () => {
    const { copies, path } = open();
    await copies.keep(path);
    await writeFile(path, "made");
    await copies.restore(0);
    await expect(readFile(path)).rejects.toThrow();
  });

  it("follow no link that took the place of a file, and leave the program's own files alone", async () => {
    const { copies, path } = open();
    await writeFile(path, "one");
    await copies.keep(path);
    await rm(path);
    await writeFile(join(folder, "other"), "untouched");
    await symlink(join(folder, "other"), path);
    expect(await copies.restore(0)).toMatchObject({ restored: [], failed: [path] });
    expect(await readFile(join(folder, "other"), "utf8")).toBe("untouched");
    await copies.keep(join(folder, "plan.md"));
    expect(await copies.since(0)).toEqual([path]);
  });
});
