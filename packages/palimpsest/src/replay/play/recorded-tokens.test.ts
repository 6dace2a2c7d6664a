import { findModel } from "@palimpsest/core";
import { describe, expect, it } from "vitest";
import { call, madeUpRounds, result, text, thinking, words } from "../testing/made-up-rounds.js";
import { blockTokens, TOKENS_PER_MESSAGE } from "../../simulator/tokens/block-tokens.js";
import { createRecordedTokens } from "./recorded-tokens.js";
import { createSharedCounter } from "../../simulator/tokens/shared-counter.js";

const counter = createSharedCounter();
const model = findModel("claude-opus-4-5");
if (model === undefined) throw new Error("the model is in the table");
const tokens = (block: unknown): number => blockTokens(block, model, counter);
const counted = (rounds: Parameters<typeof madeUpRounds>[0]) => {
  const recorded = createRecordedTokens(model, counter);
  return madeUpRounds(rounds).map((round) => recorded.next(round));
};

describe("createRecordedTokens", () => {
  it("counts what came in and what was said, each message with its frame", () => {
    const [first, second] = counted([
      { in: words(30), out: [text("fine"), call("t1", { a: 1 })] },
      { in: [result("t1", words(40))], out: [text("done")] },
    ]);
    expect(first).toEqual({
      incoming: TOKENS_PER_MESSAGE + tokens(text(words(30))),
      response: tokens(text("fine")) + tokens(call("t1", { a: 1 })),
    });
    // The frame of the response before it comes with the request that holds it.
    expect(second?.incoming).toBe(2 * TOKENS_PER_MESSAGE + tokens(result("t1", words(40))));
  });

  it("counts no result without its call", () => {
    const [, second] = counted([
      { in: "x", out: [text("fine")] },
      { in: [result("never", words(400)), text("and")], out: [text("done")] },
    ]);
    expect(second?.incoming).toBeLessThan(60);
  });

  it("takes thinking by its text, or by the tokens that its signature told", () => {
    const [shown, hidden] = counted([
      { in: "x", out: [thinking(words(20))] },
      { in: "y", out: [{ type: "thinking", thinking: "", hiddenTokens: 77 }] },
    ]);
    expect(shown?.response).toBe(tokens({ type: "thinking", thinking: words(20) }));
    expect(hidden?.response).toBe(77);
  });
});
