import fc from "fast-check";
import { pathToFileURL } from "node:url";
import { describe, expect, it } from "vitest";
import { pastedPaths } from "./pasted-paths.js";

const quotedBy: Readonly<Record<string, (path: string) => string>> = {
  "as it is": (path) => path,
  "in single quotes": (path) => `'${path.replaceAll("'", `'\\''`)}'`,
  "in double quotes": (path) => `"${path.replaceAll(/["\\]/g, String.raw`\$&`)}"`,
  "with escapes": (path) => path.replaceAll(/[^\w/.]/gu, String.raw`\$&`),
  "as an address": (path) => pathToFileURL(path).href,
};

/** Names as disks have them, with whatever shells read otherwise. */
const path = fc
  .array(fc.constantFrom("a", "Z", "7", " ", "'", '"', "\\", "$", "(", "é", "日", "👍", "%", "#", "-", "."), {
    minLength: 1,
    maxLength: 20,
  })
  .map((letters) => `/tmp/x${letters.join("")}.png`);

describe("a pasted text names files", () => {
  it.each(Object.keys(quotedBy))("written %s", (way) => {
    fc.assert(
      fc.property(path, fc.boolean(), (given, hasBlank) => {
        const text = `${quotedBy[way]?.(given) ?? ""}${hasBlank ? " " : ""}`;
        expect(pastedPaths(text).some((paths) => paths.length === 1 && paths[0] === given)).toBe(true);
      }),
    );
  });

  it("several at once", () => {
    expect(pastedPaths(String.raw`'/a b.png' /c\ d.jpg "e.gif"`)).toContainEqual([
      "/a b.png",
      "/c d.jpg",
      "e.gif",
    ]);
  });

  it.each([
    "",
    "   ",
    "words alone",
    "look at a.png please",
    "a.png\nb.png",
    "don't",
    "file:///tmp/a%1b.png",
    "file:///tmp/a%00.png",
    "it's a.txt",
    "x".repeat(10_000),
  ])("and %j names none", (text) => {
    expect(pastedPaths(text)).toEqual([]);
  });

  it("whatever is pasted, nothing is thrown and nothing with control characters is looked for", () => {
    fc.assert(
      fc.property(fc.string({ unit: "binary" }), (text) => {
        for (const paths of pastedPaths(text))
          for (const one of paths) expect(one).not.toMatch(/[\u0000-\u001f\u007f]/);
      }),
    );
  });
});
