import type { Benchmark } from "./benchmark.js";
import { compactionBenchmark } from "./compaction.js";
import { conversationBenchmark } from "./conversation.js";
import { coreImportBenchmark } from "./core-import.js";
import { estimateErrorBenchmark } from "./estimate-error.js";
import { estimateKindsBenchmark } from "./estimate-kinds.js";
import { estimateSpeedBenchmark } from "./estimate-speed.js";
import { measureTurnBenchmark } from "./measure-turn.js";
import { normaliseBenchmark } from "./normalise.js";
import { permissionsBenchmark } from "./permissions.js";
import { promptBenchmark } from "./prompt.js";
import { recallBenchmark } from "./recall.js";
import { replayBenchmark } from "./replay.js";
import { resumeBenchmark } from "./resume.js";
import { simulatorCoreBenchmark } from "./simulator-core.js";
import { simulatorSocketBenchmark } from "./simulator-socket.js";
import { ttlBenchmark } from "./ttl.js";

/** In the order in which they run: what takes long, and what needs recordings, last. */
export const benchmarks: readonly Benchmark[] = [
  normaliseBenchmark,
  measureTurnBenchmark,
  promptBenchmark,
  conversationBenchmark,
  compactionBenchmark,
  estimateSpeedBenchmark,
  estimateKindsBenchmark,
  coreImportBenchmark,
  simulatorCoreBenchmark,
  simulatorSocketBenchmark,
  resumeBenchmark,
  recallBenchmark,
  permissionsBenchmark,
  estimateErrorBenchmark,
  ttlBenchmark,
  replayBenchmark,
];
