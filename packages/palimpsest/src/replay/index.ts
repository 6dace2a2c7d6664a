export { analysisTotal, type AnalysisTotal, type AnalyzedFile } from "./analysis-total.js";
export {
  analyzeRecording,
  type RecordedClearing,
  type RecordedCompaction,
  type RecordingAnalysis,
} from "./analyze-recording.js";
export { checkRecording, DEFAULT_JUDGED_MODEL, type RecordingCheck } from "./check-recording.js";
export {
  estimateRecording,
  reportEstimates,
  type EstimatedGrowth,
  type EstimateReport,
  type EstimatorErrors,
  type EstimatorName,
} from "./estimate-recording.js";
export {
  parseRecording,
  readRecording,
  RecordingError,
  type RecordingErrorCode,
} from "./readers/read-recording.js";
export type { Recording, RecordingCounts, RecordingFormat } from "./readers/recording.js";
export { readRecordedRequests, type RecordedRequests } from "./requests/recorded-requests.js";
export type { RebuiltRequest, RequestEntry, RequestPart } from "./requests/request-index.js";
export type {
  FieldRecord,
  MarkerRecord,
  RequestOutcome,
  RequestRecord,
} from "../recording/request-record.js";
export { recordedBreaks, type RecordedBreak, type RecordedBreakReason } from "./recorded-breaks.js";
export { recordedCalls } from "./recorded-calls.js";
export type { RecordedUnknown } from "./recorded-unknowns.js";
export { recordedCost, type RecordedCost } from "./recorded-cost.js";
export type { ContextKind, LargeItem } from "./measures/context-kinds.js";
export type {
  FailedFile,
  FileResult,
  ForgettingFigures,
  ForgottenSource,
  MissingReference,
  PolicyFigures,
  PolicyResult,
  PolicyTotal,
  ReplayReport,
  TurnRecord,
} from "./results/policy-result.js";
export type { Interval } from "./results/bootstrap.js";
export type { RecordedBill } from "./measures/recorded-bill.js";
export { playConversation, type Played, type PlayOptions } from "./play/play-conversation.js";
export { DEFAULT_REPLAYED_MODEL } from "./play/playing-conditions.js";
export { createPalimpsestPolicy, type PalimpsestOptions } from "./policies/palimpsest.js";
export { parsePolicies, PolicyError, policyNames } from "./policies/parse-policies.js";
export type {
  Policy,
  PolicyEdit,
  PolicyHost,
  PolicyPrepared,
  PolicyRun,
  PolicyTtl,
} from "./policies/policy.js";
export { replayFiles, type ReplayOptions, type ReplayProgress } from "./replay-files.js";
export { renderReport, type ReportOptions } from "./report/render-report.js";
export { openConversation } from "./rounds/open-conversation.js";
export type {
  ConversationOverview,
  RecordedCompactionOfRound,
  RecordedConversation,
  RecordedResponse,
  RecordedRound,
} from "./rounds/recorded-round.js";
