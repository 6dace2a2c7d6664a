import type { BreakDiff, BreakDiffStore } from "@palimpsest/core/engine";
import { chmod, mkdir, mkdtemp, readdir, readFile, rm, stat, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, it } from "vitest";
import { createBreakDiffDirectory } from "./break-diffs.js";

let home = "";
beforeEach(async () => {
  home = await mkdtemp(join(tmpdir(), "palimpsest-break-diffs-"));
});
afterEach(() => rm(home, { recursive: true, force: true }));

const diff = (change: Partial<BreakDiff> = {}): BreakDiff => ({
  id: "1-repl_main_thread",
  at: Date.UTC(2026, 10, 15, 10, 0, 0, 7),
  text: "what changed",
  ...change,
});
const directory = (): string => join(home, "deep", "breaks");
const storeOf = (options: object = {}): BreakDiffStore =>
  createBreakDiffDirectory({ directory: directory(), ...options });

it("writes for its owner alone, under a name with the time", async () => {
  const store = createBreakDiffDirectory({ directory: directory() });
  await store.save(diff());
  const [name] = await readdir(directory());
  expect(name).toBe("cache-break-20261115T100000007Z-1-repl_main_thread.txt");
  const path = join(directory(), name ?? "");
  expect(store.pathOf(diff())).toBe(path);
  expect(await readFile(path, "utf8")).toBe("what changed");
  expect((await stat(path)).mode & 0o777).toBe(0o600);
  expect((await stat(directory())).mode & 0o777).toBe(0o700);
});

it("an id cannot lead out of the directory", async () => {
  await storeOf().save(diff({ id: "../../etc/passwd\u0000\n", at: Number.NaN }));
  expect(await readdir(directory())).toEqual(["cache-break-19700101T000000000Z-_etc_passwd_.txt"]);
  expect(await readdir(home)).toEqual(["deep"]);
});

it("keeps the newest, also when they are saved at once, and touches nothing else", async () => {
  await mkdir(directory(), { recursive: true });
  await writeFile(join(directory(), "mine.txt"), "keep");
  const store = storeOf({ maxFiles: 3 });
  await Promise.all([1, 2, 3, 4, 5].map((at) => store.save(diff({ at, text: `${at}` }))));
  const names = (await readdir(directory())).toSorted();
  expect(names).toHaveLength(4);
  expect(names.at(-1)).toBe("mine.txt");
  const texts = await Promise.all(names.slice(0, 3).map((name) => readFile(join(directory(), name), "utf8")));
  expect(texts).toEqual(["3", "4", "5"]);
  await storeOf({ maxFiles: 0 }).save(diff());
  expect(await readdir(directory())).toHaveLength(4);
});

it("two of the same time and id are two files", async () => {
  await storeOf().save(diff({ text: "a" }));
  await storeOf().save(diff({ text: "b" }));
  const names = (await readdir(directory())).toSorted();
  expect(await Promise.all(names.map((name) => readFile(join(directory(), name), "utf8")))).toEqual([
    "b",
    "a",
  ]);
});

it("cuts what is too long, and no character apart", async () => {
  await storeOf({ maxBytes: 5 }).save(diff({ text: "aäöü" }));
  const [name] = await readdir(directory());
  expect(await readFile(join(directory(), name ?? ""), "utf8")).toBe("aäö");
});

it("writes through no link, neither that of a file nor that of the directory", async () => {
  const outside = join(home, "outside");
  await mkdir(outside);
  await writeFile(join(outside, "victim"), "untouched");
  await storeOf().save(diff());
  const [name] = await readdir(directory());
  await rm(join(directory(), name ?? ""));
  await symlink(join(outside, "victim"), join(directory(), name ?? ""));
  await storeOf().save(diff({ text: "private" }));
  expect(await readFile(join(outside, "victim"), "utf8")).toBe("untouched");

  const linked = join(home, "linked");
  await symlink(outside, linked);
  await expect(createBreakDiffDirectory({ directory: linked }).save(diff())).rejects.toThrow("is a link");
  expect(await readdir(outside)).toEqual(["victim"]);
});

it("a failure is told, and the next save works again", async () => {
  await writeFile(join(home, "deep"), "in the way");
  const store = storeOf();
  await expect(store.save(diff())).rejects.toThrow();
  await rm(join(home, "deep"));
  await store.save(diff());
  expect(await readdir(directory())).toHaveLength(1);
  if (process.getuid?.() !== 0) {
    await chmod(directory(), 0o500);
    await expect(store.save(diff({ at: 1 }))).rejects.toThrow();
    await chmod(directory(), 0o700);
  }
});
