import { findModel, type Model } from "@palimpsest/core";
import { describe, expect, it } from "vitest";
import { blockTokens, foreignTokenFactor } from "./block-tokens.js";

/** A token for each word. */
const counter = { count: (text: string) => text.split(" ").length };
const modelOf = (name: string): Model => {
  const model = findModel(name);
  if (model === undefined) throw new Error(name);
  return model;
};
const older = modelOf("claude-opus-4-5");
const newer = modelOf("claude-opus-5-5");
const tokens = (block: unknown, model = older): number => blockTokens(block, model, counter);

describe("thinking", () => {
  const shown = "one two three four five";

  it("counts what its signature tells where its text is a shorter one, or none", () => {
    const signature = "x".repeat(4200);
    expect(tokens({ type: "thinking", thinking: "", signature })).toBe(1000);
    expect(tokens({ type: "thinking", thinking: shown, signature })).toBe(1000);
  });

  it("counts its text where that is longer, or where the signature is as short as one can be", () => {
    expect(tokens({ type: "thinking", thinking: shown, signature: "x".repeat(101) })).toBe(6);
    const long = Array.from({ length: 100 }, () => "word").join(" ");
    expect(tokens({ type: "thinking", thinking: long, signature: "x".repeat(105) })).toBe(120);
  });
});

describe("a call", () => {
  const call = (input: object): object => ({ type: "tool_use", id: "t", name: "Edit", input });

  it("costs its values as they are, and something for itself and each field", () => {
    expect(tokens(call({}))).toBe(25);
    expect(tokens(call({ path: "a", text: "b c d e f" }))).toBe(25 + 10 + 2 + 10 + 6);
    expect(tokens(call({}), newer)).toBe(27);
    expect(tokens(call({ path: "a" }), newer)).toBe(27 + 21 + 2);
  });

  it("does not cost more for what JSON escapes", () => {
    const counted: string[] = [];
    blockTokens(call({ text: 'say "so"\nthen' }), older, {
      count: (text) => {
        counted.push(text);
        return 1;
      },
    });
    expect(counted).toEqual(['say "so"\nthen']);
  });

  it("takes whatever stands there", () => {
    for (const input of [null, 3, [1, 2], { a: undefined, b: null, c: { d: [1] } }]) {
      expect(tokens(call(input as never))).toBeGreaterThanOrEqual(25);
    }
  });
});

it("another vendor's tokens are fewer", () => {
  expect(foreignTokenFactor(older)).toBeCloseTo(1.188, 3);
  expect(foreignTokenFactor(newer)).toBeCloseTo(1.535, 3);
});
