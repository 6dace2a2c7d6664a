import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { Message } from "../../messages/message.js";
import { conversationBuilder } from "../../testing/conversation-builder.js";
import { simulatedClock } from "../../testing/simulated-clock.js";
import { createResultKeys } from "../tools/result-keys.js";
import { createSample } from "../tools/testing/sample.js";
import { createStretchIndex } from "./stretch-index.js";

function stretchOf(messages: readonly Message[]) {
  const index = createStretchIndex();
  index.append(messages);
  return index.stretch;
}

/** A conversation whose clock moves with every message. */
function ticking() {
  const clock = simulatedClock(Date.UTC(2026, 10, 15));
  const builder = conversationBuilder({ clock });
  const tick = <T>(make: () => T): T => {
    clock.advance(1000);
    return make();
  };
  const round = (): readonly Message[] => [
    tick(() => builder.assistant("done")),
    tick(() => builder.user("on")),
  ];
  const compaction = (postTokens: unknown, kept?: readonly Message[]): readonly Message[] => {
    const [head] = kept ?? [];
    const tail = kept?.at(-1);
    const [boundary, summary] = tick(() =>
      builder.compaction(
        head === undefined || tail === undefined ? undefined : { head, tail, place: "after-summary" },
      ),
    );
    const compactMetadata = { ...boundary.compactMetadata, postTokens };
    return [{ ...boundary, compactMetadata } as Message, summary, ...(kept ?? [])];
  };
  return { clock, builder, tick, round, compaction };
}

describe("how far a conversation has come", () => {
  it("counts from its start, and from its last compaction on", () => {
    const { builder, round, compaction } = ticking();
    const start = [builder.user("begin"), ...round(), ...round()];
    expect(stretchOf([])).toEqual({ startTokens: undefined, responses: 0, redone: 0, cleared: 0 });
    expect(stretchOf(start)).toEqual({ startTokens: undefined, responses: 2, redone: 0, cleared: 0 });
    const behind = [...compaction(30_000), ...round()];
    expect(stretchOf(behind)).toEqual({ startTokens: 30_000, responses: 1, redone: 0, cleared: 0 });
    // With `from`, a kept beginning stands before the boundary.
    expect(stretchOf([...start, ...behind])).toEqual({
      startTokens: 30_000,
      responses: 1,
      redone: 0,
      cleared: 0,
    });
  });

  it("does not count what a compaction kept", () => {
    const { builder, round, compaction } = ticking();
    const kept = [...round(), ...round()];
    const live = [builder.user("begin"), ...compaction(30_000, kept)];
    expect(stretchOf(live)).toEqual({ startTokens: 30_000, responses: 0, redone: 0, cleared: 0 });
    expect(stretchOf([...live, ...round()]).responses).toBe(1);
  });

  it("takes the pieces of a response for one, with results between them", () => {
    const { builder, tick } = ticking();
    const response = tick(() => builder.assistant("one"));
    const piece = { ...response, uuid: "second" };
    const other = tick(() => builder.assistant("two"));
    expect(stretchOf([response, builder.user("result"), piece, other]).responses).toBe(2);
  });

  it.each([undefined, null, "12", -5, 0, Number.NaN, {}])(
    "knows no start from postTokens %j",
    (postTokens) => {
      const { compaction } = ticking();
      expect(stretchOf(compaction(postTokens)).startTokens).toBeUndefined();
    },
  );

  it("reads messages that are none without an error", () => {
    const { builder } = ticking();
    const odd = [
      { ...builder.assistant("x"), message: undefined },
      { ...builder.assistant("x"), timestamp: undefined },
      { ...builder.compaction()[0], compactMetadata: undefined },
      { ...builder.compaction()[0], compactMetadata: null, timestamp: 7 },
    ] as unknown as readonly Message[];
    expect(() => stretchOf(odd)).not.toThrow();
  });

  it("in pieces of any size it says what it says of the whole list", () => {
    const steps = fc.array(fc.constantFrom("round", "compaction", "compaction that keeps"), {
      maxLength: 12,
    });
    fc.assert(
      fc.property(steps, fc.array(fc.nat({ max: 4 }), { maxLength: 40 }), (kinds, sizes) => {
        const { builder, round, compaction } = ticking();
        const live: Message[] = [builder.user("begin")];
        let last: readonly Message[] = [];
        for (const kind of kinds) {
          if (kind === "round") live.push(...(last = round()));
          else live.push(...compaction(live.length, kind === "compaction" ? undefined : last));
        }
        const index = createStretchIndex();
        let at = 0;
        for (const size of [...sizes, live.length]) {
          index.append(live.slice(at, at + size));
          at += size;
          expect(index.stretch).toEqual(stretchOf(live.slice(0, at)));
        }
      }),
      { numRuns: 300 },
    );
  });
});

describe("calls that were made again after a compaction", () => {
  const LONG = "a line of a result\n".repeat(40);
  const read = (sample: ReturnType<typeof createSample>, path: string, result = LONG) =>
    sample.round({ calls: [{ name: "Read", input: { file_path: path }, result }] });
  const boundaryWith = (metadata: object): Message => {
    const [boundary] = ticking().compaction(30_000);
    if (boundary?.type !== "system") throw new Error("a boundary");
    return { ...boundary, compactMetadata: { postTokens: 30_000, ...metadata } } as unknown as Message;
  };
  const keysOf = (messages: readonly Message[]): readonly string[] => {
    const keys = createResultKeys();
    return messages.flatMap(keys);
  };

  it("count once each where the answer is the same, and not where it is another or the call is new", () => {
    const goneResults = keysOf([...read(createSample(), "/a"), ...read(createSample(), "/b")]);
    const redone = (...messages: readonly Message[]): number =>
      stretchOf([boundaryWith({ goneResults }), ...messages]).redone;
    const sample = createSample();
    expect(redone()).toBe(0);
    expect(redone(...read(sample, "/a"))).toBe(1);
    expect(redone(...read(sample, "/a"), ...read(sample, "/a"))).toBe(1);
    expect(redone(...read(sample, "/a"), ...read(sample, "/b"))).toBe(2);
    expect(redone(...read(sample, "/a", `${LONG}changed`), ...read(sample, "/c"))).toBe(0);
  });

  it("those of the stretch before count on for one more", () => {
    expect(stretchOf([boundaryWith({ redoneBefore: 3 })]).redone).toBe(3);
    expect(stretchOf([boundaryWith({ redoneBefore: 1.5 })]).redone).toBe(1.5);
    expect(stretchOf([boundaryWith({ redoneBefore: 3 }), boundaryWith({})]).redone).toBe(0);
  });

  it.each([
    { goneResults: "all", redoneBefore: "many" },
    { goneResults: [null, {}, 7, "x".repeat(100_000)], redoneBefore: Number.NaN },
    { goneResults: { length: 5 }, redoneBefore: -1 },
    { goneResults: null, redoneBefore: null },
  ])("metadata that is none counts nothing: %j", (metadata) => {
    expect(stretchOf([boundaryWith(metadata), ...read(createSample(), "/a")]).redone).toBe(0);
  });
});
