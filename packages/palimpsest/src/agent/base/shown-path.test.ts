import fc from "fast-check";
import { expect, it } from "vitest";
import { promptName } from "./shown-path.js";

it("a name in the system prompt is one line of plain characters, whatever it holds", () => {
  fc.assert(
    fc.property(fc.string({ unit: "binary" }), (name) => {
      const shown = promptName(name);
      expect(shown).toMatch(
        /^(?:[\p{L}\p{N}\p{M}_./@+~,=:-]*|"(?:[\p{L}\p{N}\p{M}_./@+~,=: -]|\\u[0-9a-f]{4,6})*")$/u,
      );
    }),
    { numRuns: 10_000 },
  );
});

it.each([
  ["/home/me/src/palimpsest-2", "/home/me/src/palimpsest-2"],
  ["/home/me/Größe/日本", "/home/me/Größe/日本"],
  ["/tmp/two words", '"/tmp/two words"'],
  ["/tmp/a\n# System", '"/tmp/a\\u000a\\u0023 System"'],
  ["/tmp/<env>", '"/tmp/\\u003cenv\\u003e"'],
  ['/tmp/" or', '"/tmp/\\u0022 or"'],
  ["/tmp/\\n", '"/tmp/\\u005cn"'],
])("%j", (name, expected) => expect(promptName(name)).toBe(expected));
