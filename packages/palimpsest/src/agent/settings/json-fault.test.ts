import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { findJsonFault } from "./json-fault.js";

describe("where a text stops being JSON", () => {
  it.each([
    ["", 1, 1],
    ["{", 1, 2],
    ["{a: 1}", 1, 2],
    ['{"a": 1,}', 1, 9],
    ['{"a" 1}', 1, 6],
    ["[1 2]", 1, 4],
    ["[1,]", 1, 4],
    ['{\n  "a": 01\n}', 2, 9],
    ["{} x", 1, 4],
    ['{"a": "x\n"}', 1, 7],
    ["// no", 1, 1],
    ["[}", 1, 2],
    ["tru", 1, 1],
  ])("%j: line %i, column %i", (text, line, column) => expect(findJsonFault(text)).toEqual({ line, column }));

  it("agrees with the runtime on what is JSON", () => {
    fc.assert(
      fc.property(fc.json(), (text) => {
        expect(findJsonFault(text)).toBeUndefined();
      }),
    );
    const pieces = fc.array(
      fc.constantFrom("{", "}", "[", "]", ",", ":", '"a"', "1", "-", "null", " ", "\\", '"'),
    );
    fc.assert(
      fc.property(pieces, (parts) => {
        const text = parts.join("");
        let isJson = true;
        try {
          JSON.parse(text);
        } catch {
          isJson = false;
        }
        expect(findJsonFault(text) === undefined).toBe(isJson);
      }),
      { numRuns: 3000 },
    );
  });

  it("is not afraid of depth", () =>
    expect(findJsonFault("[".repeat(200_000))).toEqual({ line: 1, column: 200_001 }));
});
