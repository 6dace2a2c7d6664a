import type { ModelResponse } from "../../messages/call/response.js";
import type { Message } from "../../messages/message.js";
import type { Thresholds } from "../measure/thresholds.js";
import type { NotesSummary } from "../notes/notes-summary.js";
import type { CompactInput } from "../summarise/run/compact-run.js";
import type { Compacted, CompactionFailed } from "../summarise/run/compaction.js";
import type { NotUndone, Undone } from "../summarise/undo/undo.js";
import type { ConversationCore } from "./conversation-core.js";
import type { CompactOptions, ConversationNotes, ConversationPlan, EngineStep } from "./conversation.js";

export interface FitUnansweredOptions {
  /** Of the model that will answer. Default: the conversation's. */
  readonly thresholds?: Thresholds;
}

/** What a conversation asks of whatever compacts it. */
export interface ConversationCompactor {
  /** Padded tokens from which on it makes room before the next request: the one figure for all who ask. */
  dueAt(): number;
  noteResponse(): void;
  /** Cuts what nobody has answered yet and what no compaction could make room for. */
  fitUnanswered(options?: FitUnansweredOptions): Promise<EngineStep | undefined>;
  /** Steps 3 to 7 of the pipeline: clears by size where that is enough, else compacts. Gives a failure. */
  makeRoom(steps: EngineStep[], signal: AbortSignal | undefined): Promise<CompactionFailed | undefined>;
  compactNow(options: CompactOptions): Promise<Compacted | CompactionFailed>;
  compact(
    given: Partial<CompactInput> & Pick<CompactInput, "trigger">,
    signal: AbortSignal | undefined,
  ): Promise<Compacted | CompactionFailed>;
  plan(options: Pick<CompactOptions, "scope" | "instructions">): Promise<ConversationPlan>;
  undo(): Promise<Undone | NotUndone>;
}

/** The compaction that a host hands in: `compaction` of `@palimpsest/core/compaction`. */
export interface CompactionStage {
  readonly create: (core: ConversationCore, notes: NotesKeeping | undefined) => ConversationCompactor;
  /** Told of every message as it comes, so that a compaction does not have to look through all at once. */
  readonly see: (message: Message) => void;
}

/** What a conversation asks of whatever keeps its notes. */
export interface NotesKeeping extends ConversationNotes {
  noteResponse(response: ModelResponse): void;
  noteCompaction(): void;
  startIfDue(): void;
  summary(signal?: AbortSignal): Promise<NotesSummary>;
}

/** The notes that a host hands in: `keepNotes` of `@palimpsest/core/notes`. */
export interface NotesStage {
  /** `inTurn` runs something in turn with everything else that changes the conversation. */
  readonly create: (
    core: ConversationCore,
    inTurn: (task: () => Promise<void>) => Promise<void>,
  ) => NotesKeeping;
}
