import { accessCases } from "./transcript-store-contract/access.js";
import { liveCases } from "./transcript-store-contract/live.js";
import { storageCases } from "./transcript-store-contract/storage.js";
import type { TranscriptStoreCase } from "./transcript-store-contract/transcript-store-case.js";

/** What every `TranscriptStore` must do, as data: hand each case to the test runner you use. */
export const transcriptStoreContract: readonly TranscriptStoreCase[] = [
  ...storageCases,
  ...liveCases,
  ...accessCases,
];
