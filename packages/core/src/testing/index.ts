export {
  conversationBuilder,
  type ConversationBuilder,
  type ConversationBuilderOptions,
  type Kept,
} from "./conversation-builder.js";
export { modelProviderContract } from "./model-provider-contract.js";
export type {
  CreateProviderHarness,
  ModelProviderCase,
  ProviderHarness,
  ScriptedFault,
  ScriptedTurn,
} from "./model-provider-contract/model-provider-case.js";
export { sequentialIds } from "./sequential-ids.js";
export { simulatedClock, type SimulatedClock } from "./simulated-clock.js";
export { transcriptStoreContract } from "./transcript-store-contract.js";
export type {
  CreateTranscriptStore,
  TranscriptStoreCase,
} from "./transcript-store-contract/transcript-store-case.js";
export {
  fileAccessContract,
  type CreateFileHarness,
  type FileAccessCase,
  type FileHarness,
} from "./file-access-contract.js";
export {
  standInStoreContract,
  type CreateStandInStore,
  type StandInStoreCase,
} from "./stand-in-store-contract.js";
