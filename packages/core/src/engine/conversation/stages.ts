import type { QuerySource } from "../../messages/call/query-source.js";
import type { Clock, Ids } from "../../messages/construct.js";
import type { ClearDecision } from "../clear/decision.js";
import type { EventEmitter } from "../events/emitter.js";
import type { MeasuredSizes } from "../measure/measured-sizes.js";
import type { Account } from "../money/account.js";
import type { Ledger } from "../money/ledger.js";
import type { ProviderCapabilities } from "../ports/capabilities.js";
import type { TtlFacts } from "../prompt/ttl/ttl-state.js";
import type { Settings } from "../settings/settings.js";
import type { CompactableTools } from "../tools/compactable-tools.js";
import type { CacheWatch } from "../watch/cache-watch.js";
import type { Context } from "./context.js";
import type { ConversationEvent } from "./event.js";
import type { ResolvedOptions } from "./host-options.js";
import type { ConversationState } from "./state.js";
import type { ModelResponse } from "../../messages/call/response.js";
import type { Message } from "../../messages/message.js";
import type { Thresholds } from "../measure/thresholds.js";
import type { NotesSummary } from "../notes/notes-summary.js";
import type { PlannedCut } from "../oversize/decide-cuts.js";
import type { CompactInput } from "../summarise/run/compact-run.js";
import type { Compacted, CompactionFailed } from "../summarise/run/compaction.js";
import type { CompactionPlan, NoPlan } from "../summarise/plan.js";
import type { NotUndone, Undone } from "../summarise/undo/undo.js";
import type { CompactOptions, ConversationNotes, EngineStep } from "./conversation-api.js";

/** What a conversation is made with, resolved once. Nothing here is part of what it remembers. */
export interface Setup {
  readonly options: ResolvedOptions;
  readonly source: QuerySource;
  readonly isMainThread: boolean;
  readonly clock: Clock;
  readonly ids: Ids;
  readonly settings: Settings;
  readonly events: EventEmitter;
  readonly compactable: CompactableTools;
  /** Undefined where the conversation goes without compaction. */
  readonly compaction: CompactionStage | undefined;
  readonly stages: readonly Stage[];
  /** Undefined where what it knows ends with the process. */
  readonly totals: TotalsStage | undefined;
  readonly watch: CacheWatch;
  /** In a model's own tokens: measured where responses have shown them, else as far as it has learned. */
  readonly estimatorOf: (model: string) => MeasuredSizes;
  readonly capabilitiesOf: (model: string) => ProviderCapabilities;
  /** For deciding on lifetimes with this model. */
  readonly ttlFacts: (model: string) => TtlFacts;
  /** An empty context for this model; `overhead` are the tokens of system prompt and tools. */
  readonly contextFor: (model: string, overhead?: number) => Context;
  /** What was decided last on clearing, and for which list, so that asking again costs nothing. */
  readonly lastDecision: { of: string; decision: ClearDecision | undefined };
}

/** A conversation at one moment. */
export interface Moment {
  readonly setup: Setup;
  readonly state: ConversationState;
}

/** A conversation that goes on: what it is now, and the one way in which it changes. */
export interface Running extends Moment {
  /** Stores what the transcript is told of it, then makes it so. Rejects as the store does, and nothing has changed. */
  commit(event: ConversationEvent): Promise<void>;
  /** What it has cost. */
  readonly ledger: Ledger;
  readonly notes: NotesKeeping | undefined;
  /** Of a resumed conversation: knows from here on what its last request left in the cache. */
  pickUp(): Promise<void>;
  /** System prompt and tools are asked for anew. */
  resetPrompt(): void;
}

/** Keeping what a conversation knows through a resume, as a host hands it in: `totals` of `@palimpsest/core/totals`. */
export interface TotalsStage {
  readonly name: string;
  /** What the transcript is told beside an event, which has not happened yet; `account` is what it tells of so far. */
  readonly records: (event: ConversationEvent, moment: Moment, account: Account) => readonly Message[];
  /** What a conversation is once a record of these is in its transcript, or was read from it. */
  readonly apply: (setup: Setup, state: ConversationState, record: Message) => ConversationState;
  /** What a conversation with these messages has cost, as far as they tell. */
  readonly account: (messages: readonly Message[], source: QuerySource) => Account;
}

/** What is asked of a compaction. */
export type CompactionRequest = Partial<Omit<CompactInput, "scope">> &
  Pick<CompactInput, "trigger"> & {
    readonly scope?: CompactInput["scope"] | undefined;
    readonly signal?: AbortSignal | undefined;
    /** The model whose window the result has to fit into. Default: the conversation's. */
    readonly toFit?: string;
    /** Set before a request: whether the breaker is open, and this is the one attempt all the same. */
    readonly isLastResort?: boolean;
    /** Notes are tried first, without a model call. */
    readonly usesNotes?: boolean;
  };

/** The compaction that a host hands in: `compaction` of `@palimpsest/core/compaction`. */
export interface CompactionStage {
  readonly name: string;
  /** Told of every message as it comes, so that a compaction does not have to look through all at once. */
  readonly see: (message: Message) => void;
  /** What nobody has answered yet and what no compaction could make room for; undefined where all of it fits. */
  readonly cuts: (moment: Moment, thresholds?: Thresholds) => readonly PlannedCut[] | undefined;
  readonly cut: (running: Running, cuts: readonly PlannedCut[]) => Promise<EngineStep | undefined>;
  /** Summarises, and puts the summary in the place of what it is about. */
  readonly perform: (running: Running, request: CompactionRequest) => Promise<Compacted | CompactionFailed>;
  /** What `perform` would do; nothing is changed or sent. */
  readonly plan: (
    running: Running,
    options: Pick<CompactOptions, "scope" | "instructions">,
  ) => Promise<CompactionPlan | NoPlan>;
  readonly undo: (running: Running) => Promise<Undone | NotUndone>;
}

/** What a conversation asks of whatever keeps its notes. */
export interface NotesKeeping extends ConversationNotes {
  noteResponse(response: ModelResponse): void;
  noteCompaction(): void;
  /** The conversation has gone back: what the notes say may be of what is no longer part of it. */
  noteRewind(): void;
  startIfDue(): void;
  /** A summary of these messages from the notes, once an update that is under way is done or has taken too long. */
  summary(live: readonly Message[], signal?: AbortSignal): Promise<NotesSummary>;
}

/** The notes that a host hands in: `keepNotes` of `@palimpsest/core/notes`. */
export interface NotesStage {
  /** `inTurn` runs something in turn with everything else that changes the conversation. */
  readonly create: (running: Running, inTurn: (task: () => Promise<void>) => Promise<void>) => NotesKeeping;
  /** The same for a branch, which begins with these notes and keeps them apart. */
  readonly branch?: (notes: string) => NotesStage;
}

/**
 * A stage of the host's own. Before each request it may look at the conversation and say what is to go: results by the
 * ids of their calls. They are cleared as the engine clears its own: the originals stay in the transcript.
 */
export interface Stage {
  readonly name: string;
  readonly perform: (view: StageView) => StageChange | undefined | Promise<StageChange | undefined>;
}

/** What a stage sees. */
export interface StageView {
  readonly live: readonly Message[];
  readonly tokens: number;
  /** Where the engine itself would make room, in tokens. */
  readonly compactAt: number;
  readonly now: number;
}

/** What a stage wants. */
export interface StageChange {
  /** Of calls whose results are cleared. */
  readonly clear: readonly string[];
}
