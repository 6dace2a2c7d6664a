import { root, runTests } from "./run-tests.mjs";
import { readInvariants } from "./table-of-invariants.mjs";

/** Every invariant that ARCHITECTURE.md lists, by the tests it names. */
export const invariantsRun = {
  name: "invariants",
  about:
    "every test that the table of invariants in ARCHITECTURE.md names, properties with the full number of cases",
  passes: 1,
  async pass(context) {
    const invariants = await readInvariants(root);
    const files = [...new Set(invariants.flatMap(({ files }) => files))];
    await runTests(files.toSorted(), context);
  },
};
