import { findModel, type Model } from "@palimpsest/core";
import { describe, expect, it } from "vitest";
import { blockTokens, foreignTokenFactor, textTokens } from "./block-tokens.js";
import { createBpeCounter } from "./bpe-counter.js";

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
    expect(tokens(call({}))).toBe(36);
    expect(tokens(call({ path: "a", text: "b c d e f" }))).toBe(36 + 16.5 + 2 + 16.5 + 6);
    expect(tokens(call({ path: "a" }))).toBe(Math.ceil(36 + 16.5 + 2));
    expect(tokens(call({}), newer)).toBe(24);
    expect(tokens(call({ path: "a" }), newer)).toBe(24 + 22 + 2);
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

describe("text", () => {
  const real = createBpeCounter();
  const perToken = (text: string, model: Model): number => textTokens(text, model, real) / real.count(text);
  const prose = "The lamp in the hall was lit again, and nobody had seen who did it. ".repeat(50);
  const code = "const lampIsLit = this.#lamps.getById(lampId)?.isLit ?? defaultState.lit;\n".repeat(50);
  const capitals = "THE LAMP IN THE HALL WAS LIT AGAIN. ".repeat(50);

  it.each([older, newer])("costs more of a token where words are joined: code more than prose", (model) => {
    expect(perToken(prose, model)).toBeGreaterThan(1);
    expect(perToken(code, model) / perToken(prose, model)).toBeGreaterThan(1.05);
  });

  it("costs more in capitals, most of all on newer models", () => {
    expect(perToken(capitals, older)).toBeGreaterThan(perToken(prose, older));
    expect(perToken(capitals, newer) / perToken(prose, newer)).toBeGreaterThan(1.5);
  });

  it("of other letters costs what the generation's factor says", () => {
    const russian = "Лампа в зале снова горела, и никто не видел. ".repeat(50);
    expect(perToken(russian, older)).toBeGreaterThan(1.1);
    expect(perToken(russian, older)).toBeLessThan(1.2);
  });

  it("with a counter that only counts costs the generation's factor", () => {
    expect(textTokens("one two three four five", older, counter)).toBe(6);
    expect(textTokens("one two three four five", newer, counter)).toBe(8);
  });
});

it("another vendor's tokens are fewer", () => {
  expect(foreignTokenFactor(older)).toBeCloseTo(1.188, 3);
  expect(foreignTokenFactor(newer)).toBeCloseTo(1.535, 3);
});
