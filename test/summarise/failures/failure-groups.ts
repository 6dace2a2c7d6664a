import { abortRows } from "./abort-rows.js";
import { acceptanceRows } from "./acceptance-rows.js";
import { answerRows } from "./answer-rows.js";
import { apiRows } from "./api-rows.js";
import { hookRows } from "./hook-rows.js";
import { restoreRows } from "./restore-rows.js";
import { scopeRows } from "./scope-rows.js";
import { serverRows } from "./server-rows.js";
import type { FailureRow } from "./stage.js";
import { tooLongRows } from "./too-long-rows.js";

/** Everything that is known to go wrong, in the order of docs/failures.md. */
export const failureGroups: Readonly<Record<string, readonly FailureRow[]>> = {
  scope: scopeRows,
  "hooks, observers": hookRows,
  answer: answerRows,
  API: apiRows,
  "provider's own summary": serverRows,
  "too long": tooLongRows,
  acceptance: acceptanceRows,
  restoring: restoreRows,
  "called off": abortRows,
};
