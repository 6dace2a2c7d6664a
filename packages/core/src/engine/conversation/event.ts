import type { BilledCall } from "../../messages/billed-calls.js";
import type { AssistantMessage, Message } from "../../messages/message.js";
import type { NativeClearing } from "../clear/api-native.js";
import type { ClearingBoundary } from "../boundaries/clearing-boundary.js";
import type { MediaBoundary } from "../boundaries/media-boundary.js";
import type { OversizeBoundary } from "../boundaries/oversize-boundary.js";
import type { HeldHead, RequestStateRecord } from "../prompt/request-state.js";
import type { BuiltRequest } from "../prompt/request-builder.js";
import type { TtlState } from "../prompt/ttl/ttl-state.js";
import type { ReadStateSnapshot } from "../tools/read-state.js";
import type { Compacted, CompactionFailed } from "../summarise/run/compaction.js";
import type { Undone } from "../summarise/undo/undo.js";
import type { ConversationState } from "./state.js";

/** What may happen to a conversation. What cost something says what. */
export type ConversationEvent =
  | { readonly kind: "appended"; readonly messages: readonly Message[] }
  /** Messages of a transcript that is gone on with; what they change in each other comes as events of its own. */
  | {
      readonly kind: "resumed";
      readonly messages: readonly Message[];
      /** They begin with a compaction, or were kept by one: what they say of calls and the cache was before it. */
      readonly isOld: boolean;
    }
  | {
      readonly kind: "answered";
      readonly message: AssistantMessage;
      /** What it answers to; left out where that is not known any more. */
      readonly request?: AnsweredRequest;
    }
  /** Results are gone: from the messages, from the provider's cache, or by the provider's own doing. */
  | { readonly kind: "cleared"; readonly boundary: ClearingBoundary }
  | { readonly kind: "media-replaced"; readonly boundary: MediaBoundary }
  /** Texts that no window holds keep their ends. */
  | { readonly kind: "cut"; readonly boundary: OversizeBoundary }
  | {
      readonly kind: "compacted";
      readonly compacted: Compacted;
      /** System prompt and tools stay as they are. */
      readonly isPromptKept: boolean;
      /** Names the stretch that begins. */
      readonly stretchId: string;
      /** Of before, for taking it back. */
      readonly readState: ReadStateSnapshot | undefined;
    }
  | { readonly kind: "undone"; readonly undone: Undone }
  /** The conversation goes on after an earlier message: what it was then, by what its transcript tells. */
  | { readonly kind: "rewound"; readonly marker: Message; readonly earlier: ConversationState }
  /** A compaction came to nothing; `isAuto` where nobody had asked for it. */
  | {
      readonly kind: "failed";
      readonly failure: CompactionFailed;
      readonly isAuto: boolean;
      /** Set before a request: whether it was the one attempt that is made although the breaker is open. */
      readonly isLastResort?: boolean | undefined;
      readonly at: number;
    }
  /** A compaction could not be stored: nothing took effect. */
  | { readonly kind: "not-stored"; readonly at: number }
  /** The API called a request too long, and may have said how long it was and how large the window is. */
  | {
      readonly kind: "refused";
      /** Left out where nobody said so, or where the list is another one by now. */
      readonly tokens?: number | undefined;
      readonly window?: number | undefined;
    }
  /** Room is made because of a refusal; `isStated` where that said how much was sent. */
  | { readonly kind: "reacting"; readonly isStated: boolean }
  | { readonly kind: "reacted-in-vain" }
  | { readonly kind: "model-switched"; readonly model: string; readonly maxTokens: number | undefined }
  /** What requests begin with is written down; `record` says what has changed of it. */
  | { readonly kind: "head-held"; readonly head: HeldHead; readonly record: RequestStateRecord }
  /** System prompt and tools have so many tokens by estimate. */
  | { readonly kind: "head-measured"; readonly tokens: number }
  /** A request was built: what was settled for it stays. */
  | { readonly kind: "requested"; readonly native: NativeClearing; readonly ttl: TtlState }
  /** What a response says of the provider's own clearing. */
  | { readonly kind: "native-noted"; readonly native: NativeClearing }
  /** Of a resumed conversation: its last request is known again. */
  | {
      readonly kind: "picked-up";
      readonly built: BuiltRequest;
      readonly messageId: string;
      readonly at: number;
    }
  /** Notes along the way say what they cover. */
  | { readonly kind: "notes-written"; readonly record: Message }
  /** What was found out, or settled, about lifetimes. */
  | { readonly kind: "ttl-noted"; readonly ttl: TtlState }
  /** What the conversation knows that its messages do not show is written down; the same holds when it is read. */
  | { readonly kind: "told"; readonly record: Message }
  /** It goes on from another one: the beginning of its transcript is written. */
  | { readonly kind: "branched" }
  /** Paid for beside the conversation; nothing but the account changes. */
  | { readonly kind: "billed"; readonly calls: readonly BilledCall[]; readonly message: Message };

export interface AnsweredRequest {
  readonly built: BuiltRequest;
  /** When it was prepared. */
  readonly at: number;
  /** Whether the list is the one that it was built of. */
  readonly isCurrent: boolean;
}

/** What the transcript is told of an event. */
export function storedOf(event: ConversationEvent): readonly Message[] {
  switch (event.kind) {
    case "appended":
      return event.messages;
    case "answered":
    case "billed":
      return [event.message];
    case "cleared":
    case "media-replaced":
    case "cut":
      return [event.boundary];
    case "compacted":
      return event.compacted.stored;
    case "undone":
      return event.undone.stored;
    case "rewound":
      return [event.marker];
    case "notes-written":
    case "head-held":
      return [event.record];
    default:
      return [];
  }
}
