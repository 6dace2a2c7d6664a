import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { createMemoryReadState, type ReadStateSnapshot } from "./read-state.js";
import { readStateWith } from "../restore/testing/read-states.js";

const record = { timestamp: 5, mtime: 1 };
const order = ({ reads }: ReadStateSnapshot): readonly string[] => reads.map(({ path }) => path);

describe("the read-state", () => {
  it("orders by recency, also where all times are the same", () => {
    const state = createMemoryReadState();
    for (const path of ["/a", "/b", "/c", "/a"]) state.remember(path, record);
    expect(order(state.snapshot())).toEqual(["/a", "/c", "/b"]);
  });

  it("a read that was answered with the stub renews", () => {
    const state = readStateWith(["/a", "/b"], { content: "text" });
    expect(state.renew("/a")).toBe(true);
    expect(state.renew("/never")).toBe(false);
    expect(order(state.snapshot())).toEqual(["/a", "/b"]);
    expect(state.get("/a")).toEqual({ content: "text", timestamp: 1, mtime: 1 });
  });

  it("knows that a read failed, until one succeeds; of a file that was never read it needs to know nothing", () => {
    const state = readStateWith(["/a", "/b"]);
    state.noteFailure("/a");
    state.noteFailure("/never");
    expect(state.get("/a")).toMatchObject({ hasFailed: true });
    expect(order(state.snapshot())).toEqual(["/b", "/a"]);
    state.remember("/a", record);
    expect(state.get("/a")).toEqual(record);
    expect(state.has("/never")).toBe(false);
  });

  it("is the same after a way through JSON", () => {
    const state = readStateWith(["/a", "__proto__", "/b"], { content: "x", offset: 3, limit: 4 });
    state.noteFailure("/a");
    const snapshot = state.snapshot();
    const other = createMemoryReadState();
    other.remember("/gone", record);
    other.restore(JSON.parse(JSON.stringify(snapshot)) as ReadStateSnapshot);
    expect(other.snapshot()).toEqual(snapshot);
    expect(other.get("__proto__")).toMatchObject({ offset: 3 });
  });

  it("a snapshot and a clone stay what they are", () => {
    const state = readStateWith(["/a", "/b"]);
    const snapshot = state.snapshot();
    const clone = state.clone();
    state.forget("/a");
    clone.remember("/c", record);
    state.clear();
    expect(order(snapshot)).toEqual(["/b", "/a"]);
    expect(order(clone.snapshot())).toEqual(["/c", "/b", "/a"]);
    expect(order(state.snapshot())).toEqual([]);
  });

  it("holds so much content and no more: the least recently read lose theirs, not their record", () => {
    const state = createMemoryReadState({ maxContentCharacters: 10 });
    for (const path of ["/a", "/b", "/c"]) state.remember(path, { ...record, content: "12345" });
    expect(state.snapshot().reads.map(({ content }) => content)).toEqual(["12345", "12345", undefined]);
    state.remember("/b", record);
    state.remember("/d", { ...record, content: "12345" });
    expect(state.get("/c")?.content).toBe("12345");
    expect(state.clone().snapshot()).toEqual(state.snapshot());
    state.remember("/huge", { ...record, content: "x".repeat(11) });
    expect(state.snapshot().reads.every(({ content }) => content === undefined)).toBe(true);
  });

  it.each<unknown>([
    null,
    3,
    {},
    { reads: {} },
    { reads: [null, 3, [], {}, { path: "" }, { path: "/a" }, { path: "/a", timestamp: "1", mtime: 1 }] },
    { reads: [{ path: "/a", timestamp: NaN, mtime: 1 }] },
  ])("passes over entries that are none: %j", (snapshot) => {
    const state = createMemoryReadState({ snapshot: snapshot as ReadStateSnapshot });
    expect(state.snapshot()).toEqual({ reads: [] });
  });

  it("behaves like a list in which the newest stands first", () => {
    const path = fc.constantFrom("/a", "/b", "/c", "/d");
    const step = fc.record({ kind: fc.constantFrom("remember", "renew", "forget", "noteFailure"), path });
    fc.assert(
      fc.property(fc.array(step, { maxLength: 30 }), (steps) => {
        const state = createMemoryReadState();
        let expected: string[] = [];
        for (const { kind, path } of steps) {
          const isKnown = expected.includes(path);
          if (kind === "remember") state.remember(path, record);
          else if (kind === "renew") state.renew(path);
          else if (kind === "forget") state.forget(path);
          else state.noteFailure(path);
          if (kind === "noteFailure" || (kind === "renew" && !isKnown)) continue;
          expected = expected.filter((other) => other !== path);
          if (kind !== "forget") expected = [path, ...expected];
        }
        expect(order(state.snapshot())).toEqual(expected);
      }),
      { numRuns: 1000 },
    );
  });
});
