/**
 * Which of the shell commands in recordings run unasked, and which did with another version of the code:
 *
 *   npm run verdicts -- [FILE|FOLDER…] [--save FILE] [--compare FILE [--better]]
 *
 * Without files those of PALIMPSEST_CORPUS. `--save` keeps the verdicts by a hash of each command; `--compare` holds
 * them against such a file of the same recordings and lists what got worse (with `--better` also what got better), by
 * kind of command. Exit code 1 where something got worse.
 */
import { readFile, writeFile } from "node:fs/promises";
import { parseArgs } from "node:util";
import { checkRecordings, judgeRecordedCommands } from "../packages/palimpsest/dist/bench/index.js";

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: { save: { type: "string" }, compare: { type: "string" }, better: { type: "boolean" } },
});
const corpus = process.env["PALIMPSEST_CORPUS"];
const paths = positionals.length > 0 ? positionals : corpus === undefined ? [] : [corpus];
if (paths.length === 0) {
  console.error("name recordings, or a folder of them in PALIMPSEST_CORPUS");
  process.exit(2);
}
const { files } = await checkRecordings(paths);
const verdicts = await judgeRecordedCommands(files);
const kinds = /** @type {const} */ (["isUnasked", "isRuled"]);
const words = { isUnasked: "run unasked without rules", isRuled: "run unasked with typical rules" };
console.log(`${verdicts.length} commands of ${files.length} recordings`);
for (const kind of kinds) {
  const count = verdicts.filter((verdict) => verdict[kind]).length;
  console.log(`${count} ${words[kind]} (${((100 * count) / verdicts.length).toFixed(1)}%)`);
}
if (values.save !== undefined) {
  const saved = verdicts.map(({ hash, isUnasked, isRuled }) => [hash, { isUnasked, isRuled }]);
  await writeFile(values.save, `${JSON.stringify(Object.fromEntries(saved), null, 1)}\n`);
}
if (values.compare !== undefined) {
  const before = JSON.parse(await readFile(values.compare, "utf8"));
  for (const kind of kinds) {
    const changed = (/** @type {boolean} */ from) =>
      verdicts.filter((verdict) => before[verdict.hash]?.[kind] === from && verdict[kind] !== from);
    const worse = changed(true);
    const better = changed(false);
    console.log(`\n${words[kind]}: ${worse.length} no longer, ${better.length} now`);
    if (worse.length > 0) process.exitCode = 1;
    list("no longer", worse);
    if (values.better === true) list("now", better);
  }
}

/** Kinds of commands, the most frequent first, each with an example. */
function list(title, all) {
  const classes = new Map();
  for (const { command } of all) {
    const name = classOf(command);
    classes.set(name, [...(classes.get(name) ?? []), command]);
  }
  for (const [name, commands] of [...classes].toSorted(([, a], [, b]) => b.length - a.length)) {
    console.log(`  ${title}: ${commands.length} × ${name}`);
    console.log(`      ${JSON.stringify(commands[0].slice(0, 200))}`);
  }
}

/** The programs of a command with their options: what its judgement depends on. Rough on purpose. */
function classOf(command) {
  const bare = command.replaceAll(/'[^']*'|"(?:[^"\\]|\\.)*"/g, "…");
  return bare
    .split(/(\|\||&&|[;|\n])/)
    .map((piece) => {
      const [program = "", ...rest] = piece.trim().split(/\s+/);
      const kept = rest.filter((word, at) => /^-|^\d*[<>]/.test(word) || (program === "git" && at === 0));
      return [program, ...kept.map((word) => word.replace(/=.*|\d+$/, ""))].join(" ");
    })
    .filter((piece) => piece !== "")
    .join(" ")
    .slice(0, 120);
}
