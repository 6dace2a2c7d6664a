import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, it } from "vitest";
import { createJsonState } from "./json-state.js";

let folder = "";
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "palimpsest-state-"));
});
afterAll(() => rm(folder, { recursive: true, force: true }));

const isText = (item: unknown): item is string => typeof item === "string";

it("has again what was saved last", async () => {
  const path = join(folder, "deep", "list.json");
  const state = createJsonState(path, isText);
  expect(await state.load()).toEqual([]);
  const saves = [["a"], ["a", "b"], ["c"]].map((list) => state.save(list));
  await Promise.all(saves);
  await state.idle();
  expect(await createJsonState(path, isText).load()).toEqual(["c"]);
});

it("leaves out what is none of its own, and bears a broken file", async () => {
  const path = join(folder, "hostile.json");
  await writeFile(path, '["a", 1, null, {"b": 2}]');
  expect(await createJsonState(path, isText).load()).toEqual(["a"]);
  await writeFile(path, "[ not json");
  expect(await createJsonState(path, isText).load()).toEqual([]);
});

it("rejects where it cannot save, and goes on afterwards", async () => {
  const blocked = join(folder, "file");
  await writeFile(blocked, "");
  const state = createJsonState(join(blocked, "list.json"), isText);
  await expect(state.save(["a"])).rejects.toThrow();
  await state.idle();
  expect(await readFile(blocked, "utf8")).toBe("");
});
