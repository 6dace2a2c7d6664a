import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { isCompactBoundary, type Message, type PreservedSegment } from "@palimpsest/core";
import { liveMessages } from "@palimpsest/core/engine";
import { conversationBuilder } from "@palimpsest/core/testing";
import fc from "fast-check";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { createJsonlStore } from "./store.js";

let directory = "";
beforeAll(async () => {
  directory = await mkdtemp(join(tmpdir(), "palimpsest-live-"));
});
afterAll(() => rm(directory, { recursive: true, force: true }));

type Step =
  | { readonly kind: "user" | "assistant" | "attachment" | "system" | "sidechain"; readonly size: number }
  | { readonly kind: "calls"; readonly size: number }
  | { readonly kind: "compaction" }
  | {
      readonly kind: "keep";
      readonly place: "after-summary" | "before-boundary";
      readonly from: number;
      readonly to: number;
      readonly isRestored: boolean;
    }
  | { readonly kind: "rewind"; readonly to: number; readonly isMarked: boolean; readonly leaves: number }
  | { readonly kind: "flush" }
  | { readonly kind: "reopen" };

const fraction = fc.double({ min: 0, max: 0.999, noNaN: true });
const size = fc.oneof({ arbitrary: fc.nat(40), weight: 20 }, { arbitrary: fc.nat(150_000), weight: 1 });
const step: fc.Arbitrary<Step> = fc.oneof(
  {
    arbitrary: fc.record({
      kind: fc.constantFrom("user", "assistant", "attachment", "system", "sidechain"),
      size,
    }),
    weight: 10,
  },
  { arbitrary: fc.record({ kind: fc.constant("calls"), size }), weight: 2 },
  { arbitrary: fc.constant({ kind: "compaction" }), weight: 1 },
  {
    arbitrary: fc.record({
      kind: fc.constant("keep"),
      place: fc.constantFrom("after-summary", "before-boundary"),
      from: fraction,
      to: fraction,
      isRestored: fc.boolean(),
    }),
    weight: 4,
  },
  {
    arbitrary: fc.record({
      kind: fc.constant("rewind"),
      to: fraction,
      isMarked: fc.boolean(),
      leaves: fraction,
    }),
    weight: 1,
  },
  { arbitrary: fc.constant({ kind: "flush" }), weight: 3 },
  { arbitrary: fc.constant({ kind: "reopen" }), weight: 1 },
);

/** The history that the steps tell, in batches; `undefined` stands for closing and opening again. */
function play(steps: readonly Step[]): readonly (readonly Message[] | undefined)[] {
  const talk = conversationBuilder();
  const all: Message[] = [];
  const batches: (readonly Message[] | undefined)[] = [];
  let batch: Message[] = [];
  const flush = (): void => {
    if (batch.length > 0) batches.push(batch);
    batch = [];
  };
  const add = (...messages: readonly Message[]): void => {
    all.push(...messages);
    batch.push(...messages);
  };
  const pick = <T>(list: readonly T[], at: number): T | undefined => list[Math.floor(at * list.length)];
  for (const part of steps) {
    switch (part.kind) {
      case "user":
      case "assistant":
        add(talk[part.kind]("é".repeat(part.size)));
        break;
      case "attachment":
        add(talk.attachment("file"));
        break;
      case "system":
        add(talk.system("info"));
        break;
      case "sidechain":
        add(talk.sidechain("beside"));
        break;
      case "calls":
        add(...parallelCalls(talk, `call-${all.length}`, part.size));
        break;
      case "compaction":
        add(...talk.compaction());
        break;
      case "keep": {
        const live = liveMessages(all);
        const [from, to] = [Math.min(part.from, part.to), Math.max(part.from, part.to)];
        const [head, tail] = [pick(live, from), pick(live, to)];
        if (head === undefined || tail === undefined) break;
        const [boundary, summary] = talk.compaction({ head, tail, place: part.place });
        add(boundary, summary);
        if (!part.isRestored) break;
        talk.rewindTo(summary);
        add(talk.attachment("file"));
        if (part.place === "after-summary") talk.rewindTo(tail);
        break;
      }
      case "rewind": {
        const target = pick(
          all.filter((message) => message.isSidechain !== true),
          part.to,
        );
        if (target !== undefined) talk.rewindTo(target);
        if (target === undefined || !part.isMarked) break;
        const leftOut = pick(all, part.leaves);
        const marker = talk.system("rewound");
        add(
          part.leaves < 0.5 || leftOut === undefined
            ? marker
            : ({ ...marker, leftOut: [leftOut.uuid] } as Message),
        );
        break;
      }
      case "flush":
        flush();
        break;
      case "reopen":
        flush();
        batches.push(undefined);
        break;
    }
  }
  flush();
  return batches;
}

/** One response in two pieces, whose results hang on their own call: a tree. */
function parallelCalls(
  talk: ReturnType<typeof conversationBuilder>,
  id: string,
  length: number,
): readonly Message[] {
  const call = (name: string) =>
    [{ type: "tool_use", id: `${id}-${name}`, name: "read", input: {} }] as const;
  const result = (name: string) =>
    [{ type: "tool_result", tool_use_id: `${id}-${name}`, content: "r".repeat(length) }] as const;
  const first = talk.assistant(call("a"));
  const second = talk.assistant(call("b"));
  const pieces = [first, { ...second, message: { ...second.message, id: first.message.id } }];
  talk.rewindTo(first);
  const firstResult = talk.user(result("a"));
  talk.rewindTo(second);
  return [...pieces, firstResult, talk.user(result("b"))];
}

function segmentIn(message: Message): PreservedSegment | undefined {
  return isCompactBoundary(message) ? message.compactMetadata?.preservedSegment : undefined;
}

/** The message with its segment's hint replaced; undefined takes it away. */
function withRanges(message: Message, byteRanges: PreservedSegment["byteRanges"]): Message {
  const segment = segmentIn(message);
  if (segment === undefined || !isCompactBoundary(message)) return message;
  const { byteRanges: _old, ...ends } = segment;
  const preservedSegment = byteRanges === undefined ? ends : { ...ends, byteRanges };
  return { ...message, compactMetadata: { ...message.compactMetadata, preservedSegment } } as Message;
}

const withoutHints = (messages: readonly Message[]): readonly Message[] =>
  messages.map((message) => withRanges(message, undefined));

describe("readLive of a file", () => {
  it("equals liveMessages of everything, with right, absent and wrong hints", async () => {
    const store = createJsonlStore({ directory });
    let count = 0;
    await fc.assert(
      fc.asyncProperty(fc.array(step, { maxLength: 60, size: "max" }), fc.nat(300), async (steps, shift) => {
        count += 1;
        const batches = play(steps);
        const id = `history-${count}`;
        let writer = await store.open(id);
        for (const batch of batches) {
          if (batch === undefined) {
            await writer.close();
            writer = await store.open(id);
          } else {
            await writer.append(batch);
          }
        }
        await writer.close();
        const all = batches.flatMap((batch) => batch ?? []);
        const expected = liveMessages(all);
        const read = await store.readLive(id);
        expect(withoutHints(read.messages)).toEqual(expected);
        expect(read.damaged).toEqual([]);
        const stored = (await store.readAll(id)).messages;
        expect(withoutHints(stored)).toEqual(all);

        const shifted = (message: Message): Message =>
          withRanges(
            message,
            segmentIn(message)?.byteRanges?.map(({ start, end }) => ({
              start: start + shift,
              end: end + shift,
            })),
          );
        for (const change of [(message: Message) => withRanges(message, undefined), shifted]) {
          const text = stored.map((message) => `${JSON.stringify(change(message))}\n`).join("");
          await writeFile(join(directory, `${id}.jsonl`), text);
          expect(withoutHints((await store.readLive(id)).messages)).toEqual(expected);
        }
        await rm(join(directory, `${id}.jsonl`));
      }),
      { numRuns: 250 },
    );
  });

  it("every hint names exactly the kept lines", async () => {
    const store = createJsonlStore({ directory });
    let count = 0;
    await fc.assert(
      fc.asyncProperty(fc.array(step, { maxLength: 60, size: "max" }), async (steps) => {
        count += 1;
        const id = `hints-${count}`;
        const all = play(steps).flatMap((batch) => batch ?? []);
        const writer = await store.open(id);
        await writer.append(all);
        await writer.close();
        const bytes = await readFile(join(directory, `${id}.jsonl`));
        const stored = (await store.readAll(id)).messages;
        for (const [index, message] of stored.entries()) {
          const segment = segmentIn(message);
          if (segment?.byteRanges === undefined) continue;
          const before = liveMessages(all.slice(0, index));
          const uuids = before.map(({ uuid }) => uuid);
          const kept = before.slice(uuids.indexOf(segment.headUuid), uuids.lastIndexOf(segment.tailUuid) + 1);
          const named = segment.byteRanges
            .map(({ start, end }) => bytes.subarray(start, end).toString("utf8"))
            .join("")
            .trimEnd()
            .split("\n")
            .map((line) => JSON.parse(line) as Message);
          expect(withoutHints(named)).toEqual(kept);
        }
        await rm(join(directory, `${id}.jsonl`));
      }),
      { numRuns: 150 },
    );
  });
});
