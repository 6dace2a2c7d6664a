import type { Random } from "../bench/random.js";

/** Names of files: a link that leads out, one that rules hide, and what anybody may read. */
export const outsideNames = [
  "link",
  "../outside/secret",
  "up/outside/secret",
  "sub/far",
  "d2/f",
  "lin?",
  "{link,x}",
];
export const hiddenNames = [
  "hidden.txt",
  "./hidden.txt",
  "d3/f",
  "hid*",
  "{hidden.txt,x}",
  "sub/../hidden.txt",
];
export const insideNames = [
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
export function readerCall(random: Random, number: number): string {
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

const made = (number: number): string => `OUT-${number}`;

/** Every reader with every option, next to a name that it could write and joined to it: what chance meets once in a day. */
export const optionSweep: readonly ((number: number) => string)[] = readers.flatMap((program) => [
  ...letters.flatMap((letter) => [
    (number: number) => `${program} -${letter} ${made(number)} README.md`,
    (number: number) => `${program} README.md -${letter}${made(number)}`,
  ]),
  ...longOptions.flatMap((option) => [
    (number: number) => `${program} ${option}=${made(number)} README.md`,
    (number: number) => `${program} ${option} ${made(number)} README.md`,
  ]),
]);
