import type { Random } from "../bench/random.js";

/**
 * Shell commands by chance: harmless ones that carry something harmful, dead (inside quotes, comments, here-documents)
 * or alive, in every disguise that the shell offers, with some letters moved at the end. `number` goes into the names
 * of the files that a harmful one makes: `PWN-7` where touch made it, `OUT-7` where the shell or another program did.
 */
export function makeCommand(random: Random, number: number): string {
  const maker = { random, number, depth: 0, isGentle: random.below(2) === 0 };
  const kind = random.below(10);
  let command = kind === 0 ? readerCall(maker) : kind === 1 ? oneBomb(maker) : list(maker);
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

const outsideNames = [
  "link",
  "../outside/secret",
  "up/outside/secret",
  "sub/far",
  "d2/f",
  "lin?",
  "{link,x}",
];
const hiddenNames = ["hidden.txt", "./hidden.txt", "d3/f", "hid*", "{hidden.txt,x}", "sub/../hidden.txt"];
const insideNames = [
  "README.md",
  "notes.txt",
  "data.json",
  "sub/a.txt",
  "sub",
  ".",
  "d1",
  "*.txt",
  "missing",
];

/** A word in one of its spellings, all of which bash reads as the same. */
function word(plain: string, random: Random): string {
  const at = random.below(plain.length + 1);
  const [head, tail] = [plain.slice(0, at), plain.slice(at)];
  const hex = (letter: string): string => `\\x${letter.charCodeAt(0).toString(16)}`;
  return random.pick([
    () => plain,
    () => plain,
    () => `${head}''${tail}`,
    () => `${head}""${tail}`,
    () => `"${plain}"`,
    () => `'${head}'"${tail}"`,
    () => `${head}\\\n${tail}`,
    () => `\\${plain}`,
    () => `$'${plain}'`,
    () => `$'${hex(plain)}${plain.slice(1)}'`,
    () => `$"${plain}"`,
    () => `${head}$(true)${tail}`,
    () => `${head}$unset${tail}`,
    () => `\${unset:-${plain}}`,
    () => `$(echo ${plain})`,
    () => `${head}{,}${tail}`,
    () => (plain === "touch" ? random.pick(["/usr/bin/touch", "/usr/bin/touc?", "/usr/bin/[t]ouch"]) : plain),
  ])();
}

const blank = (random: Random): string =>
  random.pick([" ", " ", " ", "  ", "\t", " \\\n", "\\\n ", "$IFS''", "${IFS}", "\\\n\t\\\n"]);

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

const readers =
  "cat head tac nl rev cut comm cmp readlink realpath column md5sum sha256sum od hexdump fold paste join ls wc du stat grep egrep rg jq diff sort uniq file find date sed tr test which basename git".split(
    " ",
  );
const longOptions =
  "--output --files0-from --file --from-file --to-file --recursive --dereference --follow --dereference-recursive --compress-program --rawfile --slurpfile --no-index --ext-diff --textconv --output-directory --check --exclude-from --include --pre --new-file --reference --brief --all --stat --regexp".split(
    " ",
  );
const findWords =
  "-L -H -P -follow -maxdepth 1 -name * -type f -newer -fprint -fprintf -fls -exec -execdir -ok -delete -print -printf %p -files0-from -samefile touch ; \\; + {}".split(
    " ",
  );
const gitWords =
  "status diff log show blame ls-files branch tag stash list cat-file -p HEAD HEAD:hidden.txt -c -C --git-dir= --output= --no-index -- --stat --oneline -1".split(
    " ",
  );
const scripts = [
  "p",
  "1p",
  "w OUT-#",
  "1e touch PWN-#",
  "s/a/b/e",
  "r link",
  "$!d",
  ".",
  "input",
  "env",
  "$ENV",
  "a",
  "1,5p",
];

/** A program that reads, with whatever options and names. */
function readerCall(maker: Maker): string {
  const { random, number } = maker;
  const program = random.pick(readers);
  const name = (): string => random.pick([...insideNames, ...outsideNames, ...hiddenNames, `OUT-${number}`]);
  const own = { find: findWords, git: gitWords }[program];
  const part = (): string => {
    const kind = random.below(10);
    if (own !== undefined && kind < 6) return random.pick(own);
    if (kind < 4) return name();
    if (kind < 6) return `-${random.pick(letters)}${random.below(3) === 0 ? random.pick(letters) : ""}`;
    if (kind < 7) return `-${random.pick(letters)}${name()}`;
    if (kind < 8) return `'${random.pick(scripts).replaceAll("#", String(number))}'`;
    const option = random.pick(longOptions);
    const cut = random.below(4) === 0 ? option.slice(0, 4 + random.below(option.length - 3)) : option;
    return `${cut}${random.pick(["", "=", " "])}${random.below(4) === 0 ? "./touch" : name()}`;
  };
  const parts = Array.from({ length: 1 + random.below(4) }, part);
  return [program, ...parts].join(" ");
}

/** Without those that wait for ever. */
const letters = "abcdeghijklmnopqrstuvwxyzABCDEGHIJKLMNOPQRSTUVWXYZ0123456789".split("");

const signs = [
  "\\\n",
  "'",
  '"',
  "\\",
  "$",
  "`",
  "(",
  ")",
  "{",
  "}",
  ";",
  "&",
  "|",
  "<",
  ">",
  "\n",
  " ",
  "#",
  "!",
  "=",
  "*",
  "?",
  "[",
  "]",
  "~",
  "\r",
  "\t",
  "\u00a0",
  "$'",
  "$(",
  "${",
  "))",
  "((",
  "<<",
  "''",
  "\\\\",
];

/** One small change somewhere. */
function mutate(text: string, random: Random): string {
  const at = random.below(text.length + 1);
  const kind = random.below(8);
  const [head, tail] = [text.slice(0, at), text.slice(at)];
  if (kind < 3) return `${head}\\\n${tail}`;
  if (kind < 5) return `${head}${random.pick(signs)}${tail}`;
  if (kind < 6) return head + tail.slice(1);
  if (kind < 7) return `${head}${tail.slice(0, 1)}${tail}`;
  const other = random.below(text.length + 1);
  const piece = text.slice(Math.min(at, other), Math.min(at, other) + 6);
  return `${head}${piece}${tail}`;
}
