import { describe, expect, it } from "vitest";
import type { Message } from "../../messages/message.js";
import { createGoneResults, createResultKeys } from "./result-keys.js";
import { createSample, type SampleCall } from "./testing/sample.js";

const LONG = "a line of a result\n".repeat(40);

function keysOf(...rounds: readonly (readonly SampleCall[])[]): readonly string[] {
  const sample = createSample();
  const keys = createResultKeys();
  return rounds.flatMap((calls) => sample.round({ calls })).flatMap((message) => keys(message));
}
const read = (path: string, result = LONG, more: Partial<SampleCall> = {}): SampleCall => ({
  name: "Read",
  input: { file_path: path },
  result,
  ...more,
});

describe("what a result is known by", () => {
  it("the same call with the same answer, and nothing else, is the same", () => {
    const [a, again, other, changed, tool] = keysOf(
      [read("/a"), read("/a")],
      [read("/b")],
      [read("/a", `${LONG}!`)],
      [read("/a", LONG, { name: "Show" })],
    );
    expect(a).toMatch(/^[0-9a-f]{8}$/);
    expect(again).toBe(a);
    expect(new Set([a, other, changed, tool]).size).toBe(4);
  });

  it("a change far inside counts by the length alone; one near the start by its text", () => {
    const long = "x".repeat(30_000);
    const [whole, near, far, longer] = keysOf(
      [read("/a", long)],
      [read("/a", `y${long.slice(1)}`)],
      [read("/a", `${long.slice(0, -1)}y`)],
      [read("/a", `${long}y`)],
    );
    expect(near).not.toBe(whole);
    expect(far).toBe(whole);
    expect(longer).not.toBe(whole);
  });

  it("a result that is asked about again has its key again, and another one under another call", () => {
    const message = (...content: readonly unknown[]): Message =>
      ({ type: "user", message: { content } }) as Message;
    const result = { type: "tool_result", tool_use_id: "t", content: LONG };
    const call = (path: string): object => ({ type: "tool_use", id: "t", name: "Read", input: { path } });
    const a = call("/a");
    const [first, again, other] = [a, a, call("/b")].map((use) => createResultKeys()(message(use, result)));
    expect(first).toHaveLength(1);
    expect(again).toEqual(first);
    expect(other).not.toEqual(first);
  });

  it("what is short or failed has none", () => {
    expect(keysOf([read("/a", "short"), read("/b", LONG, { isError: true })])).toEqual([]);
  });

  it("a text in blocks counts like others; a result without its call has none", () => {
    const message = (content: unknown): Message => ({ type: "user", message: { content } }) as Message;
    const keys = createResultKeys();
    expect(keys(message([{ type: "tool_result", tool_use_id: "t", content: LONG }]))).toEqual([]);
    const call = { type: "tool_use", id: "t", name: "Read", input: {} };
    const blocks = [{ type: "text", text: LONG }, null, { type: "image" }];
    const result = { type: "tool_result", tool_use_id: "t", content: blocks };
    expect(keys(message([call, result, result]))).toHaveLength(1);
  });

  it("whatever messages hold, nothing is thrown", () => {
    let deep: unknown = "x";
    for (let depth = 0; depth < 100_000; depth += 1) deep = [deep];
    const odd = [
      undefined,
      null,
      { content: 7 },
      { content: [null, 3, "x", { type: "tool_use" }, { type: "tool_result", content: LONG }] },
      { content: [{ type: "tool_use", id: "d", input: deep }] },
      { content: [{ type: "tool_result", tool_use_id: "d", content: LONG }] },
    ].map((message) => ({ type: "user", message }) as unknown as Message);
    const keys = createResultKeys();
    expect(odd.flatMap((message) => keys(message))).toHaveLength(1);
  });
});

describe("results that are gone", () => {
  const boundary = (goneResults: unknown): Message =>
    ({
      type: "system",
      subtype: "compact_boundary",
      timestamp: "2026-11-15T00:00:00.000Z",
      compactMetadata: { goneResults },
    }) as unknown as Message;
  const take = (messages: readonly Message[], stays: boolean, results = createGoneResults()) => {
    for (const message of messages) results.take(message, !stays);
    return results;
  };
  const round = (call: SampleCall): readonly Message[] => createSample().round({ calls: [call] });
  const [a = ""] = keysOf([read("/a")]);

  it("what is done twice before a compaction is not done again because of one", () => {
    const results = take([...round(read("/a")), ...round(read("/a"))], false);
    expect([results.redone(), results.gone()]).toEqual([0, [a]]);
  });

  it("what is fetched again and stays is no longer gone; what does not stay is, once", () => {
    for (const stays of [true, false]) {
      const results = take([boundary([a, "01234567"])], true);
      take(round(read("/a")), stays, results);
      expect(results.redone()).toBe(1);
      expect(results.gone()).toEqual(stays ? ["01234567"] : ["01234567", a]);
    }
  });

  it("what stays in another result of the same call is not gone", () => {
    const results = take(round(read("/a")), false);
    take(round(read("/a")), true, results);
    expect(results.gone()).toEqual([]);
  });

  it.each([undefined, null, 7, "01234567", [7, null, {}, "short", "x".repeat(100_000)]])(
    "a boundary with %j names nothing that is gone, and hands nothing on",
    (goneResults) => {
      const results = take([boundary(goneResults), ...round(read("/a"))], true);
      expect([results.redone(), results.gone()]).toEqual([0, []]);
    },
  );
});
