import type { TranscriptStore } from "../engine/ports/transcript-store.js";
import { accessCases } from "./transcript-store-contract/access.js";
import { liveCases } from "./transcript-store-contract/live.js";
import { storageCases } from "./transcript-store-contract/storage.js";

/** Gives a new, empty store. */
export type CreateTranscriptStore = () => TranscriptStore | Promise<TranscriptStore>;

export interface TranscriptStoreCase {
  readonly name: string;
  /** Rejects with an `Error` that says what the store did wrong. */
  run(createStore: CreateTranscriptStore): Promise<void>;
}

/** What every `TranscriptStore` must do, as data: hand each case to the test runner you use. */
export const transcriptStoreContract: readonly TranscriptStoreCase[] = [
  ...storageCases,
  ...liveCases,
  ...accessCases,
];
