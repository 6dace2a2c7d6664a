import type { ApiFailure } from "../../messages/call/failure.js";
import type { ModelResponse } from "../../messages/call/response.js";
import type { MessageOrigin } from "../../messages/construct.js";
import type { RequestMessage, ToolUseBlock, UserBlock } from "../../messages/content.js";
import type { AnthropicMessage } from "../../messages/import/from-anthropic.js";
import type { AssistantMessage, Message } from "../../messages/message.js";
import type { EventEmitter } from "../events/emitter.js";
import type { Accounting } from "../events/accounting.js";
import type { BilledCall } from "../../messages/billed-calls.js";
import type { Account } from "../money/account.js";
import type { SentCall } from "../money/call-meter.js";
import type { ContextSize } from "../measure/context-meter.js";
import type { Pressure, Thresholds } from "../measure/thresholds.js";
import type { CallOptions, ModelCall, ModelOutput, ModelProvider } from "../ports/model-provider.js";
import type { TranscriptWriter } from "../ports/transcript-store.js";
import type { BuiltRequest, CacheSafeParams } from "../prompt/request-builder.js";
import type { TtlPolicy } from "../prompt/ttl/ttl-policy.js";
import type { Compacted, CompactionFailed } from "../summarise/run/compaction.js";
import type { CompactionScope } from "../summarise/run/division.js";
import type { CompactionPlan, NoPlan } from "../summarise/plan.js";
import type { NotUndone, Undone } from "../summarise/undo/undo.js";
import type { CacheBreak } from "../events/cache-break.js";
import type { HostOptions } from "./host-options.js";

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

/** What happens while a request is made and answered, as it happens. */
export type TurnEvent =
  /** The engine made room. */
  | { readonly kind: "step"; readonly step: EngineStep }
  /** A request failed and is sent again after a while; what was told of its answer is void. */
  | ({ readonly kind: "retry" } & Parameters<NonNullable<CallOptions["onRetry"]>>[0])
  /** The answer, piece by piece, as the provider gives it. */
  | Exclude<ModelOutput, { readonly kind: "message" | "error" }>;

/** What happens until a person is answered. */
export type AskEvent =
  | TurnEvent
  /** Part of the conversation from now on, and stored: what was asked, each answer, results of tools. */
  | { readonly kind: "message"; readonly message: Message }
  /** The last one. */
  | { readonly kind: "answer"; readonly answer: Answer };

export interface AskOptions {
  readonly signal?: AbortSignal;
  /** Who is asked. Default: the conversation's own provider. */
  readonly provider?: ModelProvider;
  /** Requests at most, where tools are run: then `max-turns` is thrown, and `ask()` goes on. Default 100. */
  readonly maxTurns?: number;
}

/** What the model said in the end. */
export interface Answer {
  /** Its words, without thinking and calls. */
  readonly text: string;
  readonly message: AssistantMessage;
  /** Calls of tools that nobody here runs: append their results, or ask with them. */
  readonly calls: readonly ToolUseBlock[];
  /** In the API's words: `max_tokens` where the answer was cut off. */
  readonly stopReason: string | null;
  /** Of all requests that were answered on the way, together. */
  readonly usage: {
    readonly input_tokens: number;
    readonly output_tokens: number;
    readonly cache_creation_input_tokens: number;
    readonly cache_read_input_tokens: number;
  };
  /** What the engine did on the way, in order. */
  readonly steps: readonly EngineStep[];
  /** Requests that were answered. */
  readonly turns: number;
}

export interface AppendOptions {
  /** The messages stay word for word through every compaction, and no clearing takes them. */
  readonly pin?: boolean;
}

export interface CompactOptions {
  /** Default: everything, with the newest rounds kept as the settings say. */
  readonly scope?: CompactionScope;
  readonly instructions?: string;
  readonly signal?: AbortSignal;
}

/** The conversation goes on after an earlier message. */
export interface Rewound {
  readonly kind: "rewound";
  /** The live messages now: those of then, and a marker at their end. */
  readonly live: readonly Message[];
}

/** It goes on as before. */
export interface NotRewound {
  readonly kind: "failed";
  readonly reason:
    | "unknown_message"
    /** Something before that message was cleared, replaced, cut or summarised since, and there is no `history`. */
    | "originals_missing"
    | "history_unreadable"
    /** The conversation was made without `branches`. */
    | "not_handed_in";
  /** One sentence. */
  readonly message: string;
}

/** What a branch has of its own. All else is as in the conversation that it comes from. */
export interface BranchOptions extends Partial<Omit<HostOptions, "model" | "maxTokens">> {
  /** Default: a new one. */
  readonly sessionId?: string;
  /** Where the branch is stored: its messages so far, then what is said in it. Without one it lives as long as the process. */
  readonly writer?: TranscriptWriter;
  /** Everything that the branch has stored, for going back in it. */
  readonly history?: () => Promise<readonly Message[]>;
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
 * A conversation: ask, and it sees to the rest. Hosts with a loop of their own append what was said, prepare a request, send it
 * and observe what came back. Calls take their turn: whatever is called while something runs waits for it.
 */
export interface Conversation {
  readonly events: EventEmitter;
  /** The model that requests go to now. */
  readonly model: string;
  readonly live: readonly Message[];
  /** For messages that are to be appended next. */
  readonly origin: () => MessageOrigin;
  /**
   * Says something and gives the answer. Calls of tools that have a `run` are made, and the model told, until there are
   * none. Without content it goes on where the conversation stands, as after an error. Throws `PalimpsestError`: nothing of
   * the conversation is lost.
   */
  ask(content?: string | readonly UserBlock[], options?: AskOptions): Promise<Answer>;
  /** The same, told as it happens. Whoever leaves the loop calls it off. */
  stream(content?: string | readonly UserBlock[], options?: AskOptions): AsyncGenerator<AskEvent, Answer>;
  /**
   * Adds messages at the end, ours or plain ones with a role and content; resolves once they are stored. The last
   * argument may say how.
   */
  append(
    ...given: readonly [...messages: readonly (Message | AnthropicMessage)[], options: AppendOptions]
  ): Promise<void>;
  append(...messages: readonly (Message | AnthropicMessage)[]): Promise<void>;
  /** Resolves once all that was appended is stored, no notes are being written and what the watch found is kept. */
  flush(): Promise<void>;
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
  /**
   * Goes on after an earlier message (and the rest of its round), as the conversation was then: what was compacted,
   * cleared, replaced or cut since is whole again, as far as `history` has it. What came after stays in the transcript.
   * Call off what is under way before: an answer that comes later is appended like any other.
   */
  rewind(to: string): Promise<Rewound | NotRewound>;
  /**
   * A second conversation that goes on from here with a life of its own; this one stays as it is. What was read, the
   * sections of the system prompt and notes are copied.
   */
  branch(options?: BranchOptions): Promise<Conversation>;
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
