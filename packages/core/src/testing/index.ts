export {
  conversationBuilder,
  type ConversationBuilder,
  type ConversationBuilderOptions,
  type Kept,
} from "./conversation-builder.js";
export { sequentialIds } from "./sequential-ids.js";
export { simulatedClock, type SimulatedClock } from "./simulated-clock.js";
export {
  transcriptStoreContract,
  type CreateTranscriptStore,
  type TranscriptStoreCase,
} from "./transcript-store-contract.js";
