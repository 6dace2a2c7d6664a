import type { HostOptions } from "./host-options.js";
import type { CompactionStage, NotesStage, Stage } from "./stages.js";

export interface ConversationOptions extends HostOptions {
  /**
   * `compaction` of `@palimpsest/core/compaction`. With `none` old results are cleared, and where that is not enough
   * the conversation ends with its window.
   */
  readonly compaction: CompactionStage | "none";
  /** `keepNotes` of `@palimpsest/core/notes`; the setting `notes` needs it. */
  readonly notes?: NotesStage;
  /** Stages of the host's own, in their order; asked before each request, before the engine clears anything itself. */
  readonly stages?: readonly Stage[];
}
