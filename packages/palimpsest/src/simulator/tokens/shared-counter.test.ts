import { expect, it } from "vitest";
import { createSharedCounter } from "./shared-counter.js";

function counting() {
  const asked: string[] = [];
  const counter = createSharedCounter({
    count: (text) => {
      asked.push(text);
      return text.length;
    },
  });
  return { counter, asked };
}

it("counts each text once", () => {
  const { counter, asked } = counting();
  expect([counter.count("abc"), counter.count("abc"), counter.count("abcd"), counter.count("")]).toEqual([
    3, 3, 4, 0,
  ]);
  expect(counter.count("")).toBe(0);
  expect(asked).toEqual(["abc", "abcd", ""]);
});

it("forgets what was not asked for in a while, and keeps what was", () => {
  const { counter, asked } = counting();
  const large = (letter: string): string => letter.repeat(20_000_000);
  counter.count("often");
  counter.count("once");
  for (const letter of ["a", "b", "c", "d"]) {
    counter.count(large(letter));
    counter.count("often");
  }
  asked.length = 0;
  counter.count("often");
  counter.count("once");
  expect(asked).toEqual(["once"]);
});
