export {
  createBreakFinder,
  type BreakFinder,
  type BreakReason,
  type CacheBreak,
} from "./breaks/break-finder.js";
export type { Difference } from "./breaks/first-difference.js";
export { createSimulator, type SimulatorOptions } from "./core/create-simulator.js";
export { createSimulatorApp, type SimulatorApp, type SimulatorAppOptions } from "./http/app.js";
export {
  createFaultPlan,
  type Fault,
  type FaultPlan,
  type FaultRule,
  type FaultSpan,
} from "./http/faults.js";
export {
  startSimulatorServer,
  type SimulatorServer,
  type SimulatorServerOptions,
} from "./http/node-server.js";
export { faultGrammar, parseFaults, type ParsedFaults } from "./http/parse-faults.js";
export {
  createRequestLog,
  type Journey,
  type RequestLog,
  type RequestRecord,
  type Totals,
} from "./http/request-log.js";
export type {
  CacheMiss,
  CountOutcome,
  ErrorOutcome,
  JudgedCall,
  MessageOutcome,
  MissReason,
  Outcome,
  SimulatedCall,
  Verdict,
} from "./outcome.js";
export type { Answer, AnswerBlock, Delivery, Player, PlayerPrompt } from "./player.js";
export { createEchoPlayer } from "./players/echo-player.js";
export { createLoadPlayer, type LoadPlayerOptions } from "./players/load-player.js";
export { parseScript } from "./players/parse-script.js";
export { PlayerError, type PlayerErrorCode } from "./player-error.js";
export { createRecordingPlayer, type RecordingPlayerOptions } from "./players/recording-player.js";
export { createScriptPlayer, type ScriptPlayerOptions } from "./players/script-player.js";
export type { ErrorStep, PauseStep, ResponseStep, Script, ScriptStep } from "./players/script.js";
export {
  summaryModes,
  withSummaries,
  type SummariesOptions,
  type SummaryMode,
} from "./players/summaries-player.js";
export type { Simulator } from "./simulator.js";
export { createBpeCounter, type TokenCounter } from "./tokens/bpe-counter.js";
