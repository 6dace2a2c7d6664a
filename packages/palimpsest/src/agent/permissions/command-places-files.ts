import type { ShellCommand } from "../../shell/shell-command.js";
import { readOnlyPrograms } from "../shell/read-only-programs.js";
import { baseName, runsOthers } from "./running-programs.js";

/** Programs that put nothing where another could find it in the place of what was there. */
const quiet: ReadonlySet<string> = new Set(
  `cat head tail nl tac rev cut comm cmp column fold paste join od hexdump md5sum sha1sum sha256sum file readlink
   realpath ls wc du df stat grep egrep fgrep rg jq diff test [ date echo printf true false seq basename dirname pwd cd
   whoami id uname nproc tr which type command mkdir rmdir touch rm chmod sleep wait kill ps printenv`.split(
    /\s+/,
  ),
);

/** Programs that run the code of a project: whoever allows them allows more than a file in the place of another. */
const building: ReadonlySet<string> = new Set(
  `npm pnpm yarn bun deno cargo rustc go gcc g++ clang cc make cmake ninja meson mvn gradle dotnet bazel sbt mix swift
   zig pytest tox nox ruff mypy black tsc tsx jest vitest mocha eslint prettier oxlint biome playwright cypress rake
   rspec composer phpunit`.split(/\s+/),
);

/** Commands of git that leave the files of the person as they are. */
const recording: ReadonlySet<string> = new Set(
  `add commit push fetch tag branch status log diff show blame grep describe remote rev-parse rev-list ls-files ls-tree
   shortlog cat-file`.split(/\s+/),
);

/**
 * Whether a command that a rule allows may put files or links in the place of those that were looked at when the others
 * in the same line were judged: `ln`, `mv`, `tar`, `git checkout` and whatever is not known to leave them alone.
 */
export function placesFiles({ words }: ShellCommand): boolean {
  const [program, ...rest] = words;
  if (program === undefined) return false;
  const name = baseName(program.value);
  // A program of the project itself, and one that runs others, can do all that anyway.
  if (/^[^/]+\//.test(program.value) || runsOthers(program.value, rest) !== "no") return false;
  if (name === "git") return !recording.has(rest[0]?.value ?? "");
  return !quiet.has(name) && !building.has(name);
}

/** Whether what a command that only reads shows depends on files, and not on its words and its input alone. */
export function dependsOnFiles({ words }: ShellCommand): boolean {
  const [program, ...rest] = words;
  if (program === undefined || program.value === "cd") return false;
  if (program.value === "git") return true;
  const reading = readOnlyPrograms.get(program.value)?.(rest.map(({ value }) => value));
  return reading === undefined || reading.files.length > 0 || (reading.trees ?? []).length > 0;
}
