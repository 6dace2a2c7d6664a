import type { RequestMessage } from "@palimpsest/core";
import { describe, expect, it } from "vitest";
import { run, type Ended, type Sent } from "../testing/play-policy.js";
import { call, madeUpRounds, readingRounds, result, text, words } from "../testing/made-up-rounds.js";

const rounds = madeUpRounds(readingRounds(20, 800));
const texts = (messages: readonly RequestMessage[]): string => JSON.stringify(messages);
const editsOf = ({ turns }: Pick<Ended, "turns">): readonly string[] =>
  turns.flatMap(({ edits }) => edits.map(({ tier }) => tier));
const holds = (sent: Sent | undefined, number: number): boolean =>
  texts(sent?.seen ?? []).includes(`r${number}x799`);

/** On a model that binds thinking to what stands before it, and on one that does not. */
describe.each(["claude-opus-5-5", "claude-opus-4-5"])("%s", (model) => {
  it("none: sends everything, and ends at the window", async () => {
    const ended = await run("none", rounds, { model });
    expect(ended.ended).toEqual({ kind: "context-overflow", next: "end" });
    expect(editsOf(ended)).toEqual([]);
    const last = ended.turns.at(-1);
    expect(last?.seen).toHaveLength(ended.turns.length * 2 - 1);
    for (let number = 1; number < ended.turns.length; number += 1) expect(holds(last, number)).toBe(true);
  });

  it("truncate: drops the oldest half of the rounds, and says so", async () => {
    const { turns, ended } = await run("truncate", rounds, { model });
    expect(ended).toBeUndefined();
    const at = turns.findIndex(({ edits }) => edits.length > 0);
    expect(at).toBeGreaterThan(2);
    expect(holds(turns[at - 1], 1)).toBe(true);
    const [edit] = turns[at]?.edits ?? [];
    expect(edit).toMatchObject({ tier: "truncate" });
    expect(edit?.tokensAfter).toBeLessThan(edit?.tokensBefore ?? 0);
    expect(texts(turns[at]?.seen.slice(0, 1) ?? [])).toContain(
      "The earlier part of this conversation was dropped",
    );
    expect(holds(turns[at], 1)).toBe(false);
    expect(holds(turns[at], at)).toBe(true);
  });

  it("mask: keeps the newest results, the calls stay", async () => {
    const { turns } = await run("mask(keep=3)", rounds, { model });
    expect(turns[3]?.edits).toEqual([]);
    expect(holds(turns[3], 1)).toBe(true);
    expect(turns[4]?.edits).toMatchObject([{ tier: "mask" }]);
    expect([1, 2, 3, 4].map((number) => holds(turns[4], number))).toEqual([false, true, true, true]);
    expect(texts(turns[4]?.seen ?? [])).toContain("src/file1.ts");
    expect(texts(turns[4]?.seen ?? [])).toContain("[This result was removed.]");
  });

  it("mask: in batches it leaves the cache alone in between", async () => {
    const { turns } = await run("mask(keep=3;batch=4)", rounds, { model });
    const edited = turns.flatMap(({ edits }, at) => (edits.length > 0 ? [at] : []));
    expect(edited).toEqual([7, 11, 15, 19]);
  });

  it("clear-tool-uses: the API clears, what is sent stays whole", async () => {
    const { turns } = await run("clear-tool-uses(at=20000;keep=2)", rounds, { model });
    const at = turns.findIndex(({ edits }) => edits.length > 0);
    expect(at).toBeGreaterThan(2);
    expect(turns[at]?.edits).toMatchObject([{ tier: "api-native" }]);
    expect(holds(turns[at], 1)).toBe(false);
    expect(holds(turns[at], at)).toBe(true);
    expect(texts(turns[at]?.call.request.messages ?? [])).toContain("r1x799");
    expect(turns[at]?.call.betas).toEqual(["context-management-2025-06-27"]);
  });

  it("summarise-all: one cold call, and everything is one summary", async () => {
    const { turns, sideCalls, ended } = await run("summarise-all", rounds, { model });
    expect(ended).toBeUndefined();
    const at = turns.findIndex(({ edits }) => edits.length > 0);
    expect(turns[at]?.edits).toMatchObject([{ tier: "full" }]);
    expect(turns[at]?.seen).toHaveLength(1);
    expect(texts(turns[at]?.seen ?? [])).toContain("Summary of the conversation so far:");
    expect(sideCalls).toBe(editsOf({ turns }).length);
  });

  it("truncate: makes room when the API refuses", async () => {
    const ended = await run("truncate(at=1)", rounds, { model });
    expect(ended.ended).toBeUndefined();
    expect(editsOf(ended).length).toBeGreaterThan(0);
  });

  it("summarise-all: ends where not even the summary call fits", async () => {
    const ended = await run("summarise-all(at=1)", rounds, { model });
    expect(ended).toMatchObject({ ended: { kind: "context-overflow", next: "end" }, sideCalls: 0 });
  });
});

describe("what all of them share", () => {
  const markers = (sent: Sent | undefined): number =>
    JSON.stringify(sent?.call.request ?? {}).split("cache_control").length - 1;

  it.each(["none", "truncate", "mask", "clear-tool-uses", "summarise-all"])(
    "%s: three markers",
    async (policy) => {
      const some = rounds.slice(0, 3);
      const { turns } = await run(policy, some);
      expect(turns.map(markers)).toEqual([2, 3, 3]);
      const { turns: longer } = await run(policy, some, { ttl: "1h" });
      expect(JSON.stringify(longer[2]?.call.request)).toContain('"ttl":"1h"');
      expect(JSON.stringify(turns[2]?.call.request)).not.toContain('"ttl"');
    },
  );

  it("one message that is larger than the window ends it", async () => {
    const huge = madeUpRounds([{ in: words(30_000), out: [text("x")] }]);
    for (const policy of ["none", "truncate", "summarise-all"]) {
      const { ended, turns } = await run(policy, huge);
      expect({ policy, ended, turns: turns.length }).toEqual({
        policy,
        ended: { kind: "context-overflow", next: "end" },
        turns: 0,
      });
    }
  });

  it("results of calls that went with the oldest half are not sent", async () => {
    const [first, second, third] = madeUpRounds([
      { in: words(6000), out: [call("t1")] },
      { in: [result("t1", words(6000))], out: [call("t2")] },
      { in: [result("t2", "late")], out: [text("done")] },
    ]);
    if (first === undefined || second === undefined || third === undefined) throw new Error("three rounds");
    const { turns, ended } = await run("truncate(at=0.3)", [first, second, third]);
    expect(ended).toBeUndefined();
    expect(turns).toHaveLength(3);
  });
});
