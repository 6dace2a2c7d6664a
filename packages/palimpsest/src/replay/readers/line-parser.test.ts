import fc from "fast-check";
import { expect, it } from "vitest";
import { LineParser } from "./line-parser.js";

const text = '{"a":"ü"}\n\nnot JSON\n{"b":[1]}\r\n[1]\n{"c":1}\n{"torn';
const bytes = new TextEncoder().encode(text);

const parse = (chunks: readonly Uint8Array[]) => {
  const parser = new LineParser();
  const lines = chunks.flatMap((chunk) => parser.push(chunk)).concat(parser.end());
  return { lines, damaged: parser.damaged, torn: parser.torn };
};

it("knows every line, where it lies, and what is damaged", () => {
  expect(parse([bytes])).toEqual({
    lines: [
      { line: 1, offset: 0, bytes: 10, value: { a: "ü" } },
      { line: 4, offset: 21, bytes: 10, value: { b: [1] } },
      { line: 6, offset: 36, bytes: 7, value: { c: 1 } },
    ],
    damaged: [
      { line: 3, offset: 12, reason: "not valid JSON" },
      { line: 5, offset: 32, reason: "not a JSON object" },
    ],
    torn: { line: 7, offset: 44, reason: "not valid JSON" },
  });
});

it("gives the same for chunks of any size, in memory that is used again", () => {
  const whole = parse([bytes]);
  fc.assert(
    fc.property(fc.integer({ min: 1, max: bytes.length }), (size) => {
      const parser = new LineParser();
      const buffer = new Uint8Array(size);
      const lines = [];
      for (let from = 0; from < bytes.length; from += size) {
        const part = bytes.subarray(from, from + size);
        buffer.set(part);
        lines.push(...parser.push(buffer.subarray(0, part.length)));
      }
      lines.push(...parser.end());
      expect({ lines, damaged: parser.damaged, torn: parser.torn }).toEqual(whole);
    }),
  );
});
