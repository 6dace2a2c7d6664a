import { spawnSync } from "node:child_process";
import { readFileSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

/**
 * The examples in TypeScript compile as strictly as anybody's project may, with declarations of the packages checked too, and with
 * nothing talked away (no `as`, no `any`). Frameworks have declarations that do not compile so strictly: theirs to mend; ours have to.
 */
const root = fileURLToPath(new URL("..", import.meta.url));
const strictly = [
  "--noEmit",
  "--skipLibCheck",
  "false",
  "--exactOptionalPropertyTypes",
  "--noUncheckedIndexedAccess",
];
const { stdout, stderr, status, error } = spawnSync(
  process.execPath,
  ["node_modules/typescript/bin/tsc", "-p", "examples", ...strictly],
  { cwd: root, encoding: "utf8", maxBuffer: 64 << 20 },
);
if (error !== undefined) throw error;

const errors = stdout.split("\n").filter((line) => /^\S+\(\d+,\d+\): error/.test(line));
const faults = errors.filter((line) => !/^node_modules\/(?!@?palimpsest)/.test(line));
if (status !== 0 && errors.length === 0) faults.push(`the compiler ended with ${status}: ${stdout}${stderr}`);

const typed = readdirSync(join(root, "examples")).filter((name) => name.endsWith(".ts"));
for (const name of [...typed, "lab/simulated-audit.ts"]) {
  const source = readFileSync(join(root, "examples", name), "utf8");
  const code = source.replaceAll(/\/\*[^]*?\*\/|\/\/.*$|`[^`]*`|"[^"]*"/gm, "");
  const talkedAway = /\bas\b|\bany\b|@ts-|!\.|<any>/.exec(code);
  if (talkedAway !== null) faults.push(`examples/${name} talks a type away: ${talkedAway[0]}`);
}

for (const fault of faults) console.error(fault);
if (faults.length > 0) process.exitCode = 1;
