export { checkRecording, DEFAULT_JUDGED_MODEL, type RecordingCheck } from "./check-recording.js";
export {
  parseRecording,
  readRecording,
  RecordingError,
  type RecordingErrorCode,
} from "./readers/read-recording.js";
export type { Recording, RecordingCounts, RecordingFormat } from "./readers/recording.js";
