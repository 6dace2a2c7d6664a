export { findProblems } from "./messages/validity/find-problems.js";
export type { JudgeOptions, Problem } from "./messages/validity/problem.js";
export { rules, type Rule } from "./messages/validity/rules.js";
