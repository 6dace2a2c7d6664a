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

/** Each code of a string as often as another, halves of characters included. */
const anyCode = fc
  .oneof(fc.integer({ min: 0, max: 0x3ff }), fc.integer({ min: 0, max: 0xffff }))
  .map((code) => String.fromCharCode(code));

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
    ["# nothing", []],
    ["cat a b | head -5", ["cat␠a␠b", "head␠-5"]],
    ["cd packages/x && npm test", ["cd␠packages/x", "npm␠test"]],
    ['ls -la; grep -rn "x" src | wc -l', ["ls␠-la", "grep␠-rn␠x␠src", "wc␠-l"]],
    ["find . \\( -name a -o -name b \\) ! -path x", ["find␠.␠(␠-name␠a␠-o␠-name␠b␠)␠!␠-path␠x"]],
    ["git show stash@{0} HEAD~1 HEAD^", ["git␠show␠stash@{0}␠HEAD~1␠HEAD^"]],
    ["l\\\ns -l\\\na", ["ls␠-la"]],
    ["echo \"a\\\nb\" 'c\\\nd'", ["echo␠ab␠c\\\nd"]],
    ["echo a &\\\n& echo b |\\\n| echo c", ["echo␠a", "echo␠b", "echo␠c"]],
    ["echo \\\\\nls", ["echo␠\\", "ls"]],
    ["echo # a \\\nls", ["echo", "ls"]],
    ["[ -f a ] && export A=$HOME/b", ["[␠-f␠a␠]", "export␠A=$HOME/b"]],
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
    "true;".repeat(600),
    // Lines that a backslash joins.
    'echo "$\\\n(touch x)"',
    "echo $\\\n(touch x)",
    "echo $\\\n'\\x41'",
    'echo $\\\n"x"',
    "echo $\\\n{x:=y}",
    "echo $\\\n\\\n[1+1]",
    "cat <\\\n(touch x)",
    "cat <\\\n<EOF\nEOF",
    "i\\\nf true; then echo; fi",
    "!\\\n echo",
    "(\\\ntouch x)",
    "PA\\\nTH=. ls",
    "echo;\\\n;",
    // A comment ends with its line, whatever stands before that.
    "# \\\n$(touch x)",
    "ls # \\\n`touch x`",
    // Substitutions, arithmetic, indirection, transformation.
    "echo $((1+1))",
    "echo $[1+1]",
    "echo ${!x}",
    "echo ${x@P}",
    "echo ${x}${y:-$(touch x)}",
    "echo ${ touch x; }",
    "echo ${#x}",
    "echo ${1}",
    "echo ${_}",
    "echo $_",
    'echo $"x"',
    "echo $\u00e9",
    "((x=1))",
    "[[ -f x ]]",
    "a=(1 2)",
    "a=1 b=(2)",
    "a[$(touch x)]=1",
    "CI+=1 ls",
    "x=(touch)",
    "echo @(a|b)",
    "echo !(a)",
    "echo {fd}>x",
    "echo {fd}<x",
    // Control flow and its words.
    "while true; do touch x; done",
    "until false; do touch x; done",
    "case x in x) touch x;; esac",
    "select x in a; do touch x; done",
    "function f { touch x; }",
    "coproc touch x",
    "time touch x",
    "echo a; then",
    "echo a ;& echo b",
    "echo a ;;",
    "ls | ! touch x",
    "ls && { touch x; }",
    // Names of programs that are not what they seem.
    "$'touch' x",
    "to${x}uch x",
    "touch$IFS-x",
    "{touch,x}",
    "[t]ouch x",
    // What the shell evaluates a second time.
    "printf -v 'a[$(touch x)]' y",
    "printf -vPATH ./x",
    "test -v 'a[$(touch x)]'",
    "[ -v 'a[$(touch x)]' ]",
    "read 'a[$(touch x)]'",
    "unset 'a[$(touch x)]'",
    "export 'a[$(touch x)]=1'",
    "declare $X",
    "let 'a[$(touch x)]'",
    "mapfile -C 'touch x' -c 1 a",
    "wait -p 'a[$(touch x)]'",
    // Variables that decide what runs.
    "PATH=. ls",
    "LD_PRELOAD=./x.so ls",
    "IFS=x ls",
    "BASH_ENV=x ls",
    "GIT_DIR=x git status",
    "PAGER=x git log",
    "X=1",
    "CI=1 PATH=. ls",
    // Characters that look like others, and homes.
    "ls\u00a0-la",
    "ls \u2028rm",
    "ls\u200b",
    "ls \u3000x",
    "echo \ud800",
    "echo '\ud800'",
    "echo '\u001b[2J'",
    "echo \u007f",
    "echo \v",
    "echo あ\\;touch x",
    "echo \\あ\\;touch x",
    "echo あ\\\ntouch x",
    'echo "あ\\"; touch x; \\""',
    "cat ~root/x",
    "cat ~+/x",
    "cat ~-",
    'cat ~"/x"',
    "x a=~root/y",
    "a & & b",
    "a | | b",
    "a & && b",
    "> ; b",
    "cat < > x",
    "cat <",
    "cat 2>",
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

  it.each([
    "echo \"$(cat <<'E'\n$(x)\nE\n)\"",
    "echo \"$(cat <<'E'\nit's\nE\n)\"",
    'echo "$(cat <<E\n`x`\nE\n)"',
    'echo "$(cat <<E\na) ; touch b; (\nE\n)"',
    "echo \"$(cat <<'E'\na\nE\ntouch b\n)\"",
    "echo \"$(cat <<'E'\na\n E\n)\"",
    "echo \"$(cat <<'E'\na\nE\ntouch b\nE\n)\"",
    "echo \"$(cat <<'E'\nE(touch b)\nE\n)\"",
    "echo \"$(cat <<'E' f\na\nE\n)\"",
    "echo \"$(cat <<-'E'\na\nE\n)\"",
    "echo $(cat <<'E'\na b\nE\n)",
    "echo \"$(cat <<'E'\na\nE)\"",
  ])("a text by cat is not understood where it may be more: %j", (command) => {
    expect(parseShell(command).kind).toBe("unclear");
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
      fc.property(fc.string({ unit: anyCode }), (text) => {
        const inner = text.replaceAll("'", "");
        const isSent = !/[\0-\x08\x0b-\x1f\x7f-\x9f]|\p{Cs}/u.test(inner);
        expect(texts(`echo '${inner}' end`)).toEqual(
          isSent ? [`echo␠${inner}␠end`] : "it holds control characters",
        );
      }),
    );
  });

  it("looks at each character a bounded number of times", () => {
    for (const piece of [
      "cd a;",
      "a ",
      "a|",
      "'a'",
      '"a"',
      "\\\n",
      "$a",
      "${a}",
      "#\n",
      "2>&1 ",
      "\\a",
      "{",
      "~:",
    ]) {
      const times = Math.floor(9000 / piece.length);
      const steps = (command: string): number => parseShell(command).steps / command.length;
      expect(steps(`x ${piece.repeat(times)}`)).toBeLessThan(8);
      expect(steps(`x ${piece.repeat(2 * times)}`)).toBeLessThan(8);
    }
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
