import { findModel } from "@palimpsest/core";
import { describe, expect, it } from "vitest";
import {
  call,
  madeUpConversation,
  readingRounds,
  result,
  text,
  thinking,
  words,
  type MadeUpRound,
} from "../testing/made-up-rounds.js";
import { parsePolicies, policyNames } from "../policies/parse-policies.js";
import { playConversation, type PlayOptions } from "./play-conversation.js";
import { someOf } from "../../testing/share.js";

const ALL = policyNames.join(",");

async function play(rounds: readonly MadeUpRound[], options: Partial<PlayOptions> & { model?: string } = {}) {
  const conversation = await madeUpConversation(rounds);
  return playConversation(conversation, { policies: parsePolicies(ALL), ...options });
}

const MODELS = ["claude-opus-4-5", "claude-opus-5-5", "claude-sonnet-5", "claude-haiku-4-5"];

describe("every policy sends valid requests, on every kind of model", () => {
  it.each(someOf(MODELS, 2))("%s: a long conversation with thinking in a small window", async (model) => {
    const { result: played } = await play(readingRounds(15, 1600), { model, window: 60_000 });
    expect(played.model).toBe(model);
    for (const figures of Object.values(played.policies)) expect(figures.invalid).toBe(0);
    const { policies } = played;
    for (const name of ["palimpsest", "truncate", "truncate@1h", "summarise-all", "summarise-all@1h"]) {
      const { turns, compactions } = policies[name] ?? { turns: 0, compactions: {} };
      expect({ name, turns, edits: Object.keys(compactions).length > 0 }).toEqual({
        name,
        turns: 15,
        edits: true,
      });
    }
    expect(policies["none"]?.endedAtTurn).toBeGreaterThan(2);
  });

  it.each(MODELS)("%s: responses in a row, calls without results, results without calls", async (model) => {
    const rounds: readonly MadeUpRound[] = [
      { out: [text("I begin without being asked")] },
      { in: "do it", out: [thinking("hm"), text("first")] },
      { out: [thinking("more"), text("second, nobody said anything")] },
      { out: [thinking("again"), call("t1", { file_path: "a.ts" })] },
      { out: [thinking("nothing came back"), text("so what")] },
      { in: [result("never-called", "lost")], out: [thinking("odd"), text("odd")] },
      { in: "", out: [thinking("said nothing"), text("fine")] },
      { in: "go", out: [thinking("one"), call("t2"), call("t3")] },
      { in: [result("t2", "two")], out: [thinking("only thought")] },
      { in: "go on", out: [text("done")] },
    ];
    const { result: played } = await play(rounds, { model });
    for (const [name, { invalid, turns }] of Object.entries(played.policies)) {
      expect({ name, invalid, turns }).toEqual({ name, invalid: 0, turns: rounds.length });
    }
  });

  it("names of tools and calls that the API does not know", async () => {
    const odd = { type: "tool_use", id: "call:1/ä", name: "Read", input: {} } as const;
    const { result: played } = await play([
      { in: "x", out: [odd] },
      { in: [result("call:1/ä", "found it")], out: [text("done")] },
    ]);
    for (const { invalid, turns } of Object.values(played.policies)) {
      expect({ invalid, turns }).toEqual({ invalid: 0, turns: 2 });
    }
  });
});

describe("a conversation whose cost can be computed by hand", () => {
  const model = "claude-opus-4-5";
  const prices = findModel(model)?.prices;

  it("writes everything once, reads it from then on, and pays for what is said", async () => {
    const rounds = [
      { in: words(50), out: [text("one")] },
      { in: words(60), out: [text("two")] },
    ];
    const { result: played } = await play(rounds, {
      model,
      policies: parsePolicies("none"),
      series: true,
    });
    const { none } = played.policies;
    const [first, second] = none?.series ?? [];
    if (first === undefined || second === undefined || prices === undefined || none === undefined)
      throw new Error("two turns are expected");
    const said = first.outputTokens;
    expect(first).toMatchObject({ cacheReadTokens: 0, inputTokens: 0, cacheBreak: null, edits: [] });
    expect(first.cacheWriteTokens).toBe(first.promptTokens);
    expect(second.cacheReadTokens).toBe(first.promptTokens);
    expect(second.promptTokens).toBe(first.promptTokens + second.cacheWriteTokens);
    const dollars =
      ((first.cacheWriteTokens + second.cacheWriteTokens) * prices.cacheWrite5m +
        second.cacheReadTokens * prices.cacheRead +
        (said + second.outputTokens) * prices.output) /
      1e6;
    expect(none.cost).toBeCloseTo(dollars, 10);
    // An unlimited window with a perfect cache costs the same here: nothing was lost.
    expect(none.costRatio).toBeCloseTo(1, 6);
    expect(played.unlimitedCost).toBeCloseTo(dollars, 6);
    expect(none.cacheHit).toBeCloseTo(first.promptTokens / (first.promptTokens + second.promptTokens), 10);
  });

  it("pays for a cache that expired in between, and not with entries that live an hour", async () => {
    const rounds = [
      { in: words(50), out: [text("one")] },
      { in: "go on", out: [text("two")], after: 10 },
      { in: "go on", out: [text("three")], after: 70 },
    ];
    const { result: played } = await play(rounds, { model, policies: parsePolicies("none"), series: true });
    const lost = (name: string) =>
      played.policies[name]?.series?.map(({ cacheBreak }) => cacheBreak?.reason ?? null);
    expect(lost("none")).toEqual([null, "expired", "expired"]);
    expect(lost("none@1h")).toEqual([null, null, "expired"]);
  });
});

describe("what a conversation may lack", () => {
  const finite = (value: unknown): void => {
    if (typeof value === "number") expect(Number.isFinite(value)).toBe(true);
    else if (typeof value === "object" && value !== null) Object.values(value).forEach(finite);
  };

  it.each<readonly [string, readonly MadeUpRound[]]>([
    ["rounds", []],
    ["a second turn", [{ in: "hi", out: [text("hello")] }]],
    [
      "tool calls",
      [
        { in: "a", out: [text("b")] },
        { in: "c", out: [text("d")] },
      ],
    ],
    [
      "usage in some places",
      [
        { in: "a", out: [text("b")] },
        {
          in: "c",
          out: [text("d")],
          usage: { input_tokens: 30_000, output_tokens: 5 },
        },
      ],
    ],
  ])("%s", async (_, rounds) => {
    const { result: played } = await play(rounds, { series: true, missing: true });
    finite(played);
    expect(played.rounds).toBe(rounds.length);
    for (const { turns, invalid, recall, userWords } of Object.values(played.policies)) {
      expect({ turns, invalid, recall, userWords }).toEqual({
        turns: rounds.length,
        invalid: 0,
        recall: 1,
        userWords: 1,
      });
    }
  });

  it("takes the most used known model, else the one that was asked for", async () => {
    const conversation = await madeUpConversation([
      { in: "a", out: [text("b")], model: "somebody-else" },
      { in: "a", out: [text("b")], model: "somebody-else" },
      { in: "a", out: [text("b")], model: "claude-sonnet-5" },
    ]);
    const policies = parsePolicies("none");
    const { result: known } = await playConversation(conversation, { policies, model: "claude-opus-5" });
    expect(known.model).toBe("claude-sonnet-5");
    const unknown = await madeUpConversation([{ in: "a", out: [text("b")] }], "gpt-x");
    const { result: asked } = await playConversation(unknown, { policies, model: "claude-opus-5" });
    expect(asked.model).toBe("claude-opus-5");
    await expect(playConversation(unknown, { policies, model: "gpt-x" })).rejects.toThrow("no prices");
  });
});
