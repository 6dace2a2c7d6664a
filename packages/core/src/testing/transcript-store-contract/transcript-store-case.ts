import type { TranscriptStore } from "../../engine/ports/transcript-store.js";

/** Gives a new, empty store. */
export type CreateTranscriptStore = () => TranscriptStore | Promise<TranscriptStore>;

export interface TranscriptStoreCase {
  readonly name: string;
  /** Rejects with an `Error` that says what the store did wrong. */
  run(createStore: CreateTranscriptStore): Promise<void>;
}
