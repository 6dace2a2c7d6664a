export { benchmarks } from "./benchmarks.js";
export { checkRecordings } from "./check-recordings.js";
export { chooseBenchmarks } from "./choose-benchmarks.js";
export { formatFigure } from "./format-figure.js";
export { judgeRecordedCommands } from "./permissions.js";
export { runBenchmarks } from "./run-benchmarks.js";
