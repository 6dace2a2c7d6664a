/** Runs every benchmark and prints named figures with units; `--json` prints them as one JSON document. */
import { conversationBench } from "./conversation-bench.mjs";
import { longAuditBench } from "./long-audit.mjs";
import { measureBench } from "./measure-bench.mjs";
import { normaliseBench } from "./normalise-bench.mjs";
import { promptBench } from "./prompt-bench.mjs";
import { recallBench } from "./recall-bench.mjs";
import { replayBench } from "./replay-bench.mjs";
import { replayMemory } from "./replay-memory.mjs";
import { resumeBench } from "./resume-bench.mjs";
import { simulatorCoreBench } from "./simulator-core-bench.mjs";
import { simulatorSocketBench } from "./simulator-socket-bench.mjs";
import { ttlBench } from "./ttl-bench.mjs";

const figures = [
  ...normaliseBench(),
  ...measureBench(),
  ...promptBench(),
  ...(await conversationBench()),
  ...(await resumeBench()),
  ...simulatorCoreBench(),
  ...(await simulatorSocketBench()),
  ...(await ttlBench()),
  ...(await replayMemory()),
  ...(await replayBench()),
  ...(await recallBench()),
  ...(await longAuditBench()),
];

if (process.argv.includes("--json")) console.log(JSON.stringify({ figures }, null, 2));
else
  for (const { name, value, unit } of figures)
    console.log(`${name.padEnd(44)} ${value.toPrecision(4).padStart(10)} ${unit}`);
