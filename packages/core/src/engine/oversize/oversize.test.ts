import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { UserBlock } from "../../messages/content.js";
import type { Message } from "../../messages/message.js";
import { conversationBuilder } from "../../testing/conversation-builder.js";
import { createDefaultEstimator } from "../measure/default-estimator.js";
import { applyCuts, applyOversizeBoundaries, restateCuts } from "./apply-cuts.js";
import { cutToEnds } from "./cut-to-ends.js";
import { decideCuts } from "./decide-cuts.js";
import { changeTexts, textsIn } from "../boundaries/message-texts.js";
import { createOversizeBoundary, isOversizeBoundary, type CutText } from "../boundaries/oversize-boundary.js";
import { unansweredFrom } from "./unanswered.js";

const estimator = createDefaultEstimator({ model: "claude-sonnet-5" });
const origin = { clock: { now: () => 0 }, ids: { next: () => "b" }, sessionId: "s", parentUuid: null };
const note = (leftOut: number): string => `[${leftOut} left out]`;

/** Texts of any length and kind, halves of characters and lines among them. */
const text = fc
  .tuple(
    fc.array(fc.constantFrom("a", "word ", "\n", "😀", "\ud83d", "漢"), { maxLength: 40 }),
    fc.nat({ max: 80 }),
  )
  .map(([pieces, times]) => pieces.join("").repeat(times));

const block = fc.oneof(
  text.map((value): UserBlock => ({ type: "text", text: value })),
  text.map((content): UserBlock => ({ type: "tool_result", tool_use_id: "t", content })),
  fc.array(text, { maxLength: 3 }).map((texts): UserBlock => ({
    type: "tool_result",
    tool_use_id: "t",
    content: texts.map((value) => ({ type: "text", text: value })),
  })),
  text.map((data): UserBlock => ({
    type: "document",
    source: { type: "text", media_type: "text/plain", data },
  })),
);

const messages = fc
  .array(fc.oneof(text, fc.array(block, { maxLength: 4 })), { minLength: 1, maxLength: 5 })
  .map((contents): readonly Message[] => {
    const builder = conversationBuilder();
    return contents.map((content) => builder.user(content));
  });

const tokensOf = (list: readonly Message[]): number =>
  list.reduce((sum, message) => sum + estimator.message(message), 0);

const cut = (list: readonly Message[], target: number): readonly CutText[] | undefined =>
  decideCuts(list, { estimator, target, most: Infinity })?.flatMap(
    ({ uuid, path, text: whole, tokens: size, tokensAfter: tokens }) => {
      const ends = cutToEnds(whole, { estimator, size, tokens, note });
      return ends === undefined ? [] : [{ uuid, path, characters: whole.length, ...ends }];
    },
  );

describe("cutting texts that are too long", () => {
  it("leaves the ends of the longest, the others as they are, and no more than was asked for", () => {
    fc.assert(
      fc.property(messages, fc.integer({ min: 0, max: 6000 }), (list, target) => {
        const cuts = cut(list, target) ?? [];
        const after = applyCuts(list, cuts);
        const texts = list.flatMap(textsIn);
        const left = after.flatMap(textsIn);
        expect(left.map(({ path }) => path)).toEqual(texts.map(({ path }) => path));
        const sizes = texts.map((one) => estimator.block(one.text));
        const mostLeft = Math.max(
          400,
          ...left.map((one, at) => (one.text === texts[at]?.text ? (sizes[at] ?? 0) : 0)),
        );
        for (const [at, one] of left.entries()) {
          const whole = texts[at]?.text ?? "";
          if (one.text === whole) continue;
          const [head = "", tail = ""] = one.text.split(/\[\d+ left out\]/);
          expect(whole.startsWith(head) && whole.endsWith(tail)).toBe(true);
          expect(one.text.length).toBeLessThan(whole.length);
          expect(sizes[at]).toBeGreaterThanOrEqual(Math.min(mostLeft, 400));
        }
        // Below what is left of each text at least nothing can be done.
        const least =
          texts.reduce((sum, _one, at) => sum + Math.min(400, sizes[at] ?? 0), tokensOf(list)) -
          sizes.reduce((sum, size) => sum + size, 0);
        expect(tokensOf(after)).toBeLessThanOrEqual(Math.max(target, least) + texts.length * 30);
      }),
      { numRuns: 1000 },
    );
  });

  it("read again from what was stored it gives the same, however often, and in steps", () => {
    fc.assert(
      fc.property(messages, fc.nat({ max: 5000 }), fc.nat({ max: 3000 }), (list, first, second) => {
        const once = createOversizeBoundary(origin, {
          cut: cut(list, first) ?? [],
          tokensBefore: 0,
          tokensAfter: 0,
        });
        expect(isOversizeBoundary(once)).toBe(true);
        const live = applyOversizeBoundaries([...list, once]);
        expect(applyOversizeBoundaries(live)).toBe(live);
        const twice = createOversizeBoundary(origin, {
          cut: cut(live.slice(0, -1), second) ?? [],
          tokensBefore: 0,
          tokensAfter: 0,
        });
        const next = [...applyCuts(live, twice.oversizeMetadata.cut), twice];
        expect(applyOversizeBoundaries([...list, once, twice])).toEqual(next);
        expect(applyOversizeBoundaries(next)).toBe(next);
        // A compaction that keeps the messages and not the boundaries says it again.
        const restated = restateCuts(next, next.slice(0, list.length));
        expect(applyCuts(list, restated?.cut ?? [])).toEqual(next.slice(0, list.length));
      }),
      { numRuns: 1000 },
    );
  });

  it("a boundary from a file may be anything, and so may messages", () => {
    const anything = fc.anything({ maxDepth: 3 });
    const metadata = fc.oneof(
      anything,
      fc.record({
        cut: fc.array(
          fc.oneof(
            anything,
            fc.record({
              uuid: fc.constantFrom("m", 1),
              path: fc.oneof(fc.array(fc.integer({ min: -1, max: 2 }), { maxLength: 3 }), anything),
              characters: fc.oneof(fc.integer({ min: -1, max: 20 }), fc.double()),
              head: fc.integer({ min: -1, max: 20 }),
              tail: fc.integer({ min: -1, max: 20 }),
              note: fc.constantFrom("", "n", 1),
            }),
          ),
          { maxLength: 3 },
        ),
        tokensBefore: fc.constantFrom(0, -1, "x"),
        tokensAfter: fc.constant(0),
      }),
    );
    fc.assert(
      fc.property(metadata, anything, (oversizeMetadata, content) => {
        const list = [
          { type: "user", uuid: "m", message: { role: "user", content } },
          { type: "user", uuid: "n" },
          { type: "assistant", uuid: "o", message: { content } },
          { type: "attachment", uuid: "p", attachment: { type: "queued_command", prompt: content } },
          { type: "system", uuid: "q", subtype: "oversize_boundary", oversizeMetadata },
        ] as unknown as readonly Message[];
        const applied = applyOversizeBoundaries(list);
        expect(applied).toHaveLength(list.length);
        expect(applyOversizeBoundaries(applied)).toEqual(applied);
        for (const message of list) expect(changeTexts(message, (same) => same)).toBe(message);
        expect(unansweredFrom(list)).toBeLessThanOrEqual(list.length);
      }),
      { numRuns: 2000 },
    );
  });

  it("keeps whole lines where lines are short, and cuts where there is one alone", () => {
    const lines = Array.from({ length: 1000 }, (_, at) => `line ${at}`).join("\n");
    const options = { estimator, size: estimator.block(lines), tokens: 200, note };
    const { head, tail } = cutToEnds(lines, options) ?? { head: 0, tail: 0 };
    expect(lines.slice(0, head)).toMatch(/line \d+$/);
    expect(lines[head]).toBe("\n");
    expect(lines.slice(-tail)).toMatch(/^line \d+\n/);
    const one = "and ".repeat(2500);
    const ends = cutToEnds(one, { ...options, size: estimator.block(one) });
    expect(Math.min(ends?.head ?? 0, ends?.tail ?? 0)).toBeGreaterThan(100);
    expect(cutToEnds("short", { ...options, size: 2, tokens: 1 })).toBeUndefined();
  });
});
