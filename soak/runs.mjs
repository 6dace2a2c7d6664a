/** Long runs that need this repository: `npm run soak` adds them to those of `palimpsest soak`. */
import { propertiesRun } from "./properties.mjs";

export const soakRuns = [propertiesRun];
