export { listRuns } from "./list-runs.js";
export { formatCounts, runSoak, type ListedRun, type SoakReport } from "./run-soak.js";
