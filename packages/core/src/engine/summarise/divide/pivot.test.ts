import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { AssistantBlock, UserBlock } from "../../../messages/content.js";
import type { Message } from "../../../messages/message.js";
import { conversationBuilder } from "../../../testing/conversation-builder.js";
import { createHeuristicEstimator } from "../../measure/heuristic-estimator.js";
import { unansweredIn } from "../../oversize/unanswered.js";
import { divide } from "./pivot.js";
import type { CompactionScope } from "../run/division.js";
import { groupByRound } from "./rounds.js";

const estimator = createHeuristicEstimator();

interface Shape {
  readonly calls: number;
  readonly pieces: boolean;
  readonly says: boolean;
  /** Results come one round too late. */
  readonly late: boolean;
}

/** Rounds as agents store them: split responses, parallel calls, results between the pieces or late. */
function conversation(shapes: readonly Shape[]): readonly Message[] {
  const builder = conversationBuilder();
  const messages: Message[] = [builder.user("begin")];
  let owed: UserBlock[] = [];
  for (const [round, { calls, pieces, says, late }] of shapes.entries()) {
    const blocks: AssistantBlock[] = [
      { type: "thinking", thinking: "", signature: "s" },
      ...Array.from({ length: calls }, (_, call) => ({
        type: "tool_use" as const,
        id: `t${round}.${call}`,
        name: "Read",
        input: {},
      })),
      ...(calls === 0 ? [{ type: "text" as const, text: "done" }] : []),
    ];
    const results = Array.from({ length: calls }, (_, call): UserBlock => ({
      type: "tool_result",
      tool_use_id: `t${round}.${call}`,
      content: "x".repeat(200),
    }));
    const response = builder.assistant(blocks);
    const split = blocks.map((block, at) => ({
      ...response,
      uuid: `${response.uuid}.${at}`,
      message: { ...response.message, content: [block] },
    }));
    messages.push(...(pieces ? split : [response]));
    const now = [...owed, ...(late ? [] : results)];
    owed = late ? results : [];
    if (now.length > 0) messages.push(builder.user(now));
    if (says || calls === 0) messages.push(builder.user(`and ${round}`));
  }
  if (owed.length > 0) messages.push(builder.user(owed));
  return messages;
}

const shapes = fc.array(
  fc.record({ calls: fc.nat({ max: 3 }), pieces: fc.boolean(), says: fc.boolean(), late: fc.boolean() }),
  { maxLength: 12 },
);

/** What a message is tied to: the response it is a piece of, and the calls it makes or answers. */
const ties = (message: Message): readonly string[] => {
  const content =
    "message" in message && Array.isArray(message.message.content) ? message.message.content : [];
  const calls = content.flatMap((block) =>
    block.type === "tool_use" ? [block.id] : block.type === "tool_result" ? [block.tool_use_id] : [],
  );
  return message.type === "assistant" ? [message.message.id, ...calls] : calls;
};

const scopes = (live: readonly Message[]): fc.Arbitrary<CompactionScope> =>
  fc.oneof(
    fc.nat({ max: 2000 }).map((keepRecentTokens): CompactionScope => ({ kind: "full", keepRecentTokens })),
    fc
      .tuple(fc.nat({ max: 300 }), fc.nat({ max: 2000 }))
      .map(([keepRecentTokens, keepLastTokens]): CompactionScope => ({
        kind: "full",
        keepRecentTokens,
        keepLastTokens,
      })),
    fc
      .tuple(fc.constantFrom("from" as const, "up_to" as const), fc.nat({ max: live.length - 1 }))
      .map(([kind, at]): CompactionScope => ({ kind, pivot: live[at]?.uuid ?? "" })),
  );

const tokensOf = (messages: readonly Message[]): number =>
  messages.reduce((sum, message) => sum + estimator.message(message), 0);

it("parts no response from what was said while it was on its way: that is stored before it", () => {
  const builder = conversationBuilder();
  const [begin, meanwhile, answer] = [
    builder.user("begin"),
    builder.user("meanwhile"),
    builder.assistant("one"),
  ];
  const late = { ...answer, overtakes: [meanwhile.uuid] };
  const rest = [builder.assistant("two"), builder.user("more"), builder.assistant("three")];
  const live: readonly Message[] = [begin, late, meanwhile, ...rest];
  const upTo = divide(live, { kind: "up_to", pivot: meanwhile.uuid }, estimator);
  expect(upTo?.kept.map(({ uuid }) => uuid)).toEqual(live.slice(1).map(({ uuid }) => uuid));
  const from = divide(live, { kind: "from", pivot: meanwhile.uuid }, estimator);
  expect(from?.kept).toEqual([begin]);
});

describe("cutting a conversation", () => {
  it("never parts a call from its result or a response from its pieces", () => {
    fc.assert(
      fc.property(
        shapes.map(conversation).chain((live) => fc.tuple(fc.constant(live), scopes(live))),
        ([live, scope]) => {
          const division = divide(live, scope, estimator);
          if (division === undefined) return;
          const { variant, summarised, kept } = division;
          expect(variant === "from" ? [...kept, ...summarised] : [...summarised, ...kept]).toEqual(live);
          const tied = new Set(summarised.flatMap(ties));
          for (const message of kept) for (const tie of ties(message)) expect(tied.has(tie)).toBe(false);
          if (scope.kind === "full" && kept.length > 0) {
            const { keepRecentTokens, keepLastTokens = 0 } = scope;
            // Only a round that stands alone may be larger than what is kept of several.
            const isLastAlone = groupByRound(live).at(-1)?.length === kept.length;
            const most = isLastAlone ? Math.max(keepRecentTokens, keepLastTokens) : keepRecentTokens;
            expect(tokensOf(kept)).toBeLessThanOrEqual(most);
            expect(kept[0]?.type).toBe("assistant");
          }
        },
      ),
      { numRuns: 3000 },
    );
  });

  it("keeps what nobody has answered yet while it fits, and parts nothing there either", () => {
    fc.assert(
      fc.property(
        shapes.map(conversation).chain((live) => fc.tuple(fc.constant(live), scopes(live))),
        fc.nat({ max: 3000 }),
        ([live, scope], all) => {
          if (scope.kind !== "full") return;
          const unanswered = unansweredIn(live);
          const division = divide(live, scope, estimator, { all, summary: 100 });
          const { summarised = [], kept = [] } = division ?? {};
          const tied = new Set(summarised.flatMap(ties));
          for (const message of kept) for (const tie of ties(message)) expect(tied.has(tie)).toBe(false);
          const beside = Math.min(100, tokensOf(live) - tokensOf(unanswered));
          if (tokensOf(unanswered) + beside > all) return;
          expect(summarised.filter((message) => unanswered.includes(message))).toEqual([]);
          if (division === undefined) expect(tokensOf(live)).toBeLessThanOrEqual(all);
        },
      ),
      { numRuns: 3000 },
    );
  });

  it("what nobody has answered yet: all that was said after the last response, calls only with their results", () => {
    fc.assert(
      fc.property(shapes.map(conversation), (live) => {
        const unanswered = unansweredIn(live);
        const lastResponse = live.findLastIndex(({ type }) => type === "assistant");
        const said = live.slice(lastResponse + 1);
        expect(said.filter((message) => !unanswered.includes(message))).toEqual([]);
        expect(unansweredIn(unanswered)).toEqual(unanswered);
        const before = live.slice(0, live.length - unanswered.length);
        const tied = new Set(before.flatMap(ties));
        for (const message of unanswered) for (const tie of ties(message)) expect(tied.has(tie)).toBe(false);
        const hasResults = unanswered.some((message) => message.type === "user" && ties(message).length > 0);
        expect(unanswered.some(({ type }) => type === "assistant")).toBe(hasResults);
      }),
      { numRuns: 3000 },
    );
  });

  it("a summary is not summarised again while the newest message waits, unless the request would not fit", () => {
    const builder = conversationBuilder();
    const summary = { ...builder.user("s".repeat(4000)), isCompactSummary: true };
    const live = [summary, builder.user("x".repeat(4000))];
    const scope = { kind: "full", keepRecentTokens: 10 } as const;
    expect(divide(live, scope, estimator, { all: 5000, summary: 100 })).toBeUndefined();
    expect(divide(live, scope, estimator, { all: 1500, summary: 100 })?.kept).toEqual(live.slice(1));
  });

  it("groups are the conversation in order", () => {
    fc.assert(
      fc.property(shapes.map(conversation), (live) => {
        expect(groupByRound(live).flat()).toEqual(live);
      }),
    );
  });

  it("a pivot inside a round moves to its beginning, one behind it stays", () => {
    const live = conversation([
      { calls: 2, pieces: true, says: true, late: false },
      { calls: 0, pieces: false, says: false, late: false },
    ]);
    const inside = divide(live, { kind: "from", pivot: live[3]?.uuid ?? "" }, estimator);
    expect(inside?.kept).toHaveLength(1);
    const said = live.findIndex((message) => message.type === "user" && message.message.content === "and 0");
    expect(divide(live, { kind: "from", pivot: live[said]?.uuid ?? "" }, estimator)?.kept).toHaveLength(said);
    expect(divide(live, { kind: "from", pivot: "nowhere" }, estimator)).toBeUndefined();
    expect(divide(live, { kind: "up_to", pivot: live[0]?.uuid ?? "" }, estimator)).toBeUndefined();
  });

  describe("a newest round that is larger than what is kept of several", () => {
    const plain = { pieces: false, says: false, late: false };
    const live = conversation([
      { ...plain, calls: 1 },
      { ...plain, calls: 1 },
      { ...plain, calls: 3 },
    ]);
    const rounds = groupByRound(live);
    const last = rounds.at(-1) ?? [];
    const size = tokensOf(last);
    const keptWith = (keepRecentTokens: number, keepLastTokens?: number): readonly Message[] | undefined =>
      divide(
        live,
        { kind: "full", keepRecentTokens, ...(keepLastTokens === undefined ? {} : { keepLastTokens }) },
        estimator,
      )?.kept;

    it("is kept up to keepLastTokens, and alone", () => {
      expect(keptWith(size - 1)).toEqual([]);
      expect(keptWith(size - 1, size - 1)).toEqual([]);
      expect(keptWith(size - 1, size)).toEqual(last);
      expect(keptWith(1, 1_000_000)).toEqual(last);
    });

    it("changes nothing where it is smaller than keepRecentTokens, or where nothing is to be kept", () => {
      const both = tokensOf(rounds.slice(-2).flat());
      expect(keptWith(both, size)).toEqual(keptWith(both));
      expect(keptWith(both, 1)).toEqual(rounds.slice(-2).flat());
      expect(keptWith(0, 1_000_000)).toEqual([]);
    });

    it("is not kept where it is all there is", () => {
      const only = groupByRound(live)[0] ?? [];
      const scope = { kind: "full", keepRecentTokens: 1, keepLastTokens: 1_000_000 } as const;
      expect(divide(only, scope, estimator)).toEqual({ variant: "full", summarised: only, kept: [] });
    });
  });
});
