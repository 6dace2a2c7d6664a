import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { delimiter, join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { corpusFolders } from "./corpus-folders.js";
import { findRecordings } from "./find-recordings.js";

let directory = "";
const at = (...names: readonly string[]): string => join(directory, ...names);
const line = (said: string): string =>
  `${JSON.stringify({ type: "user", uuid: said, parentUuid: null, sessionId: "s", timestamp: "", message: { role: "user", content: said } })}\n`;

beforeAll(async () => {
  directory = await mkdtemp(join(tmpdir(), "palimpsest-find-"));
  for (const folder of ["few", "more", "none", "deep/b/2026", "deep/a", "deep/.hidden", "few/agents"]) {
    await mkdir(at(folder), { recursive: true });
  }
  await writeFile(at("deep", "b", "2026", "y.jsonl"), line("y"));
  await writeFile(at("deep", "a", "x.jsonl"), line("x"));
  await writeFile(at("deep", ".hidden", "z.jsonl"), line("z"));
  await writeFile(at("few", "agents", "sub.jsonl"), line("sub"));
  await writeFile(at("few", "a.jsonl"), line("one"));
  await writeFile(at("few", "b.jsonl"), line("two"));
  await writeFile(at("more", "c.jsonl"), line("one"));
  await writeFile(at("more", "d.jsonl"), line("six"));
  await writeFile(at("more", "MANIFEST.json"), "[]");
  await writeFile(at("more", "export.json"), JSON.stringify({ info: {}, messages: [] }));
});
afterAll(() => rm(directory, { recursive: true, force: true }));

describe("recordings of several folders", () => {
  it("are there once each: the same conversation in another folder is not counted again", async () => {
    const { files, same, failed } = await findRecordings([at("few"), at("more")]);
    expect(files).toEqual([at("few", "a.jsonl"), at("few", "b.jsonl"), at("more", "d.jsonl")]);
    expect(same).toEqual([{ file: at("more", "c.jsonl"), as: at("few", "a.jsonl") }]);
    expect(failed).toEqual([]);
  });

  it("are all there where they were named, whatever they hold", async () => {
    const { files, same } = await findRecordings([at("few", "a.jsonl"), at("more", "c.jsonl"), at("few")]);
    expect(files).toEqual([at("few", "a.jsonl"), at("more", "c.jsonl"), at("few", "b.jsonl")]);
    expect(same).toEqual([]);
  });

  it("are those of the folders inside, where a folder has none of its own", async () => {
    const { files, failed } = await findRecordings([at("deep")]);
    expect(files).toEqual([at("deep", "a", "x.jsonl"), at("deep", "b", "2026", "y.jsonl")]);
    expect(failed).toEqual([]);
  });

  it("do not stop at a folder without any, or a file that is not there", async () => {
    const { files, failed } = await findRecordings([at("none"), at("few", "lost.jsonl"), at("more")]);
    expect(files).toEqual([at("few", "lost.jsonl"), at("more", "c.jsonl"), at("more", "d.jsonl")]);
    expect(failed.map(({ file }) => file)).toEqual([at("none")]);
  });
});

it("folders are named as in PATH", () => {
  expect(corpusFolders(undefined)).toEqual([]);
  expect(corpusFolders("")).toEqual([]);
  expect(corpusFolders("/a")).toEqual(["/a"]);
  expect(corpusFolders(["/a", "", " ", "/b c"].join(delimiter))).toEqual(["/a", "/b c"]);
});
