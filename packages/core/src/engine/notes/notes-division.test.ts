import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { AssistantBlock, UserBlock } from "../../messages/content.js";
import type { Message } from "../../messages/message.js";
import { isCompactBoundary } from "../../messages/predicates.js";
import { conversationBuilder } from "../../testing/conversation-builder.js";
import { createHeuristicEstimator } from "../measure/heuristic-estimator.js";
import { cutAtOrBefore } from "../summarise/divide/rounds.js";
import { divideForNotes } from "./notes-division.js";

const estimator = createHeuristicEstimator();

interface Shape {
  readonly calls: number;
  /** The response is stored in pieces, a thinking one first. */
  readonly pieces: boolean;
  readonly says: boolean;
  /** Results come one round too late. */
  readonly late: boolean;
  readonly size: number;
  /** A compaction after the round, where no call is open. */
  readonly compacts: boolean;
}

function conversation(shapes: readonly Shape[]): readonly Message[] {
  const builder = conversationBuilder();
  const messages: Message[] = [builder.user("begin")];
  let owed: UserBlock[] = [];
  for (const [round, { calls, pieces, says, late, size, compacts }] of shapes.entries()) {
    const blocks: AssistantBlock[] = [
      { type: "thinking", thinking: "t".repeat(size), signature: "s" },
      ...(calls === 0 || says ? [{ type: "text" as const, text: "w ".repeat(size) }] : []),
      ...Array.from({ length: calls }, (_, call) => ({
        type: "tool_use" as const,
        id: `t${round}.${call}`,
        name: "Read",
        input: {},
      })),
    ];
    const results = Array.from({ length: calls }, (_, call): UserBlock => ({
      type: "tool_result",
      tool_use_id: `t${round}.${call}`,
      content: "x".repeat(size * 3),
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
    if (says) messages.push(builder.user(`and ${round}`));
    if (compacts && owed.length === 0) messages.push(...builder.compaction());
  }
  if (owed.length > 0) messages.push(builder.user(owed));
  return messages;
}

const shapes = fc.array(
  fc.record({
    calls: fc.nat({ max: 3 }),
    pieces: fc.boolean(),
    says: fc.boolean(),
    late: fc.boolean(),
    size: fc.integer({ min: 1, max: 300 }),
    compacts: fc.integer({ min: 0, max: 9 }).map((chance) => chance === 0),
  }),
  { maxLength: 14 },
);
const settings = fc.record({
  notesKeepTokens: fc.nat({ max: 800 }),
  notesKeepMessages: fc.nat({ max: 5 }),
  notesKeepMostTokens: fc.integer({ min: 0, max: 2000 }),
});
const cases = shapes
  .map(conversation)
  .chain((live) => fc.tuple(fc.constant(live), fc.nat({ max: live.length - 1 }), settings));

/** What a message is tied to: the response it is a piece of, and the calls it makes or answers. */
const ties = (message: Message): readonly string[] => {
  const content =
    "message" in message && Array.isArray(message.message.content) ? message.message.content : [];
  const calls = content.flatMap((block) =>
    block.type === "tool_use" ? [block.id] : block.type === "tool_result" ? [block.tool_use_id] : [],
  );
  return message.type === "assistant" ? [message.message.id, ...calls] : calls;
};

const tokensOf = (messages: readonly Message[]): number =>
  messages.reduce((sum, message) => sum + estimator.message(message), 0);

const textsOf = (messages: readonly Message[]): number =>
  messages.filter(
    (message) =>
      (message.type === "user" || message.type === "assistant") &&
      (typeof message.message.content === "string" ||
        message.message.content.some((block) => block.type === "text")),
  ).length;

describe("what a compaction from notes keeps", () => {
  it("holds over random conversations", () => {
    let tried = 0;
    let divided = 0;
    fc.assert(
      fc.property(cases, ([live, covered, limits]) => {
        tried += 1;
        const coveredUuid = live[covered]?.uuid ?? "";
        const division = divideForNotes(live, { coveredUuid, estimator, settings: limits });
        if (division === undefined) return;
        divided += 1;
        const { variant, summarised, kept } = division;
        const at = summarised.length;
        expect(variant).toBe("up_to");
        expect([...summarised, ...kept]).toEqual(live);

        // No pair and no response is parted.
        const tied = new Set(summarised.flatMap(ties));
        for (const message of kept) for (const tie of ties(message)) expect(tied.has(tie)).toBe(false);

        // The last boundary is never among the kept; nobody goes back past it.
        const least = live.findLastIndex(isCompactBoundary) + 1;
        expect(at).toBeGreaterThanOrEqual(least);

        // What the notes do not cover stays, but for a bare boundary.
        expect(live.slice(covered + 1, at).filter((message) => !isCompactBoundary(message))).toEqual([]);

        const { notesKeepTokens, notesKeepMessages, notesKeepMostTokens } = limits;
        const isEnough = (messages: readonly Message[]): boolean =>
          tokensOf(messages) >= notesKeepTokens && textsOf(messages) >= notesKeepMessages;

        // Enough is kept, unless the boundary or the limit stands in the way.
        if (!isEnough(kept) && at > least) {
          expect(tokensOf(live.slice(at - 1))).toBeGreaterThan(notesKeepMostTokens);
        }

        // Nobody goes back further than the limit, but for what the notes do not cover and what is tied.
        const start = Math.max(covered + 1, least);
        if (at < start && tokensOf(kept) > notesKeepMostTokens) {
          const furthest = live.findIndex(
            (_, index) =>
              index === start || (index >= at && tokensOf(live.slice(index)) <= notesKeepMostTokens),
          );
          expect(at).toBe(Math.max(least, cutAtOrBefore(live, furthest)));
        }
        // Nothing is kept that is not needed: without its first round it would not be enough.
        const later = live.findIndex(
          (_, index) => index > at && index <= start && cutAtOrBefore(live, index) === index,
        );
        if (later !== -1) expect(isEnough(live.slice(later))).toBe(false);
      }),
      { numRuns: 10_000 },
    );
    expect(divided).toBeGreaterThan(tried / 5);
  });

  const turns = (count: number): readonly Message[] =>
    conversation(
      Array.from({ length: count }, () => ({
        calls: 1,
        pieces: true,
        says: true,
        late: false,
        size: 100,
        compacts: false,
      })),
    );
  const limits = { notesKeepTokens: 300, notesKeepMessages: 5, notesKeepMostTokens: 4000 };

  it("is undefined where the covered message is gone", () => {
    expect(divideForNotes(turns(5), { coveredUuid: "gone", estimator, settings: limits })).toBeUndefined();
    expect(divideForNotes([], { coveredUuid: "gone", estimator, settings: limits })).toBeUndefined();
  });

  it("is undefined where nothing would be left out", () => {
    const live = turns(2);
    const coveredUuid = live[0]?.uuid ?? "";
    expect(divideForNotes(live.slice(0, 2), { coveredUuid, estimator, settings: limits })).toBeUndefined();
  });

  it("begins right behind the covered message where that is enough", () => {
    const live = turns(8);
    const coveredUuid = live[live.length - 25]?.uuid ?? "";
    const kept = divideForNotes(live, { coveredUuid, estimator, settings: limits })?.kept ?? [];
    expect(tokensOf(kept)).toBeGreaterThanOrEqual(300);
    expect(live.length - kept.length).toBe(cutAtOrBefore(live, live.length - 24));
  });

  it("is undefined where messages that nobody has noted stand before the last boundary", () => {
    const builder = conversationBuilder();
    const live = [
      builder.user("covered"),
      builder.assistant("not noted"),
      ...builder.compaction(),
      builder.assistant("later"),
    ];
    const coveredUuid = live[0]?.uuid ?? "";
    const none = { notesKeepTokens: 0, notesKeepMessages: 0, notesKeepMostTokens: 0 };
    expect(divideForNotes(live, { coveredUuid, estimator, settings: none })).toBeUndefined();
    const next = live[1]?.uuid ?? "";
    expect(divideForNotes(live, { coveredUuid: next, estimator, settings: none })?.kept).toHaveLength(2);
  });
});
