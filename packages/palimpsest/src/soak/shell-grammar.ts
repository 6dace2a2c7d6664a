import type { Random } from "../bench/random.js";
import { hiddenNames, insideNames, outsideNames, readerCall } from "./shell-reader-call.js";
import { blank, mutate, word } from "./shell-spelling.js";

/**
 * Shell commands by chance: harmless ones that carry something harmful, dead (inside quotes, comments, here-documents)
 * or alive, in every disguise that the shell offers, with some letters moved at the end. `number` goes into the names
 * of the files that a harmful one makes: `PWN-7` where touch made it, `OUT-7` where the shell or another program did.
 */
export function makeCommand(random: Random, number: number): string {
  const maker = { random, number, depth: 0, isGentle: random.below(2) === 0 };
  const kind = random.below(10);
  let command = kind === 0 ? readerCall(random, number) : kind === 1 ? oneBomb(maker) : list(maker);
  for (let count = pickMutations(random); count > 0; count -= 1) command = mutate(command, random);
  return command.replaceAll("\0", "");
}

interface Maker {
  readonly random: Random;
  readonly number: number;
  readonly depth: number;
  /** Only dead things in simple commands: what is left to find is where bash reads quotes otherwise. */
  readonly isGentle: boolean;
}

const deeper = (maker: Maker): Maker => ({ ...maker, depth: maker.depth + 1, isGentle: false });

/** Most commands stay as they were made; some are changed beyond recognition. */
const pickMutations = (random: Random): number => random.pick([0, 0, 0, 1, 1, 1, 2, 2, 3, 6]);

/** A harmless program with one thing that goes off, and nothing around it that could make somebody wary. */
function oneBomb(maker: Maker): string {
  const { random } = maker;
  const text = substituted({ ...maker, depth: 3 });
  return `${random.pick(["echo", "cat README.md", "git status", "ls", "head"])} ${random.pick([text, `"${text}"`, `a${text}b`])}`;
}

/** What goes off: a file is made, a file outside or a hidden one is shown. */
function bomb(maker: Maker): string {
  const { random, number } = maker;
  const touch = [word("touch", random), blank(random), `PWN-${number}`].join("");
  return random.pick([
    touch,
    touch,
    touch,
    touch,
    `touch PWN-${number}`,
    `touch PWN-${number}`,
    `echo x >${random.pick(["", " ", ">", "|", "&", "\\\n"])}OUT-${number}`,
    `cat ${random.pick(outsideNames)}`,
    `cat ${random.pick(hiddenNames)}`,
    `cat${blank(random)}${word(random.pick(["link", "hidden.txt"]), random)}`,
  ]);
}

/** Commands one after another. */
function list(maker: Maker): string {
  const { random } = maker;
  const count = random.pick([1, 1, 1, 2, 2, 3]);
  let text = statement(maker);
  for (let index = 1; index < count; index += 1) text += `${separator(random)}${statement(maker)}`;
  return text;
}

const separator = (random: Random): string =>
  random.pick([
    "; ",
    " && ",
    " | ",
    "; ",
    ";",
    " && ",
    " || ",
    " | ",
    "\n",
    " & ",
    " |& ",
    "\r\n",
    " &\\\n& ",
    " |\\\n| ",
    "\\\n;",
    " # x\n",
    " #\\\n",
    "\\\\\n",
  ]);

function statement(maker: Maker): string {
  const { random } = maker;
  if (maker.depth > 3) return "true";
  const kind = random.below(20);
  if (maker.isGentle) return kind < 15 ? carrier(maker) : kind < 17 ? move(maker) : simple(random);
  if (kind < 12) return carrier(maker);
  if (kind < 14) return move(maker);
  if (kind < 15) return wrapped(maker);
  if (kind < 16) return hereDocument(maker);
  return simple(random);
}

/** A harmless program with an argument that carries something. */
function carrier(maker: Maker): string {
  const { random } = maker;
  const program = random.pick([
    "echo",
    "echo",
    "echo",
    "cat README.md",
    "git status",
    "ls",
    "printf %s",
    "head",
    "true",
  ]);
  const count = random.pick([1, 1, 2]);
  const parts = Array.from({ length: count }, () => argument(maker));
  return [program, ...parts].join(random.below(6) === 0 ? blank(random) : " ");
}

/** Dead or alive. */
function argument(maker: Maker): string {
  const { random } = maker;
  if (maker.isGentle) return random.below(10) < 8 ? dead(maker) : random.pick(insideNames);
  return random.below(10) < 6 ? dead(maker) : random.below(2) === 0 ? live(maker) : random.pick(insideNames);
}

/** Text that bash does not run, and that comes alive when a quote is read otherwise. */
function dead(maker: Maker): string {
  const { random } = maker;
  const inner = substituted(deeper(maker));
  const text = bomb(maker);
  return random.pick([
    () => `'${inner}'`,
    () => `'a; ${text}'`,
    () => `"a; ${text.replaceAll(/["$`\\]/g, "")}"`,
    () => `"\\${inner}"`,
    () => `\\${inner.replaceAll(/[()<>;&|\s]/g, "\\$&")}`,
    () => `'\\' '${inner}'`,
    () => `$'a\\' ${inner} \\'b'`,
    () => `$'a\\' '${inner} #'`,
    () => `$\\\n'a\\' '${inner} #'`,
    () => `"'" '${inner}' "'"`,
    () => `a # ${text}`,
    () => `'a\\\n' '${inner}'`,
    () => `"a\\\nb" '${inner}'`,
    () => `a\\'${inner.replaceAll("'", "")}'`,
    () => `"\\"${text.replaceAll(/["$`\\]/g, "")}\\""`,
    () => `'a'\\''${inner}'`,
    () => `\\;\\ ${text.replaceAll(/[^\w.-]/g, "\\$&")}`,
    () => "$HOME",
    () => '"$HOME ${HOME}"',
    () => "{a,b}",
    () => "2>&1",
    () => ">/dev/null",
  ])();
}

const live = (maker: Maker): string => {
  const { random } = maker;
  const text = substituted(deeper(maker));
  return random.pick([text, `"${text}"`, `a${text}`, `"a ${text} b"`, `{a,${text}}`]);
};

/** A command in the place of a word, or of a part of one. */
function substituted(maker: Maker): string {
  const { random } = maker;
  const inner = random.below(3) === 0 && maker.depth < 3 ? list(maker) : bomb(maker);
  return random.pick([
    () => `$(${inner})`,
    () => `$(${inner})`,
    () => `\`${inner.replaceAll(/[`\\]/g, "\\$&")}\``,
    () => `$\\\n(${inner})`,
    () => `$\\\n\\\n(${inner})`,
    () => `\${x:-$(${inner})}`,
    () => `\${x:=$\\\n(${inner})}`,
    () => `$\\\n{x:-\`${inner.replaceAll(/[`\\]/g, "\\$&")}\`}`,
    () => `$((a[$(${inner})]))`,
    () => `$[a[$(${inner})]]`,
    () => `\${a[$(${inner})]}`,
    () => `<(${inner})`,
    () => `<\\\n(${inner})`,
    () => `>(${inner})`,
    () => `$(<link)`,
    () => `$( (${inner}) )`,
  ])();
}

/** Another directory, really or not. */
function move(maker: Maker): string {
  const { random } = maker;
  const target = random.pick([
    "sub",
    "sub/deeper",
    "missing",
    "up",
    "..",
    "README.md",
    "-",
    "",
    "sub/..",
    "d1",
  ]);
  const join = random.pick([
    "; ",
    " && ",
    " || ",
    " | true; ",
    " & ",
    "\n",
    "; false && cd deeper; ",
    " |& cat; ",
  ]);
  const next = random.pick([
    "cat far",
    "cat a.txt",
    "ls",
    "cat ../link",
    "cat link",
    "pwd",
    "cat f",
    "git status",
  ]);
  const start = random.pick([
    "cd",
    "cd",
    "cd",
    "cd --",
    "cd -P",
    "pushd",
    "CDPATH=.. cd",
    "! cd",
    "true || cd",
    "builtin cd",
  ]);
  return `${start} ${target}${join}${next}`;
}

/** Something harmful inside what is no simple command. */
function wrapped(maker: Maker): string {
  const { random } = maker;
  const inner = bomb(deeper(maker));
  const quoted = `'${inner.replaceAll("'", `'\\''`)}'`;
  return random.pick([
    `(${inner})`,
    `{ ${inner}; }`,
    `if ${inner}; then true; fi`,
    `if true; then ${inner}; fi`,
    `while ${inner}; do break; done`,
    `until ${inner}; do break; done`,
    `for x in 1; do ${inner}; done`,
    `case a in a) ${inner};; esac`,
    `! ${inner}`,
    `time ${inner}`,
    `coproc ${inner}`,
    `f() { ${inner}; }; f`,
    `echo() { ${inner}; }; echo a`,
    `env ${inner}`,
    `env A=1 B=2 ${inner}`,
    `env -S ${quoted}`,
    `nice ${inner}`,
    `timeout 5 ${inner}`,
    `command ${inner}`,
    `exec ${inner}`,
    `eval ${quoted}`,
    `bash -c ${quoted}`,
    `sh -c ${quoted}`,
    `bash <<< ${quoted}`,
    `echo ${quoted} | sh`,
    `xargs ${inner}`,
    `find . -maxdepth 0 -exec ${inner} \\;`,
    `setsid -w ${inner}`,
    `flock README.md ${inner}`,
    `trap ${quoted} EXIT`,
    `x=${quoted}; eval "$x"`,
    `x=${quoted}; $x`,
    `A=1 ${inner}`,
    `A=$(${inner}) true`,
    `a[$(${inner})]=1`,
    `[[ -n $(${inner}) ]]`,
    `[[ -v a[$(${inner})] ]]`,
    `test -v 'a[$(${inner.replaceAll("'", "")})]'`,
    `printf -v 'a[$(${inner.replaceAll("'", "")})]' x`,
    `((a[$(${inner})]))`,
    `let 'a[$(${inner.replaceAll("'", "")})]'`,
    `>/dev/null ${inner}`,
    `2>&1 ${inner}`,
    `source <(echo ${quoted})`,
    `set -- ${inner}; "$@"`,
    `x='$(${inner.replaceAll("'", "")})'; echo \${x@P}`,
    `PS4='$(${inner.replaceAll("'", "")})'; set -x; true`,
  ]);
}

function hereDocument(maker: Maker): string {
  const { random } = maker;
  const inner = substituted(deeper(maker));
  const mark = random.pick(["E", "'E'", '"E"', "\\E", "E\\\n"]);
  const sign = random.pick(["<<", "<<", "<<-", "<\\\n<", "<<\\\n"]);
  const body = random.pick([inner, `x\\\nE\n${bomb(maker)}`, `x\n${inner}`, `${inner}\\`]);
  const after = random.pick(["", `\n${bomb(maker)}`, "\necho a"]);
  return random.below(4) === 0 ? `cat <<< "${inner}"` : `cat ${sign}${mark}\n${body}\nE${after}`;
}

const simple = (random: Random): string =>
  `${random.pick(["cat", "head -2", "wc -l", "ls -la", "grep -n a", "sort", "nl", "stat", "tail -n 1"])} ${random.pick(insideNames)}`;
