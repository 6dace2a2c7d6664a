import type { QuerySource } from "../../messages/call/query-source.js";
import type { ModelRequest } from "../../messages/call/request.js";
import type { ResponseUsage } from "../../messages/call/response.js";

/** A section that a system prompt was made of. */
export interface WatchedSection {
  readonly name: string;
  readonly text: string;
  /** Why it is computed anew for every request; undefined for one that is held. */
  readonly volatileBecause?: string;
}

/** What belongs to the cache key and does not show in the body of a request. Compared field by field. */
export interface WatchedFacts {
  readonly autoMode?: boolean;
  /** The account is beyond its quota: a provider may then give shorter lifetimes. */
  readonly overage?: boolean;
  readonly scopeStrategy?: string;
  /** The state of server-side edits: any JSON value that is another when they are. */
  readonly edits?: unknown;
  readonly [name: string]: unknown;
}

/** A call that is about to be made. */
export interface WatchedCall {
  /**
   * Whose conversation it continues. Conversations that run side by side need names of their own: two subagents
   * of one kind are `agent:explore/1` and `agent:explore/2`.
   */
  readonly source: QuerySource;
  /** Tells calls of one source apart that are under way at the same time; the answer names it again. */
  readonly callId?: string;
  /** Exactly as it is sent, markers included. It is kept until the next one is answered, and must not change. */
  readonly request: ModelRequest;
  readonly betas?: readonly string[];
  /** When the request begins, in milliseconds: lifetimes run from here. */
  readonly at: number;
  readonly sections?: readonly WatchedSection[];
  readonly facts?: WatchedFacts;
  /** Set for a call beside a conversation. It never takes the place of that conversation's own request. */
  readonly fork?: {
    /** How many of its messages are those of the last request it shares. */
    readonly prefixMessages: number;
    /** Whose request that is; default the main thread. */
    readonly of?: QuerySource;
  };
}

/** What came back for a call. */
export interface WatchedAnswer {
  readonly source: QuerySource;
  readonly callId?: string;
  readonly usage: ResponseUsage;
  /** When it came, in milliseconds. */
  readonly at: number;
  /** The `model` of the response, where it is known: a server may have let another one answer. */
  readonly model?: string;
  /** The `diagnostics` of the response, as they came. */
  readonly diagnosis?: unknown;
}
