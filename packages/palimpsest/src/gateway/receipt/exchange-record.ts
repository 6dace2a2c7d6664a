import type { ResponseUsage } from "@palimpsest/core";

/** What a path of the upstream is for. */
export type Endpoint = "messages" | "count-tokens" | "chat" | "responses" | "other";

/** How an exchange ended: as it should, by the upstream, by the client, or before there was a connection. */
export type ExchangeEnd = "complete" | "cut" | "aborted" | "unreachable";

/** What a call has used, as the upstream says. */
interface ReportedCall {
  readonly model: string;
  readonly usage: ResponseUsage;
  /** Set where the stream ended before its last figures came. */
  readonly estimated?: "output";
}

/** Which conversation a request belongs to. */
export interface ConversationRecord {
  /** A name that says nothing. */
  readonly id: string;
  readonly isNew: boolean;
  readonly isNewLane: boolean;
  readonly isSubagent: boolean;
  /** A name for what the client says of its session and agent; absent where there were too many to remember. */
  readonly lane?: string;
  /** Lines of requests that are no longer remembered since it came: if one of them goes on, it counts as a new conversation. */
  readonly forgotten: number;
}

/** A prefix that was cached and was not read. */
export interface BreakRecord {
  /** In the order of the prompt; the first is what it counts as. */
  readonly reasons: readonly string[];
  readonly lostTokens: number;
  /** Dollars more than reading them would have cost; 0 where prices are not known. */
  readonly cost: number;
  /** Since the prefix was last used. */
  readonly gapMs: number;
  /** The first part of the prompt that is another than before. */
  readonly owner?: {
    readonly kind: "tool" | "system" | "message";
    readonly index: number;
    readonly name: string;
  };
  /** The first byte of that part, as JSON without markers, that is another. */
  readonly byte?: number;
}

/** What is known of an exchange afterwards: figures and names, no content and no credential. */
export interface ExchangeRecord {
  /** When the request came, in milliseconds. */
  readonly at: number;
  readonly milliseconds: number;
  readonly tenant: string;
  readonly endpoint: Endpoint;
  readonly end: ExchangeEnd;
  /** Absent where there was no answer. */
  readonly status?: number;
  /** Whether the request went upstream as it came, to its last byte. */
  readonly isIdentical: boolean;
  /** Whether it was made with a subscription: its dollars are what the API would have taken. */
  readonly isSubscription: boolean;
  /** Absent where nothing was billed, or nothing was reported. */
  readonly call?: ReportedCall;
  /** The type of an error, of an answer or within a stream. */
  readonly error?: string;
  /** Why what was used could not be read. */
  readonly unread?: string;
  readonly conversation?: ConversationRecord;
  readonly found?: BreakRecord;
  /** It was billed, and its request was too large to be kept, or too much was waiting: nobody knows which conversation it belongs to. */
  readonly isUnplaced?: true;
  /** Why it is not in the recording, where there is one. */
  readonly unrecorded?: string;
  /** Headers that say what is left of a subscription, by their names. */
  readonly quota?: Readonly<Record<string, string>>;
}
