import { appendFile, copyFile, mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import fc from "fast-check";
import { isCompactBoundary, type CompactBoundary, type Message } from "@palimpsest/core";
import { conversationBuilder, type ConversationBuilder } from "@palimpsest/core/testing";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { nodeFileSystem, type FileSystem, type OpenFile } from "./jsonl/file-system.js";
import { createJsonlStore } from "./jsonl/store.js";
import { createMemoryStore } from "./memory.js";

let directory = "";
beforeEach(async () => {
  directory = await mkdtemp(join(tmpdir(), "palimpsest-words-"));
});
afterEach(() => rm(directory, { recursive: true, force: true }));

const path = (id = "c"): string => join(directory, `${id}.jsonl`);
const store = () => createJsonlStore({ directory });

interface Entry {
  readonly uuid: string;
  readonly text?: string;
}

function compaction(talk: ConversationBuilder, humanMessages: readonly Entry[]): readonly Message[] {
  const [boundary, summary] = talk.compaction();
  return [
    {
      ...boundary,
      compactMetadata: { ...boundary.compactMetadata, humanMessages, messagesSummarized: 7 },
    } as CompactBoundary,
    summary,
  ];
}

const listed = (messages: readonly Message[]): readonly Entry[] =>
  messages
    .filter(isCompactBoundary)
    .flatMap(({ compactMetadata }) => (compactMetadata?.["humanMessages"] ?? []) as readonly Entry[]);

async function append(...batches: readonly (readonly Message[])[]): Promise<void> {
  const writer = await store().open("c");
  for (const batch of batches) await writer.append(batch);
  await writer.close();
}

/** Somebody talks, and is compacted again and again: each boundary lists all that was said before it. */
async function compactedOften(count: number, words = 2000): Promise<readonly Entry[]> {
  const talk = conversationBuilder();
  const said: Entry[] = [];
  for (let round = 0; round < count; round += 1) {
    const text = `${round} ${"word ".repeat(words)}`.trim();
    const message = talk.user(text);
    said.push({ uuid: message.uuid, text });
    await append([message, talk.assistant("a".repeat(50_000))], compaction(talk, [...said]));
  }
  await append([talk.user("the newest")]);
  return said;
}

/** Reads the live messages, and counts the bytes that this took. */
async function readCounted(): Promise<{ readonly messages: readonly Message[]; readonly bytes: number }> {
  let bytes = 0;
  const counted = (file: OpenFile): OpenFile => ({
    read: async (...parameters) => {
      const result = await file.read(...parameters);
      bytes += result.bytesRead;
      return result;
    },
    write: (...parameters) => file.write(...parameters),
    truncate: (length) => file.truncate(length),
    datasync: () => file.datasync(),
    sync: () => file.sync(),
    stat: () => file.stat(),
    close: () => file.close(),
  });
  const fileSystem: FileSystem = {
    ...nodeFileSystem,
    open: async (...parameters) => counted(await nodeFileSystem.open(...parameters)),
  };
  const { messages } = await createJsonlStore({ directory, fileSystem }).readLive("c");
  return { messages, bytes };
}

describe("what people said, in the boundaries of a transcript", () => {
  it("is stored once beside the message itself, however often it is compacted", async () => {
    const said = await compactedOften(12);
    const words = said.reduce((sum, { text = "" }) => sum + text.length, 0);
    const bytes = (await readFile(path())).length;
    expect(bytes).toBeLessThan(2 * words + 12 * 51_000 + 12 * 1500);
    expect(listed((await store().readLive("c")).messages)).toEqual(said);
  });

  it("is resumed at the price of the tail and the words, not of the file", async () => {
    const said = await compactedOften(12);
    const words = said.reduce((sum, { text = "" }) => sum + text.length, 0);
    const { messages, bytes } = await readCounted();
    expect(listed(messages)).toEqual(said);
    expect(bytes).toBeLessThan(words + 64 * 1024 + 12 * 1500);
  });

  it("is found where the file was changed before it, and copied", async () => {
    const said = await compactedOften(4);
    const content = await readFile(path(), "utf8");
    const stranger = JSON.stringify({ type: "note", of: "another program" });
    await writeFile(path(), `${stranger}\n${content}`);
    expect(listed((await store().readLive("c")).messages)).toEqual(said);
    await copyFile(path(), path("copy"));
    expect(listed((await store().readLive("copy")).messages)).toEqual(said);
  });

  it("is not lost with a boundary whose line is damaged: it is taken from the messages", async () => {
    const said = await compactedOften(4);
    const lines = (await readFile(path(), "utf8")).split("\n");
    const damaged = lines.map((line, at) =>
      line.includes('"compact_boundary"') && at < 8 ? line.slice(0, 40) : line,
    );
    await writeFile(path(), damaged.join("\n"));
    const { messages } = await store().readLive("c");
    expect(listed(messages)).toEqual(said);
    // What comes next does not rely on what is gone.
    const talk = conversationBuilder({ sessionId: "later" });
    await append(compaction(talk, said));
    expect(listed((await store().readLive("c")).messages)).toEqual(said);
  });

  it("of a transcript that lost its beginning is what is left of it", async () => {
    const said = await compactedOften(4);
    const lines = (await readFile(path(), "utf8")).split("\n");
    const second = lines.findIndex((line) => line.includes('"compact_boundary"')) + 2;
    await writeFile(path(), lines.slice(second).join("\n"));
    expect(listed((await store().readLive("c")).messages)).toEqual(said.slice(1));
  });

  it("is read from transcripts in which every boundary holds all of it", async () => {
    const talk = conversationBuilder();
    const said = ["one", "two"].map((text) => ({ uuid: talk.user(text).uuid, text }));
    const old = [...compaction(talk, said.slice(0, 1)), talk.user("between"), ...compaction(talk, said)];
    await writeFile(path(), `${old.map((message) => JSON.stringify(message)).join("\n")}\n`);
    expect(listed((await store().readLive("c")).messages)).toEqual(said);
    const more = { uuid: "more", text: "three" };
    await append(compaction(talk, [...said, more]));
    const last = (await readFile(path(), "utf8")).trim().split("\n").at(-2) ?? "";
    expect(last).not.toContain('"one"');
    expect(listed((await store().readLive("c")).messages)).toEqual([...said, more]);
  });

  it("stays in a subagent's own boundary, and goes to another file whole", async () => {
    const said = await compactedOften(3);
    const [boundary, summary] = (await store().readLive("c")).messages;
    if (boundary === undefined || summary === undefined) throw new Error("nothing is live");
    await append([{ ...boundary, uuid: "beside", isSidechain: true }]);
    const beside = (await readFile(path(), "utf8")).trim().split("\n").at(-1) ?? "";
    expect(JSON.parse(beside)).toMatchObject({ compactMetadata: { humanMessages: said } });
    const writer = await store().open("branch");
    await writer.append([boundary, summary]);
    await writer.close();
    expect(listed((await store().readLive("branch")).messages)).toEqual(said);
  });

  it("that a hostile file refers to makes no long list of a short line, and no loop", async () => {
    const talk = conversationBuilder();
    const [boundary, summary] = compaction(talk, [
      { uuid: "a", text: "first" },
      { uuid: "b", text: "second" },
    ]) as [CompactBoundary, Message];
    const referring = (uuid: string, earlierTexts: unknown, humanMessages: readonly unknown[]) => ({
      ...boundary,
      uuid,
      compactMetadata: { ...boundary.compactMetadata, humanMessages, earlierTexts },
    });
    const run = { earlier: [0, 2] };
    const cases: readonly (readonly [unknown, readonly unknown[]])[] = [
      [{ boundaryUuid: "x", count: 2, byteRange: { start: 0, end: 5 } }, [run]],
      [{ boundaryUuid: boundary.uuid, count: 2, byteRange: { start: -1, end: 1e12 } }, [run]],
      [{ boundaryUuid: boundary.uuid, count: 1e15 }, [{ earlier: [0, 1e15] }]],
      [{ boundaryUuid: boundary.uuid, count: 2 }, Array.from({ length: 2000 }, () => run)],
      [{ boundaryUuid: boundary.uuid, count: 2 }, [{ earlier: [1, 0] }, { earlier: "x" }, null, 7]],
      ["text", [run]],
    ];
    for (const [earlierTexts, humanMessages] of cases) {
      const lines = [boundary, summary, referring("x", earlierTexts, humanMessages)];
      await writeFile(path(), `${lines.map((line) => JSON.stringify(line)).join("\n")}\n`);
      const { messages, damaged } = await store().readLive("c");
      expect(damaged).toEqual([]);
      expect(messages.map(({ uuid }) => uuid)).toEqual(["x"]);
      expect(listed(messages).length).toBeLessThan(10);
      expect((await store().readAll("c")).messages).toHaveLength(3);
    }
  });

  it("is whole after a crash that tore the last boundary", async () => {
    const said = await compactedOften(3);
    const talk = conversationBuilder({ sessionId: "later" });
    const [boundary] = compaction(talk, said);
    await appendFile(path(), JSON.stringify(boundary).slice(0, -200));
    await append(compaction(talk, [...said, { uuid: "more", text: "four" }]));
    const { messages, damaged } = await store().readLive("c");
    expect(damaged).toEqual([]);
    expect(listed(messages)).toEqual([...said, { uuid: "more", text: "four" }]);
  });
});

const entry = fc.record(
  { uuid: fc.constantFrom("a", "b", "c", "d", "e", "f"), text: fc.constantFrom("x", "y", "", "__proto__") },
  { requiredKeys: ["uuid"] },
);
const odd = fc.constantFrom<unknown>(
  null,
  7,
  { uuid: 3 },
  { uuid: "a", text: "x", more: 1 },
  { earlier: [0, 1] },
);

it("comes back from every store as it was appended, whatever the boundaries list", async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(
        fc.record({
          list: fc.array(fc.oneof({ weight: 12, arbitrary: entry }, { weight: 1, arbitrary: odd }), {
            maxLength: 8,
          }),
          isSidechain: fc.boolean(),
          isReopened: fc.boolean(),
          batch: fc.constantFrom("with the next", "alone"),
        }),
        { minLength: 1, maxLength: 6 },
      ),
      async (steps) => {
        const talk = conversationBuilder();
        const file = createJsonlStore({ directory: await mkdtemp(join(directory, "p-")) });
        for (const tried of [createMemoryStore(), file]) {
          const appended: Message[] = [];
          let writer = await tried.open("c");
          let batch: Message[] = [];
          for (const { list, isSidechain, isReopened, batch: when } of steps) {
            const [boundary, summary] = compaction(talk, list as readonly Entry[]);
            if (boundary === undefined || summary === undefined) continue;
            batch.push(
              isSidechain && list.length % 3 === 0 ? { ...boundary, isSidechain } : boundary,
              summary,
            );
            if (when === "with the next") continue;
            await writer.append(batch);
            appended.push(...batch);
            batch = [];
            if (!isReopened) continue;
            await writer.close();
            writer = await tried.open("c");
          }
          await writer.append(batch);
          appended.push(...batch);
          await writer.close();
          const { messages } = await tried.readAll("c");
          expect(JSON.stringify(messages)).toBe(JSON.stringify(appended));
          const last = appended.findLast(
            (message) => isCompactBoundary(message) && message.isSidechain !== true,
          );
          const live = (await tried.readLive("c")).messages.filter(isCompactBoundary);
          if (last !== undefined) expect(JSON.stringify(live)).toBe(JSON.stringify([last]));
        }
      },
    ),
    { numRuns: 300 },
  );
});
