import { describe, expect, it } from "vitest";
import { conversationBuilder } from "../../../testing/conversation-builder.js";
import { createHeuristicEstimator } from "../../measure/heuristic-estimator.js";
import { dropOldest, TRUNCATION_MARKER, type TruncateOptions } from "./too-long.js";
import type { Message } from "../../../messages/message.js";

const texts = (messages: readonly Message[]): readonly string[] =>
  messages.flatMap((message) =>
    message.type === "user" && typeof message.message.content === "string" ? [message.message.content] : [],
  );

function conversation(rounds: number): readonly Message[] {
  const builder = conversationBuilder();
  return [
    builder.user("begin"),
    ...Array.from({ length: rounds }, (_, round) => [
      builder.assistant([{ type: "tool_use", id: `toolu_${round}`, name: "Read", input: {} }]),
      builder.user([{ type: "tool_result", tool_use_id: `toolu_${round}`, content: "x".repeat(4000) }]),
    ]).flat(),
  ];
}

let uuids = 0;
const options: TruncateOptions = {
  estimator: createHeuristicEstimator(),
  origin: {
    clock: { now: () => 0 },
    ids: { next: () => `new-${(uuids += 1)}` },
    sessionId: "s",
    parentUuid: null,
  },
  digest: (dropped) => `digest of ${dropped.length}`,
  share: 0.2,
};

describe("a conversation that is too long to be summarised", () => {
  it("drops as many of the oldest rounds as cover the gap", () => {
    const attempted = conversation(10);
    const once = dropOldest(
      { attempted, dropped: [] },
      { actualTokens: 203_000, maximumTokens: 200_000 },
      options,
    );
    expect(once?.dropped).toHaveLength(1 + 3 * 2);
    expect(texts(once?.messages ?? [])).toEqual([TRUNCATION_MARKER, "digest of 7"]);
    expect(once?.messages[2]?.type).toBe("assistant");
  });

  it("drops a fifth of the rounds without figures, and never only what a retry put there", () => {
    let state: { messages: readonly Message[]; dropped: readonly Message[] } = {
      messages: conversation(10),
      dropped: [],
    };
    const lengths: number[] = [];
    for (let retry = 0; retry < 3; retry += 1) {
      const next = dropOldest({ attempted: state.messages, dropped: state.dropped }, {}, options);
      if (next === undefined) throw new Error("nothing could go");
      expect(texts(next.messages)).toEqual([TRUNCATION_MARKER, `digest of ${next.dropped.length}`]);
      lengths.push(next.dropped.length);
      state = next;
    }
    expect(lengths).toEqual([5, 9, 13]);
  });

  it("says so when nothing can go", () => {
    expect(dropOldest({ attempted: conversation(0), dropped: [] }, {}, options)).toBeUndefined();
    const huge = { actualTokens: 1_000_000, maximumTokens: 10 };
    expect(dropOldest({ attempted: conversation(3), dropped: [] }, huge, options)).toBeUndefined();
  });
});
