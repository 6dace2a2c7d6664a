import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";

/** A door of a package: how it is imported, and the source that it is made from. */
export interface Entry {
  readonly specifier: string;
  readonly file: string;
}

type Exports = Readonly<Record<string, string | { readonly types: string }>>;

const manifest = (name: string): { readonly name: string; readonly exports: Exports } =>
  JSON.parse(
    readFileSync(fileURLToPath(new URL(`../packages/${name}/package.json`, import.meta.url)), "utf8"),
  );

/** Every entry of both packages, as their manifests list them. */
export const entries: readonly Entry[] = ["core", "palimpsest"].flatMap((folder) => {
  const { name, exports } = manifest(folder);
  return Object.entries(exports).flatMap(([path, target]) => {
    if (typeof target === "string") return [];
    // It only says which others there are: test/main-entry.test.ts.
    if (path === "." && name === "palimpsest") return [];
    const source = target.types.replace(/^\.\/dist\//, "").replace(/\.d\.ts$/, ".ts");
    const file = fileURLToPath(new URL(`../packages/${folder}/src/${source}`, import.meta.url));
    return [{ specifier: path === "." ? name : `${name}${path.slice(1)}`, file }];
  });
});
