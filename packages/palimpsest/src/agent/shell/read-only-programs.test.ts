import fc from "fast-check";
import { readFileSync } from "node:fs";
import { expect, it } from "vitest";
import { gitCommands } from "./git-commands.js";
import { createOptionParser } from "./program-options.js";
import { readOnlyPrograms } from "./read-only-programs.js";

/** Their words are words, whatever they look like. */
const sayAnything = new Set(["echo", "true", "false", "command"]);
const programs = [...readOnlyPrograms].filter(([name]) => !sayAnything.has(name));

const word = fc.oneof(
  fc.constantFrom(
    "-n",
    "-r",
    "a.txt",
    "src",
    "-5",
    "--color",
    "x=y",
    "-e",
    "p",
    "-name",
    "--stat",
    "HEAD",
    "-l",
    "10",
  ),
  fc.stringMatching(/^[-a-z=.]{1,8}$/),
);
const unknown = fc.constantFrom("--no-such-option", "--output=x", "--exec", "-@", "--pre=sh", "--rec=x");

it("no program is let through with an option that nobody listed", () => {
  fc.assert(
    fc.property(
      fc.constantFrom(...programs, ...[...gitCommands].map(([name, { parse }]) => [name, parse] as const)),
      fc.array(word, { maxLength: 4 }),
      unknown,
      fc.array(word, { maxLength: 3 }),
      ([, read], before, option, behind) => {
        // The word may be the value of an option: then it is what it is.
        const words = [...before.filter((one) => one !== "--"), option, ...behind];
        const alone = [option, ...behind];
        if (read(alone) !== undefined) throw new Error(`let through: ${alone.join(" ")}`);
        const parsed = read(words);
        if (parsed === undefined) return;
        expect(before.at(-1)).toMatch(/^-/);
      },
    ),
  );
});

it("options are taken apart as programs do", () => {
  const parse = createOptionParser({ short: "ab:c?", long: "all name= color[= pair==", hasCounts: true });
  const of = (...words: readonly string[]) => {
    const parsed = parse(words);
    return parsed === undefined
      ? undefined
      : [Object.fromEntries(parsed.options), parsed.operands, parsed.before];
  };
  expect(of("-ab", "x", "y")).toEqual([{ a: [], b: ["x"] }, ["y"], undefined]);
  expect(of("-abx", "y", "-a")).toEqual([{ a: [], b: ["x"] }, ["y"], undefined]);
  expect(of("-c", "y", "-cz")).toEqual([{ c: ["z"] }, ["y"], undefined]);
  expect(of("--name", "x", "--name=y", "--color", "z", "--color=w")).toEqual([
    { name: ["x", "y"], color: ["w"] },
    ["z"],
    undefined,
  ]);
  expect(of("--pair", "-x", "-y", "--", "-z", "-")).toEqual([{ pair: ["-x", "-y"] }, ["-z", "-"], 0]);
  expect(of("-20", "x", "-", "--", "y")).toEqual([{ count: ["20"] }, ["x", "-", "y"], 2]);
  for (const words of [
    ["-x"],
    ["-ax"],
    ["--nam=x"],
    ["--all=x"],
    ["--name"],
    ["-b"],
    ["--pair", "x"],
    ["--pair=x"],
    ["-20a"],
  ]) {
    expect(of(...words)).toBeUndefined();
  }
});

it("docs/agent.md lists the programs and the commands of git that run unasked", () => {
  const docs = readFileSync(new URL("../../../../../docs/agent.md", import.meta.url), "utf8");
  const table = /### Commands that run unasked\n([^]*?)\n### /.exec(docs)?.[1] ?? "";
  const cells = table.split("\n").flatMap((line) => /^\| (`[^|]*)\|/.exec(line)?.[1] ?? []);
  const namesIn = (text: string): readonly string[] =>
    Array.from(text.matchAll(/`([\w[-]+)`/g), ([, name = ""]) => name);
  const isGit = (cell: string): boolean => cell.startsWith("`git …`");
  const listed = cells.filter((cell) => !isGit(cell)).flatMap(namesIn);
  expect(listed.toSorted()).toEqual([...readOnlyPrograms.keys()].toSorted());
  expect(cells.filter(isGit).flatMap(namesIn).toSorted()).toEqual([...gitCommands.keys()].toSorted());
});
