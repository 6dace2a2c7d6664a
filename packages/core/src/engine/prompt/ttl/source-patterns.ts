import type { QuerySource } from "../../../messages/call/query-source.js";
import { matchesPattern } from "../../settings/matches-pattern.js";

/** Whether one of the patterns fits the whole name. */
export const matchesSource = (patterns: readonly string[], source: QuerySource): boolean =>
  patterns.some((pattern) => matchesPattern(source, pattern));
