import { answerCases } from "./model-provider-contract/answers.js";
import { callingOffCases } from "./model-provider-contract/calling-off.js";
import { faultCases } from "./model-provider-contract/faults.js";
import { progressCases } from "./model-provider-contract/progress.js";
import type { ModelProviderCase } from "./model-provider-contract/model-provider-case.js";

/** What every `ModelProvider` must do, as data: hand each case to the test runner you use. */
export const modelProviderContract: readonly ModelProviderCase[] = [
  ...answerCases,
  ...faultCases,
  ...callingOffCases,
  ...progressCases,
];
