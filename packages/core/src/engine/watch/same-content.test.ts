import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { sameContent, sameValue } from "./same-content.js";

describe("the same content", () => {
  it.each<[string, unknown, unknown, boolean]>([
    ["key order counts", { a: 1, b: 2 }, { b: 2, a: 1 }, false],
    ["undefined is nothing", { a: 1, b: undefined }, { a: 1 }, true],
    ["null is something", { a: 1, b: null }, { a: 1 }, false],
    ["a marker is no content", { text: "a", cache_control: { type: "ephemeral" } }, { text: "a" }, true],
    [
      "nor is one on a block of a result",
      { content: [{ text: "a", cache_control: {} }], cache_reference: "t" },
      { content: [{ text: "a" }] },
      true,
    ],
    [
      "what the model calls so is",
      { type: "tool_use", input: { cache_control: 1 } },
      { type: "tool_use", input: {} },
      false,
    ],
    ["lists of different length", [1], [1, 2], false],
    ["a list and an object", [], {}, false],
    ["a text and a number", "1", 1, false],
  ])("%s", (_, a, b, expected) => {
    expect(sameContent(a, b)).toBe(expected);
    expect(sameContent(b, a)).toBe(expected);
  });

  it("is that of JSON", () => {
    fc.assert(
      fc.property(fc.jsonValue(), fc.jsonValue(), (a, b) => {
        expect(sameValue(a, structuredClone(a))).toBe(true);
        expect(sameValue(a, b)).toBe(JSON.stringify(a) === JSON.stringify(b));
      }),
      { numRuns: 2000 },
    );
  });

  it("does not depend on where markers stand", () => {
    const block = fc.record({ type: fc.constant("text"), text: fc.string() });
    const result = fc.record({
      type: fc.constant("tool_result"),
      tool_use_id: fc.string(),
      content: fc.oneof(fc.string(), fc.array(block, { maxLength: 3 })),
    });
    const messages = fc.array(
      fc.record({ role: fc.constant("user"), content: fc.array(fc.oneof(block, result), { maxLength: 4 }) }),
      { maxLength: 5 },
    );
    fc.assert(
      fc.property(messages, fc.infiniteStream(fc.boolean()), (list, coins) => {
        const mark = (value: object): object => {
          const heads = coins.next().value === true;
          return heads
            ? { ...value, cache_control: { type: "ephemeral", ttl: "1h" }, cache_reference: "r" }
            : value;
        };
        const marked = list.map((message) => ({
          ...message,
          content: message.content.map((item) => {
            const inner = "content" in item ? item.content : undefined;
            return mark(Array.isArray(inner) ? { ...item, content: inner.map(mark) } : item);
          }),
        }));
        expect(sameContent(list, marked)).toBe(true);
      }),
      { numRuns: 1000 },
    );
  });

  it("knows no depth that is too deep", () => {
    const nested = (depth: number, inside: unknown): unknown => {
      let value = inside;
      for (let level = 0; level < depth; level += 1) value = { content: [value] };
      return value;
    };
    expect(sameContent(nested(100_000, "a"), nested(100_000, "a"))).toBe(true);
    expect(sameContent(nested(100_000, "a"), nested(100_000, "b"))).toBe(false);
  });
});
