import type { ModelResponse } from "../../../messages/call/response.js";
import type { BilledCall } from "../../../messages/billed-calls.js";
import type { QuerySource } from "../../../messages/call/query-source.js";
import type { CompactionBlock } from "../../../messages/content.js";
import type { ModelRequest } from "../../../messages/call/request.js";
import type { NormaliseOptions } from "../../../messages/normalise/normaliser.js";
import type { Clock, Ids } from "../../../messages/construct.js";
import type { Attachment, Message } from "../../../messages/message.js";
import type { ChainLink } from "../../events/chain-link.js";
import type { EventEmitter } from "../../events/emitter.js";
import type { Estimator } from "../../ports/estimator.js";
import type { CompactHooks } from "../../ports/compact-hooks.js";
import type { DroppedHint } from "../../ports/dropped-hint.js";
import type { ModelProvider } from "../../ports/model-provider.js";
import type { BuiltRequest, CacheSafeParams } from "../../prompt/request-builder.js";
import type { Restored } from "../../restore/restored.js";
import type { Settings } from "../../settings/settings.js";
import type { CompactionTrigger, FailedAttempt, Mended, WriterName } from "../../events/compaction-terms.js";
import type { SummaryVariant } from "../../events/summary-variant.js";
import type { SizeFacts } from "./new-size.js";
import type { CompactionScope, Division } from "./division.js";
import type { SummaryMessageParts } from "../shape/summary-message.js";

/** What is compacted, and why. */
export interface CompactInput {
  /** The live messages: from the last boundary on, kept ones in their place. They are never changed. */
  readonly live: readonly Message[];
  readonly scope: CompactionScope;
  readonly trigger: CompactionTrigger;
  readonly source: QuerySource;
  readonly model: string;
  readonly size: SizeFacts;
  /** What the person wants of the summary. */
  readonly instructions?: string | undefined;
  readonly continuation?: SummaryMessageParts["continuation"] | undefined;
  readonly transcriptPath?: string | undefined;
  readonly droppedHint?: DroppedHint | undefined;
  /** Of the last answered request; without it no fork can share its cache. */
  readonly params?: CacheSafeParams | undefined;
  /** With which the conversation's own requests are normalised; a fork's must be the same to the byte. */
  readonly normaliseOptions?: NormaliseOptions;
  /** A summary that is there already: nobody is asked for one. */
  readonly prepared?: PreparedSummary;
  /** Where it stands in the chain of compactions, for its event. */
  readonly chain?: ChainLink;
  /** The API has refused the conversation as too long: whatever would send all of it is not tried. */
  readonly isRefused?: boolean;
}

export interface PreparedSummary {
  readonly summary: string;
  readonly division: Division;
  /** Who wrote it. Default: `notes`. */
  readonly writer?: WriterName;
  /** What had to be added to it. Default: nothing. */
  readonly mended?: Mended;
  /** The provider's own block, in place of a summary message. */
  readonly block?: CompactionBlock;
}

export type CompactPhase = "hooks" | "summarising" | "restoring" | "finishing";

/** What to show while it runs; undefined when it is over, however it ended. */
export type CompactStatus =
  | {
      readonly phase: CompactPhase;
      readonly text: string;
      /** The summary has begun to arrive. */
      readonly isResponding: boolean;
      /** Characters of it so far. */
      readonly characters: number;
    }
  | undefined;

/** What a compaction asks for to be restored. */
export interface RestoreRequest {
  /** What the model keeps seeing. */
  readonly keptMessages: readonly Message[];
  readonly variant: SummaryVariant;
  readonly signal: AbortSignal | undefined;
}

/** What a compaction needs of the world. */
export interface CompactPorts {
  /** Without one only the extractive writer is left. */
  readonly provider?: ModelProvider;
  readonly estimator: Estimator;
  readonly clock: Clock;
  readonly ids: Ids;
  readonly sessionId: string;
  readonly settings: Settings;
  readonly hooks?: CompactHooks;
  /** Gathers what the model needs next: `restoreState`, with the host's ports. */
  readonly restore?: (request: RestoreRequest) => Promise<Restored>;
  /** The open items, for the extractive writer. */
  readonly todos?: readonly { readonly content: string; readonly status: string }[];
  readonly events?: EventEmitter;
  readonly signal?: AbortSignal;
  readonly onStatus?: (status: CompactStatus) => void;
  /** Told every `compactKeepAliveMs` while it runs: editors drop connections that are silent. */
  readonly every?: (milliseconds: number, callback: () => void) => () => void;
  /** Told of every request that is sent, for the watch; what it gives is told of a fork's answer. */
  readonly onRequest?: (sent: SummaryRequestSent) => ((response: ModelResponse) => void) | void;
}

export interface SummaryRequestSent {
  readonly writer: WriterName;
  readonly request: ModelRequest;
  readonly betas: readonly string[];
  /** Set for a request on the conversation's cache. */
  readonly fork?: BuiltRequest;
}

/** What the phases share. */
export interface CompactRun {
  readonly input: CompactInput;
  readonly ports: CompactPorts;
  readonly division: Division;
  readonly instructions: readonly string[];
  /** Every call to a model so far, whatever it was good for. */
  readonly calls: BilledCall[];
  readonly failedAttempts: FailedAttempt[];
  /** A writer begins: what was shown of an earlier one is over. */
  readonly onAttempt: () => void;
  readonly onText: (text: string) => void;
}

/** What hooks have to say once the compaction is certain. */
export interface HookResults {
  readonly contexts: readonly Attachment[];
  readonly messages: readonly (string | undefined)[];
}
