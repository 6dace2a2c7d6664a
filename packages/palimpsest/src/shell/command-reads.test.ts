import { describe, expect, it } from "vitest";
import { commandReads } from "./command-reads.js";

describe("files that commands print", () => {
  it.each([
    ["cat src/a.ts", { path: "src/a.ts", isNumbered: false }],
    ["cat 'a file.md'", { path: "a file.md", isNumbered: false }],
    ["sed -n '10,20p' /x/a.ts", { path: "/x/a.ts", first: 10, last: 20, isNumbered: false }],
    ['sed -n "1,5p" "a b"', { path: "a b", first: 1, last: 5, isNumbered: false }],
    ["head -n 20 a.ts", { path: "a.ts", first: 1, last: 20, isNumbered: false }],
    ["head -5 a.ts", { path: "a.ts", first: 1, last: 5, isNumbered: false }],
    ["nl -ba a.ts", { path: "a.ts", isNumbered: true }],
    ["nl -ba a.ts | sed -n '3,4p'", { path: "a.ts", first: 3, last: 4, isNumbered: true }],
  ])("%s", (command, read) => {
    expect(commandReads(command)).toEqual([read]);
  });

  it.each([
    "cat a b",
    "cat -A a",
    "cat a | head",
    "cat a; rm -rf /",
    "cat $(ls)",
    'cat "$HOME/a"',
    "cat *.ts",
    "cat < a",
    "cat a > b",
    "sed -n '20,10p' a",
    "sed -n '0,10p' a",
    "sed -i 's/a/b/' a",
    "sed -n '1,20p;10,30p' a",
    "sed -n '1,20p;30q' a",
    "cat a || cat b",
    "cat a & cat b",
    "cat a && make",
    "rg x | sed -n '1,5p'",
    "nl -ba a | sed -n '1,5p' | head -2",
    "head a",
    "head -n 0 a",
    `cat ${"a".repeat(3000)}`,
  ])("nothing to be sure of: %s", (command) => {
    expect(commandReads(command)).toEqual([]);
  });

  it.each([
    ["cat a && cat b", ["a", "b"]],
    ["cat a\ncat b", ["a", "b"]],
    ["sed -n '1,5p;9,12p' a; sed -n '3,3p' 'b c'", ["a 1-5", "a 9-12", "b c 3-3"]],
    ["nl -ba a | sed -n '3,4p' && head -2 b", ["a 3-4", "b 1-2"]],
  ])("one after the other: %s", (command, reads) => {
    const told = commandReads(command).map(({ path, first, last }) =>
      first === undefined ? path : `${path} ${first}-${last}`,
    );
    expect(told).toEqual(reads);
  });
});
