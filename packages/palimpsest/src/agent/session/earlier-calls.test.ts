import { accountTotal, type Message } from "@palimpsest/core";
import { totals } from "@palimpsest/core/totals";
import { fileURLToPath } from "node:url";
import { describe, expect, it } from "vitest";
import { createJsonlStore } from "../../stores/jsonl/store.js";
import { MOST_BYTES, withEarlierCalls } from "./earlier-calls.js";

const directory = fileURLToPath(new URL("../../../../../test/data/transcripts-0.1/", import.meta.url));
const store = createJsonlStore({ directory });

const dollarsOf = (messages: readonly Message[]): number =>
  accountTotal(totals.account(messages, "sdk")).dollars;

/** What `palimpsest analyze` says of them, but for copies of responses, which were paid for once. */
describe.each([
  ["clearings-and-compaction", 0.1301569],
  ["media-cut-and-late-answer", 0.032099],
])("the transcript %s of version 0.1, which adds nothing up", (id, dollars) => {
  it("is read to its beginning for what it has cost", async () => {
    const { messages } = await store.readLive(id);
    const notices: string[] = [];
    const told = await withEarlierCalls(messages, {
      source: "sdk",
      bytes: 1000,
      readAll: async () => (await store.readAll(id)).messages,
      onNotice: (text) => notices.push(text),
    });
    expect(dollarsOf(told)).toBeCloseTo(dollars, 10);
    expect(notices).toEqual([]);
  });
});

it("a long transcript is not, and the person is told that the figures begin later", async () => {
  const { messages } = await store.readLive("clearings-and-compaction");
  const notices: string[] = [];
  const told = await withEarlierCalls(messages, {
    source: "sdk",
    bytes: MOST_BYTES + 1,
    readAll: () => Promise.reject(new Error("it was read")),
    onNotice: (text) => notices.push(text),
  });
  expect(told).toBe(messages);
  expect(dollarsOf(told)).toBeLessThan(0.13);
  expect(notices).toEqual([expect.stringContaining("`palimpsest analyze` adds it up")]);
});
