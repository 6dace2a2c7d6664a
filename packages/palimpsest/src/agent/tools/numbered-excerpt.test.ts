import { expect, it } from "vitest";
import { numberedExcerpt } from "./numbered-excerpt.js";

const text = Array.from({ length: 20 }, (_, index) => `line ${index + 1}`).join("\n");
const around = (part: string, source = text): string => {
  const start = source.indexOf(part);
  return numberedExcerpt(source, { start, end: start + part.length });
};
const numbers = (excerpt: string): readonly number[] =>
  excerpt.split("\n").map((line) => Number.parseInt(line, 10));

it("shows three lines before and behind, with their numbers", () => {
  expect(numbers(around("line 10"))).toEqual([7, 8, 9, 10, 11, 12, 13]);
  expect(around("line 10").split("\n")[3]).toBe("10\tline 10");
  expect(numbers(around("10\nline 11"))).toEqual([7, 8, 9, 10, 11, 12, 13, 14]);
});

it("stops at the ends", () => {
  expect(numbers(around("line 1\n"))).toEqual([1, 2, 3, 4, 5]);
  expect(numbers(around("line 2\n"))).toEqual([1, 2, 3, 4, 5, 6]);
  expect(numbers(around("line 20"))).toEqual([17, 18, 19, 20]);
  expect(around("b", "\nb\n")).toBe("1\t\n2\tb");
  expect(numberedExcerpt("", { start: 0, end: 0 })).toBe("1\t");
});

it("is short", () => {
  const long = "x\n".repeat(100);
  expect(numberedExcerpt(long, { start: 0, end: 200 }).split("\n")).toHaveLength(41);
  expect(numberedExcerpt("y".repeat(9999), { start: 0, end: 1 }).length).toBeLessThan(600);
  expect(numberedExcerpt("a\r\nb\r\n", { start: 0, end: 1 })).toBe("1\ta\n2\tb");
});
