import { noGapHistory } from "@palimpsest/core/engine";
import { mkdtemp, readdir, stat, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, it } from "vitest";
import { createGapHistoryFile } from "./gap-history-file.js";

const folder = (): Promise<string> => mkdtemp(join(tmpdir(), "palimpsest-gaps-"));

it("gives back what was saved, privately, and leaves nothing beside it", async () => {
  const directory = await folder();
  const path = join(directory, "data", "gaps.json");
  const store = createGapHistoryFile(path);
  expect(await store.load()).toBeUndefined();
  await Promise.all([store.save(noGapHistory), store.save(noGapHistory)]);
  expect(await store.load()).toEqual(noGapHistory);
  expect((await stat(path)).mode & 0o777).toBe(0o600);
  expect(await readdir(join(directory, "data"))).toEqual(["gaps.json"]);
});

it.each(["", "{", "[]", '{"version":99}', "null"])("counts a file that holds %j as none", async (content) => {
  const path = join(await folder(), "gaps.json");
  await writeFile(path, content);
  expect(await createGapHistoryFile(path).load()).toBeUndefined();
});
