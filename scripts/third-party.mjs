import { existsSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";

/** Licences that a package names and does not bring. */
const OWN_TEXTS = { "@earendil-works/pi-tui": "scripts/licences/pi-tui.txt" };

/** The folder of the package that a file lies in; undefined for our own. */
export function packageOf(file) {
  const found = /^\0?(.*\/node_modules\/(?:@[^/]+\/)?[^/]+)\//.exec(file.replaceAll("\\", "/"));
  return found?.[1];
}

/** Writes one file with what is bundled: name, version and licence of each package, by its folder. */
export function writeThirdParty({ root, folders, target }) {
  const packages = [...new Set(folders)].map((folder) => describe(root, folder));
  const unique = new Map(packages.map((one) => [`${one.name} ${one.version}`, one]));
  const sorted = [...unique.values()].toSorted((left, right) => (left.name < right.name ? -1 : 1));
  const head =
    "This package contains code of the packages below, each under the licence that follows its name.\n" +
    "The file is made when the package is built, from what went into it.";
  const parts = sorted.map(
    ({ name, version, licence, text }) => `${name} ${version} (${licence})\n\n${text.trim()}`,
  );
  writeFileSync(target, `${[head, ...parts].join(`\n\n${"-".repeat(80)}\n\n`)}\n`);
}

function describe(root, folder) {
  const { name, version, license } = JSON.parse(readFileSync(join(folder, "package.json"), "utf8"));
  const own = OWN_TEXTS[name];
  const file = readdirSync(folder).find((entry) => /^licen[cs]e(?:\.(?:md|txt))?$/i.test(entry));
  const path = own === undefined ? file && join(folder, file) : join(root, own);
  if (path === undefined || !existsSync(path)) throw new Error(`${name} is bundled and brings no licence`);
  return { name, version, licence: license, text: readFileSync(path, "utf8") };
}
