import { mkdir, mkdtemp, readdir, rm, stat, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, it } from "vitest";
import { createOverageFile } from "./overage-file.js";

const HOUR = 60 * 60 * 1000;
const START = Date.UTC(2026, 10, 15, 10);

let folder: string;
let path: string;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "palimpsest-overage-"));
  path = join(folder, "data", "overage.json");
});
afterEach(() => rm(folder, { recursive: true }));

it("gives back what was said last, privately, and leaves nothing beside it", async () => {
  const file = createOverageFile(path, () => START);
  expect(await file.load()).toBeUndefined();
  await file.save(true);
  expect(await file.load()).toBe(true);
  await file.save(false);
  expect(await file.load()).toBe(false);
  expect((await stat(path)).mode & 0o777).toBe(0o600);
  expect(await readdir(join(folder, "data"))).toEqual(["overage.json"]);
});

it("says nothing once a quota may have begun anew, nor of one that lies ahead", async () => {
  await createOverageFile(path, () => START).save(true);
  const loaded = (hours: number) => createOverageFile(path, () => START + hours * HOUR).load();
  expect(await loaded(4.9)).toBe(true);
  expect(await loaded(5)).toBeUndefined();
  expect(await loaded(-1)).toBeUndefined();
});

it.each(["", "{", "null", "[]", '{"isInOverage":true}', `{"isInOverage":"yes","at":${START}}`])(
  "counts a file that holds %j as none",
  async (content) => {
    await mkdir(join(folder, "data"));
    await writeFile(path, content);
    expect(await createOverageFile(path, () => START).load()).toBeUndefined();
  },
);

it("that cannot be written harms nobody", async () => {
  await mkdir(path, { recursive: true });
  const file = createOverageFile(path, () => START);
  await expect(file.save(true)).resolves.toBeUndefined();
  expect(await file.load()).toBeUndefined();
});
