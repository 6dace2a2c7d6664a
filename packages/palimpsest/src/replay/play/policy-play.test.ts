import { findModel } from "@palimpsest/core";
import { describe, expect, it } from "vitest";
import { call, madeUpRounds, readingRounds, text, words } from "../testing/made-up-rounds.js";
import { createLineFinder } from "../forgetting/context-lines.js";
import { createFileNames } from "../forgetting/file-names.js";
import { NOTHING_NEEDED } from "../forgetting/needs.js";
import { createUserWordsJudge } from "../measures/user-words.js";
import { parsePolicies } from "../policies/parse-policies.js";
import type { Policy } from "../policies/policy.js";
import { PolicyPlay } from "./policy-play.js";
import { createSharedCounter } from "../../simulator/tokens/shared-counter.js";

const model = findModel("claude-opus-4-5");
if (model === undefined) throw new Error("the model is in the table");
const counter = createSharedCounter();
const head = { system: "You help.", tools: [], tokens: 3, from: "assumed" } as const;
const tools = [{ name: "Read", description: "", input_schema: { type: "object", properties: {} } }];

async function play(policy: Policy, rounds: ReturnType<typeof madeUpRounds>, window = 60_000) {
  const userWords = createUserWordsJudge();
  const played = new PolicyPlay({
    policy,
    ttl: policy.ttls[0] ?? "5m",
    model: model as NonNullable<typeof model>,
    window,
    maxTokens: 4096,
    head: { ...head, tools },
    counter,
    startTime: 0,
    userWords,
    finder: createLineFinder(new Set(), createFileNames()),
    keepsMissing: true,
  });
  for (const [turn, round] of rounds.entries()) {
    userWords.note(round.incoming);
    const references = [{ kind: "path", text: "src/never-said.ts", tool: "Read" }] as const;
    await played.turn(round, turn, { ...NOTHING_NEEDED, references });
  }
  return played;
}

const named = (name: string): Policy => {
  const [policy] = parsePolicies(name);
  if (policy === undefined) throw new Error("there is one");
  return policy;
};

/** A policy whose requests are made from those of `none`. */
function changed(change: Partial<ReturnType<Policy["start"]>>): Policy {
  const none = named("none");
  return { ...none, start: (host) => ({ ...none.start(host), ...change }) };
}

describe("a conversation that cannot go on", () => {
  it("counts the request over the window, and every one behind it", async () => {
    const rounds = madeUpRounds(readingRounds(20, 1500));
    const { tally, ending } = await play(named("none"), rounds);
    expect(ending).toMatchObject({ isOverflow: true });
    expect(ending?.because).toContain("prompt is too long");
    expect(tally.turns).toBe(ending?.turn);
    expect(tally.overflow).toBe(rounds.length - tally.turns);
    expect(tally.invalid).toBe(0);
  });

  it("counts what the API rejects, and every request behind it", async () => {
    const broken = changed({
      prepare: async () => ({
        kind: "request",
        call: { request: { model: "claude-opus-4-5", max_tokens: 10, messages: [] }, betas: [] },
        edits: [],
      }),
    });
    const { tally, ending } = await play(broken, madeUpRounds(readingRounds(3, 5)));
    expect(ending).toMatchObject({ turn: 0, isOverflow: false });
    expect(tally).toMatchObject({ invalid: 3, overflow: 0, turns: 0, cost: 0 });
  });

  it("ends where the policy holds the request back", async () => {
    const held = changed({ prepare: async () => ({ kind: "held", message: "no room", edits: [] }) });
    const { tally, ending } = await play(held, madeUpRounds(readingRounds(4, 5)));
    expect(ending).toEqual({ turn: 0, because: "no room", isOverflow: true });
    expect(tally).toMatchObject({ overflow: 4, turns: 0 });
  });

  it("gives up on a policy that only ever tries again", async () => {
    const stubborn = changed({ refused: async () => ({ next: "retry", edits: [] }) });
    const { tally, ending } = await play(stubborn, madeUpRounds([{ in: words(30_000), out: [text("x")] }]));
    expect(ending).toMatchObject({ turn: 0, isOverflow: true });
    expect(tally).toMatchObject({ overflow: 4, turns: 0 });
  });
});

describe("a conversation that reaches its end", () => {
  it("counts turns, references, words of people, and what was missing", async () => {
    const rounds = madeUpRounds([
      { in: "one", out: [call("t1")] },
      { in: "two", out: [text("b")] },
    ]);
    const { tally, ending, missing } = await play(named("none"), rounds);
    expect(ending).toBeUndefined();
    expect(tally).toMatchObject({
      turns: 2,
      references: 2,
      missingReferences: 2,
      humanMessages: 3,
      presentMessages: 3,
      sideCalls: 0,
      invalid: 0,
      overflow: 0,
    });
    expect(tally.cpu).toHaveLength(1);
    expect(tally.cpu[0]).toHaveLength(2);
    expect(missing).toMatchObject([
      { turn: 0, tool: "Read", kind: "path", reference: "src/never-said.ts" },
      { turn: 1 },
    ]);
  });

  it("bills calls for summaries, and counts compactions that come soon after another", async () => {
    const { tally } = await play(named("summarise-all(at=0.12)"), madeUpRounds(readingRounds(10, 1500)));
    expect(tally.compactions["full"]).toBeGreaterThan(2);
    expect(tally.sideCalls).toBe(tally.compactions["full"]);
    expect(tally.sideCost).toBeGreaterThan(0);
    expect(tally.sideCost).toBeLessThan(tally.cost);
    expect(tally.recompactions).toBeGreaterThan(0);
  });

  it.each([
    [10, 1],
    [11, 0],
  ])(
    "counts a compaction %i rounds after the one before %i times as one that came soon",
    async (rounds, count) => {
      const compacting = compactingAt([2, 2 + rounds]);
      const { tally } = await play(compacting, madeUpRounds(readingRounds(16, 10)));
      expect(tally).toMatchObject({ compactions: { full: 2 }, recompactions: count });
    },
  );
});

/** `none`, which says of the turns named that it compacted there. */
function compactingAt(turns: readonly number[]): Policy {
  const none = named("none");
  const edits = [{ tier: "full", tokensBefore: 2, tokensAfter: 1 }];
  return {
    ...none,
    start(host) {
      const run = none.start(host);
      let turn = -1;
      return {
        ...run,
        append: (messages) => run.append(messages),
        answered: (response) => run.answered(response),
        refused: (error) => run.refused(error),
        async prepare() {
          turn += 1;
          const prepared = await run.prepare();
          return turns.includes(turn) ? { ...prepared, edits } : prepared;
        },
      };
    },
  };
}
