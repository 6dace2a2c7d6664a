import type { ApiFailure } from "../../messages/call/failure.js";
import type { ModelResponse } from "../../messages/call/response.js";
import type { MessageOrigin } from "../../messages/construct.js";
import type { RequestMessage } from "../../messages/content.js";
import type { AssistantMessage, Message } from "../../messages/message.js";
import type { EventEmitter } from "../events/emitter.js";
import type { Accounting } from "../events/accounting.js";
import type { BilledCall } from "../../messages/billed-calls.js";
import type { Account } from "../money/account.js";
import type { SentCall } from "../money/call-meter.js";
import type { ContextSize } from "../measure/context-meter.js";
import type { Pressure, Thresholds } from "../measure/thresholds.js";
import type { ModelCall } from "../ports/model-provider.js";
import type { BuiltRequest, CacheSafeParams } from "../prompt/request-builder.js";
import type { TtlPolicy } from "../prompt/ttl/ttl-policy.js";
import type { Compacted, CompactionFailed } from "../summarise/run/compaction.js";
import type { CompactionScope } from "../summarise/run/division.js";
import type { CompactionPlan, NoPlan } from "../summarise/plan.js";
import type { NotUndone, Undone } from "../summarise/undo/undo.js";
import type { CacheBreak } from "../events/cache-break.js";

/** What the engine did to the conversation on its own, and what it wrote into it. */
export interface EngineStep {
  readonly tier: "media" | "time-based" | "cached" | "size-based" | "oversize" | "notes" | "full";
  /** What was added to the transcript, in its order. */
  readonly added: readonly Message[];
  readonly tokensBefore: number;
  readonly tokensAfter: number;
  /** One line for the person. */
  readonly text: string;
  readonly compacted?: Compacted;
}

/** A request that is ready to be sent. Say what became of it with `observe`. */
export interface PreparedRequest {
  readonly kind: "request";
  readonly call: ModelCall;
  readonly built: BuiltRequest;
  /** When it was prepared: from here cache lifetimes run. */
  readonly at: number;
  /** What had to be done for it, in order. */
  readonly steps: readonly EngineStep[];
}

/** No request can be sent. Nothing of the conversation is lost. */
export interface Held {
  readonly kind: "held";
  readonly reason:
    /** Automatic compaction is off and the window is full. */
    | "window-full"
    /** Compaction was tried and failed, and the window is full. */
    | "compaction-failed"
    /** System prompt and tools leave no room for a round. */
    | "no-room"
    /** There is nothing to send. */
    | "no-messages"
    | "aborted";
  /** One sentence: what happened and what to do. */
  readonly message: string;
  readonly failure?: CompactionFailed;
  readonly steps: readonly EngineStep[];
}

export type Prepared = PreparedRequest | Held;

export type Outcome =
  | { readonly kind: "response"; readonly response: ModelResponse }
  | { readonly kind: "failure"; readonly failure: ApiFailure };

export type Observed =
  | {
      readonly kind: "accepted";
      /** As it was added to the conversation. */
      readonly message: AssistantMessage;
      readonly cacheBreak?: CacheBreak;
    }
  /** The API called the request too long; the conversation was compacted: prepare again and send. */
  | { readonly kind: "retry"; readonly step: EngineStep }
  | { readonly kind: "failed"; readonly failure: ApiFailure; /** One sentence. */ readonly message: string };

export interface CompactOptions {
  /** Default: everything, with the newest rounds kept as the settings say. */
  readonly scope?: CompactionScope;
  readonly instructions?: string;
  readonly signal?: AbortSignal;
}

/** How full the context is, in everything that a host shows. */
export interface ConversationSize extends ContextSize {
  readonly thresholds: Thresholds;
  /** Where the conversation is compacted now: at `autoCompactAt`, or before that where it costs less. */
  readonly compactAt: number;
  readonly percentLeft: number;
  readonly pressure: Pressure;
}

/** What would be done before the next request. */
export interface ConversationPlan {
  /** Now. */
  readonly tokens: number;
  /** In their order; empty where the request would be sent as it is. */
  readonly steps: readonly PlannedStep[];
  /** Set where no request would be sent. */
  readonly held?: Pick<Held, "reason" | "message">;
}

/** One thing that would be done. After a summary nothing more is said: what it leaves depends on what it says. */
export type PlannedStep = { readonly tokensBefore: number; readonly tokensAfter: number } & (
  | { /** So many pictures and documents become text. */ readonly tier: "media"; readonly count: number }
  | {
      /** So many texts that nobody has answered yet are cut to their ends. */
      readonly tier: "oversize";
      readonly count: number;
    }
  | { readonly tier: "time-based" | "cached" | "size-based"; readonly toolUseIds: readonly string[] }
  | { readonly tier: "notes" | "full"; readonly plan: CompactionPlan | NoPlan }
);

/** The notes, for hosts. */
export interface ConversationNotes {
  /** What they say now; the empty template where nothing was written yet. */
  read(): Promise<string>;
  /** Replaces them, for a person who edits the file. */
  edit(notes: string): Promise<void>;
  /** Begins anew: the empty template. */
  reset(): Promise<void>;
  /** Resolves when no update is under way. */
  idle(): Promise<void>;
}

/**
 * A conversation that hosts drive: append what was said, prepare a request, send it, observe what came back.
 * Calls take their turn: whatever is called while something runs waits for it.
 */
export interface Conversation {
  readonly events: EventEmitter;
  /** The model that requests go to now. */
  readonly model: string;
  readonly live: readonly Message[];
  /** For messages that are to be appended next. */
  readonly origin: () => MessageOrigin;
  /** Adds messages at the end; resolves once they are stored. */
  append(...messages: readonly Message[]): Promise<void>;
  /** Makes room where that is needed, and builds the next request. Never rejects but for a store that fails. */
  prepare(options?: { readonly signal?: AbortSignal }): Promise<Prepared>;
  observe(
    prepared: PreparedRequest,
    outcome: Outcome,
    options?: { readonly signal?: AbortSignal },
  ): Promise<Observed>;
  /** Compacts now, whatever the thresholds say. */
  compact(options?: CompactOptions): Promise<Compacted | CompactionFailed>;
  /** What `prepare` would do, or with a scope what `compact` would; nothing is changed or sent. */
  plan(options?: Pick<CompactOptions, "scope" | "instructions">): Promise<ConversationPlan>;
  /** Takes the last compaction of this process back. */
  undo(): Promise<Undone | NotUndone>;
  /** Goes on with another model. One with a smaller window: compacts first, with the old one. */
  switchModel(
    model: string,
    options?: { readonly maxTokens?: number; readonly signal?: AbortSignal },
  ): Promise<EngineStep | undefined>;
  size(): ConversationSize;
  /** Of what the context is: tokens, not money. */
  accounting(): Accounting;
  /** What it has cost since it was created: answers, compactions that failed too, notes, and what was charged. */
  account(): Account;
  /**
   * Adds calls that the conversation cannot know of: those that were cut off (`createCallMeter` has them), a
   * subagent's, keep-alives. Resolves once the transcript tells of all that was charged; never rejects.
   */
  charge(...calls: readonly (BilledCall | SentCall)[]): Promise<void>;
  /** The messages as they would be sent now. */
  requestMessages(): readonly RequestMessage[];
  /** For calls beside the conversation; undefined before the first response. */
  cacheSafeParams(): CacheSafeParams | undefined;
  readonly ttl: TtlPolicy;
  /** Undefined where no notes are kept. */
  readonly notes: ConversationNotes | undefined;
}
