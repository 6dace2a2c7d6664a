/** Long runs that need this repository: `npm run soak` adds them to those of `palimpsest soak`. */
import { propertiesRun } from "./properties.mjs";
import { recordingsRun } from "./recordings.mjs";

const folder = process.env.PALIMPSEST_CORPUS;

export const soakRuns = [propertiesRun, ...(folder === undefined ? [] : [recordingsRun(folder)])];
