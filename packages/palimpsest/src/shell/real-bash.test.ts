import { execFileSync } from "node:child_process";
import {
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import fc from "fast-check";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { parseShell } from "./parse-shell.js";
import type { ShellCommand } from "./shell-command.js";

const BASH = "/bin/bash";
let base: string;

/** The only programs that there are: one that writes down what it is called with, and `cat`. */
beforeAll(() => {
  base = mkdtempSync(join(tmpdir(), "palimpsest-bash-"));
  mkdirSync(join(base, "bin"));
  const program = join(base, "bin", "show");
  writeFileSync(program, `#!/bin/sh\nprintf '%s\\0' "$#" "$@" >>'${join(base, "log")}'\n`);
  chmodSync(program, 0o755);
  symlinkSync("/bin/cat", join(base, "bin", "cat"));
});
afterAll(() => rmSync(base, { recursive: true, force: true }));

/** What was called in a real bash, each call with its words. */
function called(command: string): readonly (readonly string[])[] {
  const log = join(base, "log");
  const work = join(base, "work");
  rmSync(log, { force: true });
  rmSync(work, { recursive: true, force: true });
  mkdirSync(work);
  const options = { cwd: work, env: { PATH: join(base, "bin"), HOME: work }, stdio: "ignore" } as const;
  try {
    execFileSync(BASH, ["--norc", "--noprofile", "-c", command], options);
  } catch {
    // How it ends does not matter here.
  }
  const fields = existsSync(log) ? readFileSync(log, "utf8").split("\0").slice(0, -1) : [];
  const calls: (readonly string[])[] = [];
  for (let at = 0; at < fields.length;) {
    const end = at + 1 + Number(fields[at]);
    calls.push(fields.slice(at + 1, end));
    at = end;
  }
  return calls;
}

const isLiteral = ({ words }: ShellCommand): boolean =>
  words.every((word) => !word.isExpanded && !word.isGlob && !word.isBrace && !word.isTilde);

const sorted = (calls: readonly (readonly string[])[]): readonly string[] =>
  calls.map((words) => JSON.stringify(words)).toSorted();

/** Whether a text is understood; if so, a bash has to have called what it was understood to call. */
function compare(command: string): boolean {
  const parsed = parseShell(command);
  if (parsed.kind === "unclear") return false;
  const { commands } = parsed;
  const isSafe = commands.every(({ words, redirections, isBackground }) => {
    const touchesFiles = redirections.some(({ isHarmless }) => !isHarmless);
    return (words.length === 0 || words[0]?.value === "show") && !touchesFiles && !isBackground;
  });
  if (!isSafe) return false;
  const calls = called(command);
  const read = commands.filter(({ words }) => words.length > 0);
  if (commands.some(({ operator }) => operator === "||")) {
    expect(calls.length).toBeLessThanOrEqual(read.length);
  } else if (read.every(isLiteral)) {
    expect(sorted(calls)).toEqual(sorted(read.map(({ words }) => words.slice(1).map(({ value }) => value))));
  } else {
    expect(calls).toHaveLength(read.length);
  }
  return true;
}

const pieces = fc.constantFrom(
  ...`show¦a¦b c¦ ¦\t¦\n¦\\\n¦\\¦'¦"¦'a b'¦"c d"¦$¦$A¦\${A}¦$(¦)¦(¦\`¦{¦}¦,¦;¦; show ¦ && show ¦ | show ¦ || show ¦\nshow ¦#¦ # ¦!¦=`.split(
    "¦",
  ),
  ..."*¦?¦[¦]¦<¦>¦ 2>&1¦ >/dev/null¦é¦—¦$'¦$\"¦-¦%¦1¦&¦|¦~¦/".split("¦"),
);

describe.skipIf(!existsSync(BASH))("what is understood is what a real bash does", () => {
  it.each([
    "show a b | show c && show d; show e",
    "show 'a b'\"c d\"e\\ f",
    'show "a\\b\\"c\\$d\\\\e"',
    "show a\\\nb 'c\\\nd' \"e\\\nf\" \\\n g",
    "show a # comment \\\nshow b",
    "show a#b '#c' \\#d",
    "s\\how a; 'show' b; sh\"ow\" c",
    "show $A\\\nB \"$\" '$A' \\$A $",
    "show a 2>&1 >/dev/null b",
    "show 1 2>&1 3",
    "CI=1 show a\n\n\nshow b\n",
    "show {} a@{1} HEAD~1 ! -- é — 日本 🙂",
    "show a |& show b",
    'show "it\'s" \'say "x"\' "a\nb"',
  ])("%j", (command) => expect(compare(command)).toBe(true));

  it.each([
    "show -m \"$(cat <<'EOF'\nfeat(core): two lines\n\nCo-Authored-By: A <a@b.c>\nEOF\n)\" b",
    'show "a $(cat <<X\nEOF\nX\n\n )b" && show c',
    "show \"$(cat <<'A'\n\n\nA\n)\"",
  ])("a text by cat: %j", (command) => expect(compare(command)).toBe(true));

  it("whatever stands in a text by cat", () => {
    const part = fc.constantFrom(
      ..."EOF¦\nEOF\n¦\n¦ ¦a¦(b)¦)¦(¦'¦\"¦`¦$x¦$(show y)¦\\¦#¦é¦; show z\n¦\t¦<<EOF¦|¦&".split("¦"),
    );
    let tried = 0;
    let understood = 0;
    fc.assert(
      fc.property(fc.array(part, { maxLength: 7 }), fc.constantFrom("'", '"', ""), (parts, quote) => {
        const text = `show "$(cat <<${quote}EOF${quote}\n${parts.join("")}\nEOF\n)" end`;
        tried += 1;
        understood += compare(text) ? 1 : 0;
      }),
      { numRuns: 500 },
    );
    expect(understood).toBeGreaterThan(tried / 20);
  });

  it("whatever is put together", () => {
    let tried = 0;
    let understood = 0;
    const command = fc.array(pieces, { maxLength: 9 }).map((parts) => `show ${parts.join("")}`);
    fc.assert(
      fc.property(command, (text) => {
        tried += 1;
        understood += compare(text) ? 1 : 0;
      }),
      { numRuns: 900 },
    );
    expect(understood).toBeGreaterThan(tried / 6);
  });
});
