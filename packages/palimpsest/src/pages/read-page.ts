import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { dirname, join } from "node:path";

export type PageName = "inspector" | "report";

/** What a page is made of besides its data. */
export interface PageParts {
  readonly script: string;
  readonly style: string;
}

/** Reads what scripts/pages.mjs has bundled. */
export function readPage(name: PageName): PageParts {
  const folder = join(
    dirname(createRequire(import.meta.url).resolve("palimpsest/package.json")),
    "dist/page-files",
  );
  return {
    script: readFileSync(join(folder, `${name}.js`), "utf8"),
    style: readFileSync(join(folder, `${name}.css`), "utf8"),
  };
}
