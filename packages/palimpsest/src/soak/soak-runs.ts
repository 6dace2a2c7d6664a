import { agentKillRun } from "./agent-kill.js";
import { conversationChaosRun } from "./conversation-chaos.js";
import { gatewayBytesRun } from "./gateway-bytes.js";
import { listsRun } from "./lists.js";
import { livesRun } from "./lives.js";
import { longRun } from "./long-run.js";
import { notesRun } from "./notes.js";
import { plansRun } from "./plans.js";
import { resumeRun } from "./resume.js";
import { shellFuzzRun } from "./shell-fuzz.js";
import { simulatorFuzzRun } from "./simulator-fuzz.js";
import type { SoakRun } from "./soak-run.js";
import { storeCrashRun } from "./store-crash.js";
import { storeLockRun } from "./store-lock.js";
import { tokenizersRun } from "./tokenizers.js";

/** In the order in which they run. */
export const soakRuns: readonly SoakRun[] = [
  listsRun,
  conversationChaosRun,
  tokenizersRun,
  longRun,
  notesRun,
  plansRun,
  resumeRun,
  livesRun,
  storeCrashRun,
  storeLockRun,
  shellFuzzRun,
  simulatorFuzzRun,
  gatewayBytesRun,
  agentKillRun,
];
