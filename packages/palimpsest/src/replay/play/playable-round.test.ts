import type { Message } from "@palimpsest/core";
import { describe, expect, it } from "vitest";
import { call, incoming, madeUpRounds, result, text, type MadeUpRound } from "../testing/made-up-rounds.js";
import { createPlayableRounds } from "./playable-round.js";

/** How many messages were put in, round by round; a round without any is the same object. */
function put(rounds: readonly MadeUpRound[]): readonly number[] {
  const playable = createPlayableRounds();
  return madeUpRounds(rounds).map((round) => {
    const next = playable.next(round);
    const more = next.incoming.length - round.incoming.length;
    expect(next === round).toBe(more === 0);
    return more;
  });
}

describe("createPlayableRounds", () => {
  it("leaves alone what the model can answer", () => {
    expect(
      put([
        { in: "hello", out: [call("t1")] },
        { in: [result("t1", "found")], out: [text("a")] },
        { in: "Continue with it", out: [text("b")] },
      ]),
    ).toEqual([0, 0, 0]);
  });

  it("puts in a word where nothing came in: at the start, and between two responses", () => {
    expect(put([{ out: [text("a")] }, { out: [text("b")] }, { in: "x", out: [text("c")] }])).toEqual([
      1, 1, 0,
    ]);
  });

  it("counts only what reaches the model", () => {
    const playable = createPlayableRounds();
    const [first, second] = madeUpRounds([{ in: "x", out: [text("a")] }, { out: [text("b")] }]);
    if (first === undefined || second === undefined) throw new Error("there are two");
    playable.next(first);
    const notice = { ...incoming("a notice"), type: "system", subtype: "info" } as unknown as Message;
    expect(playable.next({ ...second, incoming: [notice] }).incoming).toHaveLength(2);
  });

  it("takes a call without a result as answered: its result is put in by whoever sends it", () => {
    expect(put([{ in: "x", out: [call("t1")] }, { out: [text("b")] }])).toEqual([0, 0]);
  });

  it("says it as the program, not as a person", () => {
    const [round] = madeUpRounds([{ out: [text("a")] }]);
    if (round === undefined) throw new Error("there is one");
    expect(createPlayableRounds().next(round).incoming).toMatchObject([{ type: "user", isMeta: true }]);
  });
});
