import { allowedProgram } from "./allowed-program.js";
import { deniedProgram } from "./denied-program.js";
import { hiddenFiles } from "./hidden-files.js";
import { outsideFiles } from "./outside-files.js";
import { readOnly } from "./read-only.js";
import { repositories } from "./repositories.js";
import type { VerdictGroup } from "./verdict-row.js";

/** All calls with the verdict that each has to get. */
export const shellVerdicts: readonly VerdictGroup[] = [
  ...allowedProgram,
  ...readOnly,
  ...outsideFiles,
  ...deniedProgram,
  ...hiddenFiles,
  ...repositories,
];
