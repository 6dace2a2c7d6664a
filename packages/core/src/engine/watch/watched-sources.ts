import type { QuerySource } from "../../messages/call/query-source.js";
import type { DeletionNotice } from "../boundaries/deletion-notice.js";
import type { BreakReason } from "../events/break-reason.js";
import type { SentRequest } from "./sent-request.js";

/** What the last answered request of a source left in the cache. */
export interface Baseline {
  readonly sent: SentRequest;
  /** Its reads and writes. */
  readonly leftTokens: number;
  /** The model that answered, where the answer said so. */
  readonly servedModel: string | undefined;
  /** The call it came from, by its number. */
  readonly call: number;
  /** The start of the last request that read or wrote it, in milliseconds. */
  usedAt: number;
}

/** What is known of one source. */
export interface Source {
  /** Undefined before the first answer, and after a compaction. */
  baseline: Baseline | undefined;
  /** Counts compactions: what was sent before one says nothing of what comes after it. */
  window: number;
  /** Deletions that no lower reading has shown yet, each with the number of the last call before it. */
  notices: readonly (DeletionNotice & { readonly behindCall: number })[];
}

/** A call that has no answer yet. */
export interface PendingCall {
  readonly key: QuerySource;
  readonly source: Source;
  readonly call: number;
  readonly window: number;
  readonly sent: SentRequest;
  /** What it is judged against; undefined where it is not. */
  readonly base: Baseline | undefined;
  readonly changes: readonly BreakReason[];
  /** It stands beside the conversation of its source. */
  readonly isBeside: boolean;
}

export interface Sources {
  /** The source of this name, and from now on the most recently used one. */
  find(key: QuerySource): Source | undefined;
  findOrAdd(key: QuerySource): Source;
  remove(key: QuerySource): void;
}

/** At most `most` sources; the least recently used one is forgotten. */
export function createSources(most: number): Sources {
  const known = new Map<QuerySource, Source>();
  const touch = (key: QuerySource, source: Source): Source => {
    known.delete(key);
    known.set(key, source);
    // Only then: to find the oldest one walks over the gaps of those that were moved.
    if (known.size > most) {
      const [oldest = key] = known.keys();
      known.delete(oldest);
    }
    return source;
  };
  const find = (key: QuerySource): Source | undefined => {
    const source = known.get(key);
    return source === undefined ? undefined : touch(key, source);
  };
  return {
    find,
    findOrAdd: (key) => find(key) ?? touch(key, { baseline: undefined, window: 0, notices: [] }),
    remove: (key) => void known.delete(key),
  };
}

/** Calls that never got an answer are forgotten beyond this many. */
const MOST_PENDING = 64;

export interface PendingCalls {
  add(call: { readonly source: QuerySource; readonly callId?: string }, pending: PendingCall): void;
  take(answer: { readonly source: QuerySource; readonly callId?: string }): PendingCall | undefined;
}

export function createPendingCalls(): PendingCalls {
  const pending = new Map<string, PendingCall>();
  const keyOf = ({ source, callId = "" }: { source: QuerySource; callId?: string }): string =>
    JSON.stringify([source, callId]);
  return {
    add(call, added) {
      const key = keyOf(call);
      pending.delete(key);
      pending.set(key, added);
      const [oldest] = pending.keys();
      if (pending.size > MOST_PENDING && oldest !== undefined) pending.delete(oldest);
    },
    take(answer) {
      const key = keyOf(answer);
      const found = pending.get(key);
      pending.delete(key);
      return found;
    },
  };
}
