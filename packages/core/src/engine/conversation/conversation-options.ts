import type { HostOptions } from "./host-options.js";
import type { Message } from "../../messages/message.js";
import type { BranchOptions, NotRewound, Rewound } from "./conversation-api.js";
import type { CompactionStage, NotesStage, Running, Stage, TotalsStage } from "./stages.js";

/** Going back and branching, as a host hands it in: `branches` of `@palimpsest/core/branches`. */
export interface BranchStage {
  readonly name: string;
  /** Goes on after an earlier message, as the conversation was then. What came after stays in the transcript. */
  readonly rewind: (running: Running, to: string) => Promise<Rewound | NotRewound>;
  readonly branch: (
    running: Running,
    options: ConversationOptions,
    given: BranchOptions,
  ) => Promise<BranchedOff>;
}

/** What a second conversation is made of. */
export interface BranchedOff {
  readonly options: ConversationOptions;
  /** What its transcript begins with, and what of that is live. */
  readonly stored: readonly Message[];
  readonly live: readonly Message[];
  /** What the API has said of its model's window. */
  readonly window: number | undefined;
}

export interface ConversationOptions extends HostOptions {
  /**
   * `compaction` of `@palimpsest/core/compaction`. With `none` old results are cleared, and where that is not enough
   * the conversation ends with its window.
   */
  readonly compaction: CompactionStage | "none";
  /** `keepNotes` of `@palimpsest/core/notes`; the setting `notes` needs it. */
  readonly notes?: NotesStage;
  /** `branches` of `@palimpsest/core/branches`: without it a conversation neither goes back nor branches. */
  readonly branches?: BranchStage;
  /**
   * `totals` of `@palimpsest/core/totals`: a resumed conversation goes on with what the live one knew: its cost, the sizes
   * of its messages, what its estimator has learned, how compactions went. Without it that begins anew.
   */
  readonly totals?: TotalsStage;
  /** Stages of the host's own, in their order; asked before each request, before the engine clears anything itself. */
  readonly stages?: readonly Stage[];
}
