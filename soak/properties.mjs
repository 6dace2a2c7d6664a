import { readdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import { root, runTests } from "./run-tests.mjs";

/** All properties with all of their cases, and all rows of the tables of which `npm test` takes some. */
export const propertiesRun = {
  name: "properties",
  about: "every property of the tests with the full number of cases, and every table in full",
  passes: 3,
  pass: async (context) => runTests(await filesWithProperties(), 1, context),
};

async function filesWithProperties() {
  const found = [];
  for (const folder of ["packages/core/src", "packages/palimpsest/src", "test"]) {
    for (const name of await readdir(join(root, folder), { recursive: true })) {
      if (!name.endsWith(".test.ts")) continue;
      const text = await readFile(join(root, folder, name), "utf8");
      if (/from "(?:fast-check|[./\w-]*\/(?:check-property|share|screen-stage)\.js)"/.test(text))
        found.push(join(folder, name));
    }
  }
  return found.toSorted();
}
