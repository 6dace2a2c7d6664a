import {
  chmod,
  mkdir,
  mkdtemp,
  readdir,
  readFile,
  rm,
  stat,
  symlink,
  utimes,
  writeFile,
} from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Message } from "@palimpsest/core";
import { encodeLine } from "@palimpsest/core/engine";
import { conversationBuilder } from "@palimpsest/core/testing";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { createJsonlStore } from "./store.js";

let directory = "";
beforeEach(async () => {
  directory = await mkdtemp(join(tmpdir(), "palimpsest-store-"));
});
afterEach(() => rm(directory, { recursive: true, force: true }));

const permissions = async (path: string): Promise<string> => ((await stat(path)).mode & 0o777).toString(8);

describe("the files of a jsonl store", () => {
  it("are their owner's alone", async () => {
    const own = join(directory, "made", "here");
    const writer = await createJsonlStore({ directory: own }).open("c");
    expect(await permissions(own)).toBe("700");
    expect(await permissions(join(directory, "made"))).toBe("700");
    expect(await permissions(join(own, "c.jsonl"))).toBe("600");
    expect(await permissions(join(own, "c.lock"))).toBe("600");
    await writer.close();
  });

  it("are one message a line, each with its line break, and nothing is left beside them", async () => {
    const talk = conversationBuilder();
    const messages = [talk.user("one"), talk.assistant("two\nlines")];
    const writer = await createJsonlStore({ directory }).open("c");
    await writer.append(messages);
    await writer.close();
    const text = await readFile(join(directory, "c.jsonl"), "utf8");
    expect(text).toBe(messages.map((message) => `${encodeLine(message)}\n`).join(""));
    expect(await readdir(directory)).toEqual(["c.jsonl"]);
  });

  it("keep entries of types that nobody knows", async () => {
    const talk = conversationBuilder();
    const snapshot = '{"type":"file-history-snapshot","snapshot":{"b":1,"a":[]}}\n';
    const one = talk.user("one");
    await writeFile(join(directory, "c.jsonl"), `${snapshot}${encodeLine(one)}\n`);
    const writer = await createJsonlStore({ directory }).open("c");
    await writer.append([JSON.parse(snapshot) as Message]);
    await writer.close();
    const text = await readFile(join(directory, "c.jsonl"), "utf8");
    expect(text).toBe(`${snapshot}${encodeLine(one)}\n${snapshot}`);
    expect((await createJsonlStore({ directory }).readLive("c")).messages).toEqual([one]);
  });
});

describe("list", () => {
  it("gives sizes and times, newest first, and ignores locks and strangers", async () => {
    const store = createJsonlStore({ directory });
    const message = conversationBuilder().user("one");
    for (const id of ["old", "new", "middle"]) {
      const writer = await store.open(id);
      await writer.append([message]);
      await writer.close();
    }
    for (const [id, seconds] of Object.entries({ old: 100, middle: 200, new: 300 })) {
      await utimes(join(directory, `${id}.jsonl`), seconds, seconds);
    }
    await Promise.all([
      writeFile(join(directory, "notes.txt"), "x"),
      writeFile(join(directory, ".hidden.jsonl"), "x"),
      writeFile(join(directory, ".jsonl"), "x"),
      writeFile(join(directory, "spa ce.jsonl"), "x"),
      writeFile(join(directory, "old.lock"), "x"),
      mkdir(join(directory, "folder.jsonl")),
      symlink(join(directory, "nowhere"), join(directory, "dangling.jsonl")),
    ]);
    const bytes = Buffer.byteLength(encodeLine(message)) + 1;
    expect(await store.list()).toEqual([
      { id: "new", updatedAt: 300_000, bytes },
      { id: "middle", updatedAt: 200_000, bytes },
      { id: "old", updatedAt: 100_000, bytes },
    ]);
  });

  it("of a directory that is not there is empty, and makes none", async () => {
    const missing = join(directory, "missing");
    expect(await createJsonlStore({ directory: missing }).list()).toEqual([]);
    expect(await readdir(directory)).toEqual([]);
  });
});

describe("errors", () => {
  it("say what is missing, and where", async () => {
    await expect(createJsonlStore({ directory }).readAll("nobody")).rejects.toThrow(
      `There is no conversation nobody in ${directory}.`,
    );
  });

  it("of a directory in the place of a file are the store's own", async () => {
    await mkdir(join(directory, "c.jsonl"));
    const store = createJsonlStore({ directory });
    for (const attempt of [() => store.readAll("c"), () => store.readLive("c"), () => store.open("c")]) {
      await expect(attempt()).rejects.toMatchObject({
        name: "TranscriptError",
        code: "io",
        cause: { code: "EISDIR" },
      });
    }
    expect(await readdir(directory)).toEqual(["c.jsonl"]);
  });

  it("of a file in the place of the directory are the store's own", async () => {
    const file = join(directory, "file");
    await writeFile(file, "");
    const store = createJsonlStore({ directory: file });
    for (const attempt of [() => store.readAll("c"), () => store.open("c"), () => store.list()]) {
      await expect(attempt()).rejects.toMatchObject({ name: "TranscriptError", code: "io" });
    }
  });

  it.skipIf(process.getuid?.() === 0)(
    "of a directory that may not be written (not as root, who may)",
    async () => {
      await chmod(directory, 0o500);
      await expect(createJsonlStore({ directory }).open("c")).rejects.toThrow(/check who may write there/);
      await chmod(directory, 0o700);
    },
  );
});
