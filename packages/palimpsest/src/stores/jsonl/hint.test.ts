import { mkdtemp, readFile, rm, stat, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { isCompactBoundary, type Message, type PreservedSegment } from "@palimpsest/core";
import { liveMessages } from "@palimpsest/core/engine";
import { conversationBuilder } from "@palimpsest/core/testing";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { nodeFileSystem, type FileSystem, type OpenFile } from "./file-system.js";
import { createJsonlStore } from "./store.js";

const CHUNK = 64 * 1024;

let directory = "";
beforeEach(async () => {
  directory = await mkdtemp(join(tmpdir(), "palimpsest-hint-"));
});
afterEach(() => rm(directory, { recursive: true, force: true }));

const path = (): string => join(directory, "c.jsonl");

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

async function write(...batches: readonly (readonly Message[])[]): Promise<void> {
  const writer = await createJsonlStore({ directory }).open("c");
  for (const batch of batches) await writer.append(batch);
  await writer.close();
}

async function storedSegments(): Promise<readonly PreservedSegment[]> {
  const { messages } = await createJsonlStore({ directory }).readAll("c");
  return messages.flatMap((message) =>
    isCompactBoundary(message) ? (message.compactMetadata?.preservedSegment ?? []) : [],
  );
}

const uuids = (messages: readonly Message[]): readonly string[] => messages.map(({ uuid }) => uuid);

const lengthOf = (messages: readonly Message[]): number =>
  messages.reduce((sum, message) => sum + Buffer.byteLength(JSON.stringify(message)) + 1, 0);

type Talk = ReturnType<typeof conversationBuilder>;
const chatter = (talk: Talk, count: number): readonly Message[] =>
  Array.from({ length: count }, (_, index) =>
    index % 2 === 0 ? talk.user("q".repeat(2000)) : talk.assistant("a".repeat(2000)),
  );

/** A kept prefix at the start of a long file, and what has to come back. */
async function longConversation(): Promise<readonly Message[]> {
  const talk = conversationBuilder();
  const before = chatter(talk, 500);
  const first = talk.compaction();
  const kept = chatter(talk, 20);
  const between = chatter(talk, 1500);
  const [head, tail] = [kept[0], kept.at(-1)];
  if (head === undefined || tail === undefined) throw new Error("nothing kept");
  const second = talk.compaction({ head, tail, place: "before-boundary" });
  const next = chatter(talk, 10);
  const all = [...before, ...first, ...kept, ...between, ...second, ...next];
  await write(all);
  return liveMessages(all);
}

/** Changes the hint of the last boundary in the file; the other lines keep their places. */
async function changeHint(change: (segment: PreservedSegment) => unknown): Promise<void> {
  const lines = (await readFile(path(), "utf8")).split("\n");
  const at = lines.findLastIndex((line) => line.includes('"compact_boundary"'));
  const boundary = JSON.parse(lines[at] ?? "") as {
    compactMetadata: { preservedSegment: PreservedSegment };
  };
  boundary.compactMetadata.preservedSegment = change(
    boundary.compactMetadata.preservedSegment,
  ) as PreservedSegment;
  lines[at] = JSON.stringify(boundary);
  await writeFile(path(), lines.join("\n"));
}

type Ranges = NonNullable<PreservedSegment["byteRanges"]>;

/** Where the file's lines end, in order. */
async function lineEnds(): Promise<readonly number[]> {
  const bytes = await readFile(path());
  const ends: number[] = [];
  for (let at = bytes.indexOf("\n"); at >= 0; at = bytes.indexOf("\n", at + 1)) ends.push(at + 1);
  return ends;
}

const lineBefore = (ends: readonly number[], end: number): number | undefined => ends[ends.indexOf(end) - 1];
const lineAfter = (ends: readonly number[], start: number): number | undefined =>
  ends[ends.indexOf(start) + 1];

describe("the hint where a segment lies", () => {
  it("makes resuming cost the segment and the tail, not the file", async () => {
    const expected = await longConversation();
    const { messages, bytes } = await readCounted();
    expect(uuids(messages)).toEqual(uuids(expected));
    expect(bytes).toBeLessThanOrEqual(lengthOf(expected) + 2 * CHUNK);
    expect((await stat(path())).size).toBeGreaterThan(20 * bytes);
  });

  it("may be absent: the segment is found back to the boundary before", async () => {
    const expected = await longConversation();
    await changeHint(({ byteRanges: _hint, ...segment }) => segment);
    const { messages, bytes } = await readCounted();
    expect(uuids(messages)).toEqual(uuids(expected));
    const { size } = await stat(path());
    expect(bytes).toBeGreaterThan(size / 2);
    expect(bytes).toBeLessThan(size);
  });

  it.each<readonly [string, (ranges: Ranges, lineEnds: readonly number[]) => unknown]>([
    ["shifted", (ranges) => ranges.map(({ start, end }) => ({ start: start + 1, end: end + 1 }))],
    [
      "one line short",
      (ranges, ends) => ranges.map(({ start, end }) => ({ start, end: lineBefore(ends, end) })),
    ],
    [
      "one line late",
      (ranges, ends) => ranges.map(({ start, end }) => ({ start: lineAfter(ends, start), end })),
    ],
    ["of other whole lines", (_ranges, ends) => [{ start: 0, end: ends[20] }]],
    ["without its last line break", (ranges) => ranges.map(({ start, end }) => ({ start, end: end - 1 }))],
    ["of another place", () => [{ start: 0, end: 100_000 }]],
    ["beyond the file", () => [{ start: 0, end: 1e15 }]],
    ["negative", () => [{ start: -5, end: 10 }]],
    ["turned round", (ranges) => ranges.map(({ start, end }) => ({ start: end, end: start }))],
    ["overlapping a thousand times", (ranges) => Array.from({ length: 5000 }, () => ranges[0])],
    ["empty", () => []],
    ["no list", () => "everything"],
    ["a list of nothing", () => [null, 1, {}]],
  ])("that is wrong is not believed: %s", async (_name, change) => {
    const expected = await longConversation();
    const ends = await lineEnds();
    await changeHint((segment) => ({ ...segment, byteRanges: change(segment.byteRanges ?? [], ends) }));
    expect(uuids((await readCounted()).messages)).toEqual(uuids(expected));
  });

  it("is found out for an old conversation, in a batch of its own or with what it keeps", async () => {
    const talk = conversationBuilder();
    const old = chatter(talk, 4);
    await write(old);
    const kept = talk.user("kept");
    const compaction = talk.compaction({ head: kept, tail: kept, place: "after-summary" });
    await write([kept, ...compaction]);
    const start = lengthOf(old);
    expect(await storedSegments()).toMatchObject([
      { byteRanges: [{ start, end: start + lengthOf([kept]) }] },
    ]);
  });

  it("of nested segments follows the live order, one range for each run of neighbours", async () => {
    const talk = conversationBuilder();
    const old = chatter(talk, 3);
    const kept = [talk.user("k1"), talk.assistant("k2")] as const;
    const first = talk.compaction({ head: kept[0], tail: kept[1], place: "after-summary" });
    const [late, beside, later] = [talk.user("late"), talk.sidechain("beside"), talk.assistant("later")];
    const second = talk.compaction({ head: first[1], tail: later, place: "after-summary" });
    const next = talk.user("next");
    const all = [...old, ...kept, ...first, late, beside, later, ...second, next];
    await write(all);
    const [firstStored, secondStored] = await storedSegments();
    const keptStart = lengthOf(old);
    const keptRange = { start: keptStart, end: keptStart + lengthOf(kept) };
    expect(firstStored?.byteRanges).toEqual([keptRange]);
    const text = await readFile(path(), "utf8");
    const texts = secondStored?.byteRanges?.map(({ start, end }) =>
      text
        .slice(start, end)
        .trimEnd()
        .split("\n")
        .map((line) => (JSON.parse(line) as Message).uuid),
    );
    expect(texts).toEqual([[first[1].uuid], uuids(kept), [late.uuid], [later.uuid]]);
    expect(uuids((await readCounted()).messages)).toEqual(
      uuids([...second, first[1], ...kept, late, later, next]),
    );
  });

  it("after a rewind to before the boundary is found out from the whole file", async () => {
    const talk = conversationBuilder();
    const [one, two, three] = [talk.user("one"), talk.assistant("two"), talk.user("three")];
    const first = talk.compaction();
    talk.rewindTo(two);
    const other = talk.user("another three");
    const second = talk.compaction({ head: two, tail: other, place: "after-summary" });
    await write([one, two, three, ...first, other], [...second]);
    const { messages } = await readCounted();
    expect(uuids(messages)).toEqual(uuids([...second, two, other]));
    expect((await storedSegments())[0]?.byteRanges).toHaveLength(2);
  });

  it("that came with the message from another file is replaced", async () => {
    const talk = conversationBuilder();
    const [one, two] = [talk.user("one"), talk.user("two")];
    const [boundary, summary] = talk.compaction({ head: one, tail: two, place: "after-summary" });
    const { compactMetadata } = boundary;
    const carried = {
      ...boundary,
      compactMetadata: {
        ...compactMetadata,
        preservedSegment: { ...compactMetadata?.preservedSegment, byteRanges: [{ start: 7, end: 8 }] },
      },
    } as Message;
    await write([one, two, carried, summary]);
    expect(await storedSegments()).toMatchObject([{ byteRanges: [{ start: 0, end: lengthOf([one, two]) }] }]);
    expect((carried as typeof boundary).compactMetadata?.preservedSegment?.byteRanges).toEqual([
      { start: 7, end: 8 },
    ]);
  });

  it("that came from another file is taken away where the segment is not in this one", async () => {
    const talk = conversationBuilder();
    const one = talk.user("one");
    const ghost = { ...one, uuid: "ghost" };
    const [boundary, summary] = talk.compaction({ head: ghost, tail: ghost, place: "after-summary" });
    const { compactMetadata } = boundary;
    const preservedSegment = { ...compactMetadata?.preservedSegment, byteRanges: [{ start: 0, end: 10 }] };
    await write([
      one,
      { ...boundary, compactMetadata: { ...compactMetadata, preservedSegment } } as Message,
      summary,
    ]);
    const [stored] = await storedSegments();
    expect(stored?.headUuid).toBe("ghost");
    expect(stored).not.toHaveProperty("byteRanges");
  });
});
