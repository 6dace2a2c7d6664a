import { appendFile, mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Message } from "@palimpsest/core";
import { encodeLine } from "@palimpsest/core/engine";
import { conversationBuilder } from "@palimpsest/core/testing";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { createJsonlStore } from "./store.js";

let directory = "";
beforeEach(async () => {
  directory = await mkdtemp(join(tmpdir(), "palimpsest-damage-"));
});
afterEach(() => rm(directory, { recursive: true, force: true }));

const path = (): string => join(directory, "c.jsonl");
const line = (message: Message): string => `${encodeLine(message)}\n`;
const store = () => createJsonlStore({ directory });

describe("damaged lines", () => {
  it("are reported with number and offset, and nothing else is lost", async () => {
    const talk = conversationBuilder();
    const [one, two, three] = [talk.user("öne"), talk.assistant("two"), talk.user("three")];
    const parts = [line(one), "\n", '{"type":"user"\n', "\r\n", line(two), "[1]\n", '{"x":1}\n', line(three)];
    await writeFile(path(), parts.join(""));
    const offset = (index: number): number => Buffer.byteLength(parts.slice(0, index).join(""));
    const damaged = [
      { line: 3, offset: offset(2), reason: "not valid JSON" },
      { line: 6, offset: offset(5), reason: "not a JSON object" },
      { line: 7, offset: offset(6), reason: "no type" },
    ];
    expect(await store().readAll("c")).toEqual({ messages: [one, two, three], damaged });
    expect(await store().readLive("c")).toEqual({ messages: [one, two, three], damaged });
  });

  it("bytes that are no UTF-8 damage their line alone", async () => {
    const talk = conversationBuilder();
    const [one, two] = [talk.user("one"), talk.user("two")];
    const broken = Buffer.from(line(talk.user("br#ken")));
    broken[broken.indexOf("#")] = 0xff;
    await writeFile(path(), Buffer.concat([Buffer.from(line(one)), broken, Buffer.from(line(two))]));
    const damaged = [{ line: 2, offset: Buffer.byteLength(line(one)), reason: "not valid UTF-8" }];
    expect(await store().readAll("c")).toEqual({ messages: [one, two], damaged });
    expect((await store().readLive("c")).damaged).toEqual(damaged);
  });

  it("behind the boundary are numbered from the file's start", async () => {
    const talk = conversationBuilder();
    const old = Array.from({ length: 5000 }, () => line(talk.user("x".repeat(500)))).join("");
    const [boundary, summary] = talk.compaction();
    const next = talk.user("next");
    await writeFile(path(), `${old}${line(boundary)}broken\n${line(summary)}${line(next)}`);
    const { messages, damaged } = await store().readLive("c");
    expect(messages).toEqual([boundary, summary, next]);
    expect(damaged).toEqual([
      { line: 5002, offset: Buffer.byteLength(`${old}${line(boundary)}`), reason: "not valid JSON" },
    ]);
  });

  it("within a kept segment cost only themselves", async () => {
    const talk = conversationBuilder();
    const kept = [talk.user("one"), talk.assistant("two"), talk.user("three")] as const;
    const compaction = talk.compaction({ head: kept[0], tail: kept[2], place: "after-summary" });
    const writer = await store().open("c");
    await writer.append([...kept, ...compaction]);
    await writer.close();
    const bytes = await readFile(path());
    bytes[bytes.indexOf("two")] = 0xff;
    await writeFile(path(), bytes);
    const { messages, damaged } = await store().readLive("c");
    expect(messages.map(({ uuid }) => uuid)).toEqual(
      [...compaction, kept[0], kept[2]].map(({ uuid }) => uuid),
    );
    expect(damaged.map((damage) => damage.line)).toEqual([2]);
  });

  it("line ends of Windows and a byte order mark are none", async () => {
    const talk = conversationBuilder();
    const [one, two] = [talk.user("one"), talk.user("two")];
    await writeFile(path(), `\ufeff${encodeLine(one)}\r\n${encodeLine(two)}\r\n`);
    expect(await store().readAll("c")).toEqual({ messages: [one, two], damaged: [] });
    expect(await store().readLive("c")).toEqual({ messages: [one, two], damaged: [] });
  });

  it("a line of 50 MB of characters of many bytes is read from both ends", async () => {
    const talk = conversationBuilder();
    const messages = [talk.user("one"), talk.user("ä漢👩".repeat(5_600_000)), talk.user("three")];
    await writeFile(path(), messages.map(line).join(""));
    expect((await store().readAll("c")).messages).toEqual(messages);
    expect((await store().readLive("c")).messages).toEqual(messages);
  });
});

describe("an unfinished last line", () => {
  const talk = conversationBuilder();
  const [one, two] = [talk.user("one"), talk.user("twö")];
  const torn = Buffer.from(encodeLine(two)).subarray(0, -4);
  const next = talk.assistant("three");

  async function writeNext(): Promise<string> {
    const writer = await store().open("c");
    await writer.append([next]);
    await writer.close();
    return readFile(path(), "utf8");
  }

  it.each([
    ["torn", torn],
    ["torn within a character", Buffer.from(encodeLine(two)).subarray(0, encodeLine(two).indexOf("ö") + 1)],
    ["of zeros, as after a power failure", Buffer.alloc(5000)],
    ["of blanks", Buffer.from("   ")],
    ["longer than several chunks", Buffer.from(`{"type":"user","text":"${"x".repeat(3_000_000)}`)],
  ])("%s: ignored by readers, cut off by the next writer", async (_name, tail) => {
    await writeFile(path(), Buffer.concat([Buffer.from(line(one)), tail]));
    expect(await store().readAll("c")).toEqual({ messages: [one], damaged: [] });
    expect(await store().readLive("c")).toEqual({ messages: [one], damaged: [] });
    expect(await writeNext()).toBe(line(one) + line(next));
  });

  it("alone in its file is cut off too", async () => {
    await writeFile(path(), torn);
    expect(await store().readAll("c")).toEqual({ messages: [], damaged: [] });
    expect(await store().readLive("c")).toEqual({ messages: [], damaged: [] });
    expect(await writeNext()).toBe(line(next));
  });

  it("that is whole but for its line break is read, and completed by the next writer", async () => {
    await writeFile(path(), line(one) + encodeLine(two));
    expect(await store().readAll("c")).toEqual({ messages: [one, two], damaged: [] });
    expect(await store().readLive("c")).toEqual({ messages: [one, two], damaged: [] });
    expect(await writeNext()).toBe(line(one) + line(two) + line(next));
  });

  it("appears to a reader while another process writes, and harms nothing", async () => {
    const writer = await store().open("c");
    await writer.append([one]);
    await appendFile(path(), torn);
    expect(await store().readLive("c")).toEqual({ messages: [one], damaged: [] });
    await writer.close();
  });
});
