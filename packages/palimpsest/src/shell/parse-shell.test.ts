import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { parseShell } from "./parse-shell.js";
import { writtenText } from "./shell-command.js";

const texts = (command: string): readonly string[] | string => {
  const parsed = parseShell(command);
  return parsed.kind === "unclear"
    ? parsed.why
    : parsed.commands.map(({ assignments, words }) =>
        [...assignments.map(({ word }) => word), ...words].map(({ value }) => value).join("␠"),
      );
};

describe("reading a shell command", () => {
  it.each([
    ["npm test", ["npm␠test"]],
    ["npm test; rm -rf /", ["npm␠test", "rm␠-rf␠/"]],
    ["a && b || c | d |& e & f", ["a", "b", "c", "d", "e", "f"]],
    ["a\nb\n\n c", ["a", "b", "c"]],
    ["a &&\n b", ["a", "b"]],
    ["git commit -m 'a; b && c'", ["git␠commit␠-m␠a; b && c"]],
    ['echo "a; rm x | y" done', ["echo␠a; rm x | y␠done"]],
    ["r\\m 'x'\"y\"", ["rm␠xy"]],
    ["ls \\\n -la", ["ls␠-la"]],
    ["ls # rm -rf /\npwd", ["ls", "pwd"]],
    ["echo a#b", ["echo␠a#b"]],
    ["npm test 2>&1 >/dev/null", ["npm␠test"]],
    ["CI=1 npm test", ["CI=1␠npm␠test"]],
    ["echo $HOME ${HOME} $?", ["echo␠$HOME␠${HOME}␠$?"]],
    ["", []],
    ["  ", []],
  ])("%j", (command, commands) => expect(texts(command)).toEqual(commands));

  it.each([
    "echo $(rm x)",
    "echo `rm x`",
    'echo "$(rm x)"',
    'echo "`rm x`"',
    "echo ${x:=$(rm x)}",
    "echo $'\\x72m'",
    "cat <(rm x)",
    "tee >(sh)",
    "cat <<EOF\nrm\nEOF",
    "cat <<< x",
    "(rm x)",
    "{ rm x; }",
    "if true; then rm x; fi",
    "for x in a; do rm $x; done",
    "! rm x",
    "f() { rm x; }; f",
    "$CMD x",
    "/bin/r? x",
    "r{m,m} x",
    "echo 'open",
    'echo "open',
    "echo \\",
    "; rm",
    "a && ; b",
    "a &&",
    "echo >",
    "echo \r rm",
    "echo \0",
    `echo ${"x".repeat(30_000)}`,
  ])("is unclear: %j", (command) => expect(parseShell(command).kind).toBe("unclear"));

  it("tells redirections, and which of them touch no file", () => {
    const command =
      "cat < in.txt > out.txt 2>> log &> all 2>&1 >/dev/null 1>&2- <&- 3>&1 >&3 >& both 2>'/dev/null'";
    const parsed = parseShell(command);
    const found = parsed.kind === "clear" ? parsed.commands[0]?.redirections : [];
    expect(
      found?.map(({ operator, target, isWrite, isHarmless }) => [
        operator,
        target.value,
        isWrite,
        isHarmless,
      ]),
    ).toEqual([
      ["<", "in.txt", false, false],
      [">", "out.txt", true, false],
      [">>", "log", true, false],
      ["&>", "all", true, false],
      [">&", "1", true, true],
      [">", "/dev/null", true, true],
      [">&", "2-", true, true],
      ["<&", "-", false, true],
      [">&", "1", true, false],
      [">&", "3", true, false],
      [">&", "both", true, false],
      [">", "/dev/null", true, false],
    ]);
  });

  it("tells what stands between commands, and which run in shells of their own", () => {
    const parsed = parseShell("a; b && c | d || e & f\ng |& h");
    const found = parsed.kind === "clear" ? parsed.commands : [];
    expect(
      found.map(
        (one) =>
          `${one.operator ?? ""}${writtenText(one)}${one.isPiped ? "|" : ""}${one.isBackground ? "&" : ""}`,
      ),
    ).toEqual(["a", ";b&", "&&c|&", "|d|&", "||e&", "&f", ";g|", "|&h|"]);
  });

  it("tells what a shell fills in", () => {
    const parsed = parseShell(`x $A "\${B}" '$C' \\$D *.ts '*' {a,b} ~/x a=~/x "~"`);
    const found = parsed.kind === "clear" ? (parsed.commands[0]?.words ?? []) : [];
    const flags = found.map((word) =>
      [word.isExpanded && "$", word.isGlob && "*", word.isBrace && "{", word.isTilde && "~"]
        .filter(Boolean)
        .join(""),
    );
    expect(flags).toEqual(["", "$", "$", "", "", "*", "", "{", "~", "~", ""]);
  });

  it("a word in single quotes is one word, whatever it holds that reaches a shell", () => {
    fc.assert(
      fc.property(fc.string({ unit: "binary" }), (text) => {
        const inner = text.replaceAll("'", "");
        const isSent = !/[\0-\x08\x0b-\x1f\x7f-\x9f]|\p{Cs}/u.test(inner);
        expect(texts(`echo '${inner}' end`)).toEqual(
          isSent ? [`echo␠${inner}␠end`] : "it holds control characters",
        );
      }),
    );
  });

  it("never throws, never hangs", () => {
    const shellish = fc.array(
      fc.constantFrom(
        "a",
        " ",
        ";",
        "&",
        "|",
        "<",
        ">",
        "'",
        '"',
        "\\",
        "$",
        "(",
        ")",
        "{",
        "}",
        "`",
        "\n",
        "#",
        "1",
        "=",
      ),
    );
    fc.assert(
      fc.property(shellish, (characters) => void parseShell(characters.join(""))),
      { numRuns: 3000 },
    );
  });
});
