import { existsSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join, relative, resolve } from "node:path";

/** What programs are started from, beside the entries: the command loads these folders as they are, and they start others. */
const STARTED = [
  "dist/bench/index.js",
  "dist/bench/measure-process.js",
  "dist/soak/index.js",
  "dist/soak/soak-process.js",
  "dist/soak/soak-runs.js",
  "dist/soak/store-writer.js",
];

/** Read as they are and sent to a browser; nothing imports them. */
const READ = /^(?:bundled|page-files)\//;

/**
 * Writes `dist/.npmignore`: everything there that no entry of the package leads to. The command is bundled, so that most of what
 * it is made of is not needed once more, and nobody can name a type that no entry tells of.
 */
export function writeShippedFiles(folder) {
  const { exports } = JSON.parse(readFileSync(join(folder, "package.json"), "utf8"));
  const targets = Object.values(exports).flatMap((target) =>
    typeof target === "string" ? [] : [target.types, target.default],
  );
  const reached = new Set();
  for (const target of [...targets, ...STARTED]) reach(join(folder, target), reached);
  const dist = join(folder, "dist");
  const files = readdirSync(dist, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath ?? entry.path, entry.name))
    .filter((file) => /\.(?:js|d\.ts)$/.test(file) && !READ.test(relative(dist, file)));
  const left = files.filter((file) => !reached.has(file)).map((file) => `/${relative(dist, file)}`);
  writeFileSync(join(dist, ".npmignore"), `${[".npmignore", "*.map", ...left.toSorted()].join("\n")}\n`);
}

/** A file, and all that it imports, starts or takes types from. */
function reach(file, reached) {
  if (reached.has(file) || !existsSync(file)) return;
  reached.add(file);
  const isTypes = file.endsWith(".d.ts");
  const text = readFileSync(file, "utf8");
  const named = /(?:\bfrom|\bimport|\bimport\(|\bnew URL\()\s*["'](\.{1,2}\/[^"']+)\.js["']/g;
  for (const [, path] of text.matchAll(named)) {
    reach(resolve(dirname(file), `${path}${isTypes ? ".d.ts" : ".js"}`), reached);
  }
}
