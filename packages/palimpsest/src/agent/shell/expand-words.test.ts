import { execFileSync } from "node:child_process";
import { mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import fc from "fast-check";
import { afterAll, describe, expect, it } from "vitest";
import { expandBraces, expandWildcards } from "./expand-words.js";
import { isVisibleTree } from "./visible-tree.js";

const top = realpathSync(mkdtempSync(join(tmpdir(), "palimpsest-words-")));
afterAll(() => rmSync(top, { recursive: true, force: true }));
/** So deep that no pattern here gets out of the folder, where other programs write. */
const root = join(top, "1/2/3/4/5/6");
for (const folder of ["a", "ab", ".b", "a/b", "b"]) mkdirSync(join(root, folder), { recursive: true });
for (const file of [
  "a/x",
  "a/.x",
  "a/b/x.y",
  "b/x",
  "ab/[b]",
  "x",
  ".env",
  "-o",
  "[a]",
  "a*b",
  "x y",
  "A",
  "b/-x",
]) {
  writeFileSync(join(root, file), "");
}
symlinkSync("nowhere", join(root, "b/gone"));

/** What a shell puts in the place of each word. */
function asShell(words: readonly string[]): readonly (readonly string[])[] {
  const script = words.map((word) => `printf '%s\\0' ${word}; printf '\\n\\0'`).join("\n");
  const output = execFileSync("bash", ["-c", script], { cwd: root, encoding: "utf8" });
  return output
    .split("\n\0")
    .slice(0, -1)
    .map((names) => names.split("\0").slice(0, -1));
}

const plain = (path: string): string => path.replaceAll(/\/+/g, "/");

const piece = fc.constantFrom(
  "a",
  "b",
  "x",
  ".",
  "/",
  "*",
  "?",
  "[ab]",
  "[!a]",
  "[a-z]",
  "[.]",
  "env",
  "-",
  "..",
  "**",
);
const pattern = fc
  .array(piece, { minLength: 1, maxLength: 6 })
  .map((pieces) => pieces.join(""))
  .filter((word) => !word.startsWith("/"));

describe("names that a shell fills in", () => {
  it("are all among those that are looked at", () => {
    fc.assert(
      fc.property(fc.array(pattern, { minLength: 20, maxLength: 60 }), (patterns) => {
        for (const [at, names] of asShell(patterns).entries()) {
          const word = patterns[at] ?? "";
          const own = expandWildcards(word, root);
          if (own === undefined) continue;
          // Where a shell finds nothing it hands on the word, which then names nothing that is there.
          const known = new Set([word, ...own].map(plain));
          expect([word, names.map(plain).filter((name) => !known.has(name))]).toEqual([word, []]);
        }
      }),
      { numRuns: 20 },
    );
  });

  it("are found in as many steps as they are long, whatever the pattern", () => {
    const folder = join(root, "long");
    mkdirSync(folder);
    writeFileSync(join(folder, "a".repeat(250)), "");
    expect(expandWildcards(`${"*a".repeat(100)}*b`, folder)).toEqual([`${"*a".repeat(100)}*b`]);
    expect(expandWildcards(`${"*a".repeat(100)}*`, folder)).toEqual(["a".repeat(250)]);
  });

  it("are not known where one of them is not text", () => {
    const folder = join(root, "garbled");
    mkdirSync(folder);
    symlinkSync("/etc/passwd", Buffer.concat([Buffer.from(`${folder}/x`), Buffer.from([0xff])]));
    expect(expandWildcards("*", folder)).toBeUndefined();
    expect(expandWildcards("garbled/x*", root)).toBeUndefined();
    expect(expandWildcards("garbled/y*", root)).toEqual(["garbled/y*"]);
    const question = { isVisible: () => true, followsLinks: "level" } as const;
    expect(isVisibleTree(folder, question)).toBe(false);
    expect(isVisibleTree(join(root, "a"), question)).toBe(true);
  });

  it("are the word itself where there are none, and unknown where there are too many", () => {
    expect(expandWildcards("nothing*", root)).toEqual(["nothing*"]);
    expect(expandWildcards(".e*", root)).toEqual([".env"]);
    expect(expandWildcards(`${root}/a/*`, "/")).toEqual([`${root}/a/b`, `${root}/a/x`]);
    expect(expandWildcards("*", root, 3)).toBeUndefined();
  });
});

describe("words that a shell makes of braces", () => {
  const inside = fc.constantFrom(
    "a",
    "b",
    ",",
    "{",
    "}",
    "1..3",
    "c..a",
    "..",
    "x",
    "{a,b}",
    "{,x}",
    "2..8..3",
    "08..011",
    "-01..1",
  );
  it("are all found", () => {
    fc.assert(
      fc.property(
        fc.array(
          fc.array(inside, { minLength: 1, maxLength: 6 }).map((pieces) => pieces.join("")),
          { minLength: 20, maxLength: 60 },
        ),
        (words) => {
          for (const [at, names] of asShell(words.map((word) => `q${word}`)).entries()) {
            const word = `q${words[at] ?? ""}`;
            const own = expandBraces(word) ?? [];
            // A brace without its partner means nothing, and may mean something else to us: no more than that.
            if (isBalanced(word)) expect([word, own]).toEqual([word, expect.arrayContaining([...names])]);
          }
        },
      ),
      { numRuns: 20 },
    );
  });

  it("are too many at some point", () => {
    expect(expandBraces("{1..1000000}")).toBeUndefined();
    expect(expandBraces("{a,b}".repeat(20))).toBeUndefined();
    expect(expandBraces("{a,b}{1..2}")).toEqual(expect.arrayContaining(["a1", "a2", "b1", "b2"]));
  });
});

function isBalanced(word: string): boolean {
  let open = 0;
  for (const character of word) {
    open += character === "{" ? 1 : character === "}" ? -1 : 0;
    if (open < 0) return false;
  }
  return open === 0;
}
