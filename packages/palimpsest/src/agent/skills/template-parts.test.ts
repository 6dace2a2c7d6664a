import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { countsFromZero, fillArguments, isPlainArgument, splitArguments } from "./fill-arguments.js";
import { shellCommandsIn, templateParts } from "./template-parts.js";

describe("commands in a skill's text", () => {
  it.each<[string, string, readonly string[]]>([
    ["in a line", "Now: !`git status` and !`ls -a`.", ["git status", "ls -a"]],
    ["at its beginning", "!`git diff`", ["git diff"]],
    ["in a block", "a\n```!\ngit log\ngit show\n```\nb", ["git log\ngit show"]],
    ["not after a letter", "wow!`x` and a!`y`", []],
    ["not without an end", "!`git status\nmore` and ```!\nls", []],
    ["not a block without an end", "```!\nrm\n```!\nrm", []],
    ["not an empty one", "!` ` and\n```!\n\n```", []],
    ["not an ordinary block", "```\nls\n```", []],
  ])("%s", (_, text, commands) => {
    expect(shellCommandsIn(text)).toEqual(commands);
  });

  it("nothing of the words is lost, whatever is written", () => {
    const piece = fc.constantFrom("!`a`", " ", "\n", "`", "!", "```", "```!", "x", "$1", "\\");
    fc.assert(
      fc.property(fc.array(piece, { maxLength: 30 }), (pieces) => {
        const text = pieces.join("");
        const parts = templateParts(text);
        let rest = text;
        for (const part of parts.filter(({ kind }) => kind === "text")) {
          for (const letter of part.text.replaceAll(/\s/g, "")) {
            const at = rest.indexOf(letter);
            expect(at).toBeGreaterThanOrEqual(0);
            rest = rest.slice(at + 1);
          }
        }
        for (const part of parts) if (part.kind === "command") expect(text).toContain(part.text);
      }),
    );
  });

  it("many that are never closed are looked through once", () => {
    const text = "```!\n!`x\n".repeat(40_000);
    expect(templateParts(text)).toEqual([{ kind: "text", text }]);
  });
});

describe("arguments", () => {
  it.each<[string, readonly string[]]>([
    ["a b  c", ["a", "b", "c"]],
    [`"a b" 'c "d"' e`, ["a b", 'c "d"', "e"]],
    [`it's fine`, ["it's", "fine"]],
    [String.raw`a\ b \"c`, ["a b", '"c']],
    [`"" x`, ["", "x"]],
  ])("%s", (args, words) => {
    expect(splitArguments(args)).toEqual(words);
  });

  it.each<[string, string, string]>([
    ["$1 of $2, $3", "a b", "a of b, "],
    ["$0 of $1", "a b", "a of b"],
    ["$ARGUMENTS[1]: $ARGUMENTS", "a b", "b: a b"],
    [String.raw`\$1 costs $12`, "a b", "$1 costs $12"],
    ["$1", "$2 $1", "$2"],
  ])("fill %s", (text, args, filled) => {
    expect(fillArguments(text, { args, countsFromZero: countsFromZero(text) }).text).toBe(filled);
  });

  it("that mean something to a shell are not plain", () => {
    expect(["a/b-c_1.ts", "Größe 12", "user@host:x=1"].every(isPlainArgument)).toBe(true);
    for (const mark of "$`\"'\\;&|<>(){}[]*?!#~\n\t\0^") expect(isPlainArgument(`a${mark}b`)).toBe(false);
  });
});
