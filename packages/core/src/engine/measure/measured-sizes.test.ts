import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { Message } from "../../messages/message.js";
import { createContextMeter } from "./context-meter.js";
import { createDefaultEstimator } from "./default-estimator.js";
import { createHeuristicEstimator } from "./heuristic-estimator.js";
import { createMeasuredSizes } from "./measured-sizes.js";

let count = 0;
const base = () => {
  count += 1;
  return { uuid: `u${count}`, parentUuid: null, timestamp: "2026-11-15T10:00:00.000Z", sessionId: "s" };
};
const user = (content: unknown): Message =>
  ({ ...base(), type: "user", message: { role: "user", content } }) as Message;
const response = (input: number, output: number): Message =>
  ({
    ...base(),
    type: "assistant",
    message: {
      id: `m${count}`,
      role: "assistant",
      model: "claude-opus-5",
      content: [{ type: "text", text: "ok" }],
      usage: { input_tokens: input, output_tokens: output },
      stop_reason: "end_turn",
    },
  }) as unknown as Message;

describe("what a response shows of messages", () => {
  it("stays with them: together they have what was shown, blocks and all", () => {
    const sizes = createMeasuredSizes(createHeuristicEstimator());
    const block = { type: "text", text: "#.".repeat(2000) };
    const [dense, plain] = [user([block]), user("word ".repeat(200))];
    expect(sizes.message(dense)).toBe(1000);
    const { difference, changed } = sizes.measure([dense, plain], 5000);
    expect(sizes.message(dense) + sizes.message(plain)).toBe(5000);
    expect(difference).toBe(5000 - 1250);
    expect(changed).toEqual([dense, plain]);
    expect(sizes.block(block)).toBe(sizes.message(dense));
    // A message that holds the same block, as a clearing of its neighbour leaves it, keeps what is known of it.
    expect(sizes.message(user([block]))).toBe(sizes.message(dense));
  });

  it("what is known already is not spread again", () => {
    const sizes = createMeasuredSizes(createHeuristicEstimator());
    const [first, second] = [user("a".repeat(4000)), user("b".repeat(4000))];
    sizes.measure([first], 3000);
    sizes.measure([first, second], 3500);
    expect([sizes.message(first), sizes.message(second)]).toEqual([3000, 500]);
  });

  it("figures that cannot be theirs are passed over", () => {
    const sizes = createMeasuredSizes(createHeuristicEstimator());
    const message = user("a".repeat(4000));
    for (const tokens of [0, -5, Number.NaN, Number.POSITIVE_INFINITY, 1_000_000]) {
      expect(sizes.measure([message], tokens).changed).toEqual([]);
    }
    expect(sizes.message(message)).toBe(1000);
  });
});

describe("an error of the estimate", () => {
  const head = 20_000;
  const meterOf = () => {
    const meter = createContextMeter({ estimator: createHeuristicEstimator() });
    meter.useHead(head);
    return meter;
  };

  it("lands on the messages that caused it, never on system prompt and tools", () => {
    const meter = meterOf();
    const map = user("#.".repeat(9800));
    // Estimated at 4,900, and it is 11,441.
    const { shownOverhead } = meter.append([map, response(head + 11_441, 10)]);
    expect(shownOverhead).toBeLessThanOrEqual(head * 1.35);
    const later = meter.append([user("#.".repeat(9800)), response(head + 2 * 11_441 + 10, 10)]);
    expect(later.shownOverhead).toBe(shownOverhead);
    expect(later.messageTokens).toBeGreaterThan(2 * 11_441 * 0.6);
  });

  it("system prompt and tools change by themselves alone", () => {
    const meter = meterOf();
    const before = meter.append([user("hello"), response(head + 5, 10)]).shownOverhead;
    expect(meter.useHead(head + 3000).shownOverhead).toBe(before + 3000);
  });

  it("lands on the messages where there is neither system prompt nor tools", () => {
    const meter = createContextMeter({ estimator: createHeuristicEstimator() });
    // Estimated at 4,900.
    const size = meter.append([user("#.".repeat(9800)), response(6500, 10)]);
    expect(size).toMatchObject({ shownOverhead: 0, tokens: 6510 });
    expect(size.messageTokens).toBeGreaterThan(6490);
  });

  it("is not what is left over beside a short message: somebody else has added a prompt", () => {
    const meter = createContextMeter({ estimator: createHeuristicEstimator() });
    const size = meter.append([user("word ".repeat(200)), response(20_250, 10)]);
    expect(size).toMatchObject({ shownOverhead: 20_000, messageTokens: 251 });
  });

  it("is no part of system prompt and tools once they are known, where they were not when it was made", () => {
    // As when a conversation is resumed: what its responses reported is read before the next request is laid out.
    const meter = createContextMeter({ estimator: createHeuristicEstimator() });
    expect(meter.append([user("#.".repeat(9800)), response(11_441, 10)]).shownOverhead).toBe(6541);
    expect(meter.useHead(100)).toMatchObject({ shownOverhead: 135, tokens: 11_451 });
  });

  it("is taken back where messages were estimated at more than all that was read", () => {
    const meter = createContextMeter({ estimator: createHeuristicEstimator() });
    const size = meter.append([user("words ".repeat(4000)), response(3000, 10)]);
    expect(size.shownOverhead).toBe(0);
    expect(size.messageTokens).toBeLessThan(3020);
  });

  it("a refusal is the size of what was refused, and teaches what was new in it", () => {
    const meter = meterOf();
    meter.append([user("go"), response(head + 2, 10)]);
    const [old, paste] = [user("a".repeat(400)), user("#.".repeat(20_000))];
    meter.append([old, response(head + 112, 10)]);
    meter.append([paste]);
    const refused = meter.refused(155_003);
    expect(refused).toMatchObject({ tokens: 155_003, padded: 155_003, reported: 155_003, estimated: 0 });
    // What has been refused is in the messages now, whatever becomes of the list.
    const boundary = {
      ...base(),
      type: "system",
      subtype: "microcompact_boundary",
      microcompactMetadata: {
        variant: "size-based",
        trigger: "auto",
        toolUseIds: ["gone"],
        tokensBefore: 0,
        tokensAfter: 0,
      },
    } as unknown as Message;
    const after = meter.append([boundary]);
    expect(after.reported).toBe(0);
    expect(Math.abs(after.tokens - 155_003)).toBeLessThan(200);
  });

  it("whatever responses report, the size right after one is what it says, and never anything odd", () => {
    fc.assert(
      fc.property(
        fc.array(
          fc.record({
            text: fc.oneof(fc.string({ maxLength: 300 }), fc.constant("#.".repeat(3000)), fc.constant("")),
            input: fc.integer({ min: -10, max: 300_000 }),
            output: fc.nat({ max: 9000 }),
            refused: fc.boolean(),
          }),
          { maxLength: 20 },
        ),
        (turns) => {
          const meter = createContextMeter({
            estimator: createDefaultEstimator({ model: "claude-opus-5" }),
          });
          for (const { text, input, output, refused } of turns) {
            meter.append([user(text)]);
            const size = refused ? meter.refused(input) : meter.append([response(input, output)]);
            if (!refused && input > 0) expect(size.tokens).toBe(input + output);
            for (const figure of Object.values(size)) expect(Number.isFinite(figure)).toBe(true);
            expect(size.padded).toBeGreaterThanOrEqual(size.tokens);
            expect(size.messageTokens).toBeGreaterThanOrEqual(0);
          }
        },
      ),
      { numRuns: 500 },
    );
  });
});
