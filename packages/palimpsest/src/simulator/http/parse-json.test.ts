import { describe, expect, it } from "vitest";
import fc from "fast-check";
import { parseJson } from "./parse-json.js";

const place = /: line \d+ column \d+ \(char \d+\)$/;

describe("parseJson", () => {
  it("agrees with JSON.parse on what is JSON, surrogates aside, and says where it is not", () => {
    const characters = fc.constantFrom(...Array.from('{}[],:"\\/ \n0123456789.eE+-truefalsnx\u0001é😀'));
    const damaged = fc
      .tuple(fc.json(), fc.nat(), fc.nat(3), fc.string({ unit: characters, maxLength: 3 }))
      .map(([json, at, length, put]) => {
        const position = at % (json.length + 1);
        return json.slice(0, position) + put + json.slice(position + length);
      });
    fc.assert(
      fc.property(fc.oneof(damaged, fc.string({ unit: characters })), (text) => {
        let value: { readonly of: unknown } | undefined;
        try {
          value = { of: JSON.parse(text) };
        } catch {
          value = undefined;
        }
        const parsed = parseJson(text);
        if (value === undefined) {
          expect(parsed).toMatchObject({ kind: "fault", problem: expect.stringMatching(place) });
        } else if (parsed.kind === "json") expect(parsed.value).toEqual(value.of);
        else expect(parsed.problem).toContain("surrogate");
      }),
      { numRuns: 3000 },
    );
  });

  it("the fault is where the text stops being JSON: everything before it can be continued", () => {
    for (const [text, position] of [
      ['{"a": [1, 2,, 3]}', 12],
      ['["\\x"]', 2],
      ['{"a" 1}', 5],
      ["[01]", 1],
      ["[1.]", 3],
      ["[-]", 2],
      ["[1e+]", 4],
      ['["a\nb"]', 3],
      ["]", 0],
      ["[1}", 2],
      ["{1:2}", 1],
      ['{"a":}', 5],
    ] as const) {
      const parsed = parseJson(text);
      expect(parsed.kind === "fault" ? parsed.problem : "").toMatch(new RegExp(`\\(char ${position}\\)$`));
    }
  });

  it("survives any depth and length", () => {
    expect(parseJson("[".repeat(2_000_000))).toMatchObject({ kind: "fault" });
    expect(parseJson(`"${"a".repeat(5_000_000)}`)).toMatchObject({ kind: "fault" });
  });
});
