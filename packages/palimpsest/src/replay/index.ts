export { analyzeRecording, type RecordedCompaction, type RecordingAnalysis } from "./analyze-recording.js";
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
export { recordedBreaks, type RecordedBreak, type RecordedBreakReason } from "./recorded-breaks.js";
