import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { isCompactBoundary, type Message, type PreservedSegment } from "@palimpsest/core";
import { liveMessages } from "@palimpsest/core/engine";
import fc from "fast-check";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { historySteps, playHistory } from "../testing/random-history.js";
import { createJsonlStore } from "./store.js";

let directory = "";
beforeAll(async () => {
  directory = await mkdtemp(join(tmpdir(), "palimpsest-live-"));
});
afterAll(() => rm(directory, { recursive: true, force: true }));

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
      fc.asyncProperty(historySteps, fc.nat(300), async (steps, shift) => {
        count += 1;
        const batches = playHistory(steps);
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
      fc.asyncProperty(historySteps, async (steps) => {
        count += 1;
        const id = `hints-${count}`;
        const all = playHistory(steps).flatMap((batch) => batch ?? []);
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
