/** Long runs that need this repository: `npm run soak` adds them to those of `palimpsest soak`. */
import { delimiter } from "node:path";
import { demoPartsRun } from "./demo-parts.mjs";
import { invariantsRun } from "./invariants.mjs";
import { postgresCrashRun } from "./postgres-crash.mjs";
import { gatewayRecordingsRun } from "./gateway-recordings.mjs";
import { propertiesRun } from "./properties.mjs";
import { recordingsRun } from "./recordings.mjs";
import { screenRun } from "./screen.mjs";

const postgres = postgresCrashRun();
const folders = (process.env.PALIMPSEST_CORPUS ?? "").split(delimiter).filter((folder) => folder !== "");

export const soakRuns = [
  propertiesRun,
  invariantsRun,
  demoPartsRun,
  screenRun,
  ...(postgres === undefined ? [] : [postgres]),
  ...(folders.length === 0 ? [] : [recordingsRun(folders), gatewayRecordingsRun(folders)]),
];
