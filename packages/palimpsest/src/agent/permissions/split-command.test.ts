import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { splitCommand } from "./split-command.js";

const texts = (command: string): readonly string[] | string => {
  const split = splitCommand(command);
  return split.kind === "unclear"
    ? split.why
    : split.commands.map(({ words }) => words.map(({ value }) => value).join("␠"));
};

describe("splitting a shell command", () => {
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
    ["FOO=1 npm test", ["FOO=1␠npm␠test"]],
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
  ])("is unclear: %j", (command) => expect(splitCommand(command).kind).toBe("unclear"));

  it("tells redirections to files", () => {
    const split = splitCommand("cat < in.txt > out.txt 2>> log &> all");
    expect(split.kind === "split" && split.commands[0]?.redirections).toMatchObject([
      { target: { value: "in.txt" }, isWrite: false },
      { target: { value: "out.txt" }, isWrite: true },
      { target: { value: "log" }, isWrite: true },
      { target: { value: "all" }, isWrite: true },
    ]);
  });

  it("a word in single quotes is one word, whatever it holds", () => {
    fc.assert(
      fc.property(fc.string({ unit: "binary" }), (text) => {
        const inner = text.replaceAll("'", "");
        expect(texts(`echo '${inner}' end`)).toEqual([`echo␠${inner}␠end`]);
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
      fc.property(shellish, (characters) => void splitCommand(characters.join(""))),
      { numRuns: 3000 },
    );
  });
});
