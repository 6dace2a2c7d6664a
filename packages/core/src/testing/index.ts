export {
  conversationBuilder,
  type ConversationBuilder,
  type ConversationBuilderOptions,
  type Kept,
} from "./conversation-builder.js";
export {
  modelProviderContract,
  type CreateProviderHarness,
  type ModelProviderCase,
  type ProviderHarness,
  type ScriptedFault,
  type ScriptedTurn,
} from "./model-provider-contract.js";
export { sequentialIds } from "./sequential-ids.js";
export { simulatedClock, type SimulatedClock } from "./simulated-clock.js";
export {
  transcriptStoreContract,
  type CreateTranscriptStore,
  type TranscriptStoreCase,
} from "./transcript-store-contract.js";
export {
  fileAccessContract,
  type CreateFileHarness,
  type FileAccessCase,
  type FileHarness,
} from "./file-access-contract.js";
