import { mkdtemp, readdir, readFile, rm, stat, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, it } from "vitest";
import { createOverflowFiles } from "./overflow-files.js";

let root: string;
beforeEach(async () => {
  root = await mkdtemp(join(tmpdir(), "palimpsest-overflow-"));
});
afterEach(() => rm(root, { recursive: true, force: true }));

const about = { name: "message", uuid: "../../etc/passwd" } as const;

it("every text has a file of its own, which nobody else can read", async () => {
  const directory = join(root, "made", "when needed");
  const { keep } = createOverflowFiles(directory);
  const texts = ["one", "two\n", "😀"];
  const paths: string[] = [];
  for (const text of texts) paths.push(await keep(text, about));
  paths.push(await keep("three", { ...about, name: "result" }));
  expect(await readdir(directory)).toEqual(["message-2.txt", "message-3.txt", "message.txt", "result.txt"]);
  expect(await Promise.all(paths.map((path) => readFile(path, "utf8")))).toEqual([...texts, "three"]);
  for (const path of [directory, ...paths]) expect((await stat(path)).mode & 0o077).toBe(0);
});

it("never writes through a link, and says when it cannot write", async () => {
  const outside = join(root, "outside.txt");
  await writeFile(outside, "mine");
  await symlink(outside, join(root, "message.txt"));
  expect(await createOverflowFiles(root).keep("text", about)).toBe(join(root, "message-2.txt"));
  expect(await readFile(outside, "utf8")).toBe("mine");
  await expect(createOverflowFiles(outside).keep("text", about)).rejects.toThrow();
});
