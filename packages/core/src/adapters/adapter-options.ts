import type { RetryPorts, RetrySettings } from "../messages/call/retry-rules.js";
import type { Clock } from "../messages/construct.js";
import type { ConversationOptions } from "../engine/conversation/conversation-options.js";
import type { NotesStage } from "../engine/conversation/stages.js";
import {
  chatCapabilities,
  messagesApiCapabilities,
  type ProviderCapabilities,
} from "../engine/ports/capabilities.js";
import type { StandInStore } from "../tree/stand-in-store.js";
import type { AdapterStep } from "./adapter-telling.js";

/** What every adapter takes. */
export interface AdapterOptions extends Pick<
  ConversationOptions,
  | "settings"
  | "compactableTools"
  | "recallHint"
  | "droppedHint"
  | "hooks"
  | "continuation"
  | "events"
  | "estimator"
> {
  /**
   * Writes summaries. Default: the framework's own model. Where the framework gives that by its name alone
   * (`prepareStep` with a text for a model), summaries are extracts, and the event `summary_writer_missing` says so.
   */
  readonly provider?: ConversationOptions["provider"];
  /** What the server after the framework can do. Default: told from the model. */
  readonly capabilities?: ProviderCapabilities;
  /** For the setting `notes`: `keepNotes()` of `@palimpsest/core/notes` for a thread, with a store of its own. */
  readonly notes?: (thread: string) => NotesStage;
  /** Default: the clock of the machine. */
  readonly clock?: Clock;
  /** How calls for summaries and notes are tried again, where the framework's own model makes them. */
  readonly retry?: Partial<RetrySettings>;
  /** How to wait before that, and chance. Default: those of the machine. */
  readonly ports?: Partial<RetryPorts>;
  /** Told of everything that was done to a conversation, in order; `step.text` is one line for a person. */
  readonly onStep?: (step: AdapterStep) => void;
  /**
   * Where conversations are kept beyond this process, and beyond what is held in memory: `createStandInFiles` of
   * `palimpsest/stores`, or one of your own. Default: in memory.
   */
  readonly store?: StandInStore;
  /**
   * Characters of messages that are held in memory at most; conversations that were longest not heard of go first, come back from
   * the store, and each is told as `conversation_evicted`. Default 64 million.
   */
  readonly maxHeldCharacters?: number;
  /** Conversations that are held in memory at most. Default: as many as there is room for. */
  readonly maxThreads?: number;
}

/** Only what a framework can pass on: markers on blocks. Whatever needs a beta header or its own fields is off. */
const markersOnly: ProviderCapabilities = {
  ...messagesApiCapabilities,
  contextEdits: false,
  compactionBlocks: false,
  cacheDiagnostics: false,
};

/** Markers for models of the Messages API; any other server caches by itself or not at all. */
export const capabilitiesFor = (isMessagesApi: boolean): ProviderCapabilities =>
  isMessagesApi ? markersOnly : chatCapabilities;

/** Tokens of an answer, where the framework does not say. */
export const DEFAULT_MAX_TOKENS = 8192;
