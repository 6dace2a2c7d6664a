import { basename } from "node:path";
import type { DemoArea } from "./demo-areas.js";

const NEXT = "// next";

/** What the agent writes: a module for each area, an index of them, and a test that compares them with the sources. */
export const indexText = `${NEXT}\n`;

/** Recomputes what a module claims. */
export const testText = `import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import * as inventory from "./index.mjs";

const name = /^export (?:default )?(?:abstract )?(?:async )?(?:function\\*?|class|const|let|interface|type|enum) (\\w+)/;
for (const { area, files } of Object.values(inventory)) {
  test(area, () => {
    for (const { path, lines, names } of files) {
      const text = readFileSync(path, "utf8").replace(/\\n$/, "").split("\\n");
      assert.equal(lines, text.length, path);
      assert.deepEqual(names, text.flatMap((line) => name.exec(line)?.[1] ?? []), path);
    }
  });
}
`;

const NUMBERED = /^\s*(\d+)\t(.*)$/;
const EXPORTED =
  /^export (?:default )?(?:abstract )?(?:async )?(?:function\*?|class|const|let|interface|type|enum) (\w+)/;

/** The module of an area as far as its files can be seen. */
export function moduleText(area: DemoArea, fileText: (path: string) => string | undefined): string {
  const files = area.files.flatMap((path) => {
    const text = fileText(path);
    if (text === undefined) return [];
    const lines = text.split("\n").flatMap((line) => NUMBERED.exec(line)?.[2] ?? []);
    const names = lines.flatMap((line) => EXPORTED.exec(line)?.[1] ?? []);
    return [`  ${JSON.stringify({ path, lines: lines.length, names })},`];
  });
  return [`export const area = ${JSON.stringify(area.name)};`, "export const files = [", ...files, "];"].join(
    "\n",
  );
}

/** How the index is edited so that it has this module. */
export function joinedModule({ module }: DemoArea): {
  readonly old_string: string;
  readonly new_string: string;
} {
  const file = basename(module);
  const name = file.replace(/\.mjs$/, "").replaceAll(/[^A-Za-z0-9]+/g, "_");
  return { old_string: NEXT, new_string: `export * as area_${name} from "./${file}";\n${NEXT}` };
}

export const summaryModule = (areas: readonly DemoArea[]): string =>
  `export const areas = [\n${areas.map(({ name, module }) => `  ${JSON.stringify({ name, module })},`).join("\n")}\n];\n`;
