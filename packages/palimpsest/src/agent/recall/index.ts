export { createRecall, type RecallOptions, type RecallTool } from "./create-recall.js";
