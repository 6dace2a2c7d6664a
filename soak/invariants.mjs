import { root, runTests } from "./run-tests.mjs";
import { readInvariants } from "./table-of-invariants.mjs";

/** Of each property's cases: all of them are tried by the run `properties`. */
const SHARE = 0.2;

/** Every invariant that ARCHITECTURE.md lists and no other long run checks, by the tests that the table names. */
export const invariantsRun = {
  name: "invariants",
  about: "every test that the table of invariants in ARCHITECTURE.md names, where no long run is named",
  passes: 3,
  async pass(context) {
    const invariants = await readInvariants(root);
    const alone = invariants.filter(({ runs }) => runs.length === 0);
    await runTests([...new Set(alone.flatMap(({ files }) => files))], SHARE, context);
  },
};
