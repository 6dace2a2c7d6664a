import type { Fields } from "../../replay/readers/recording.js";
import type { UndoResult } from "../contract.js";

/** A request as it went out of this process. */
interface LiveRequest {
  /** Of its answer: `message.id`. */
  readonly response: string;
  readonly body: Fields;
  readonly betas: readonly string[];
}

/** A conversation that goes on in this process: what its transcript does not tell. */
export interface LiveConversation {
  /** Its transcript. */
  readonly file: string;
  /** The newest requests, as far as they are remembered. */
  readonly requests: Pick<LiveRequests, "find">;
  /** Sizes at which something happens, such as compaction. */
  readonly thresholds: () => readonly { readonly name: string; readonly tokens: number }[];
  /** Takes its last compaction back. Never rejects. */
  readonly undo: () => Promise<UndoResult>;
}

/** Remembers the newest requests of a conversation. */
export interface LiveRequests {
  add(request: LiveRequest): void;
  find(response: string): LiveRequest | undefined;
}

const MOST_REQUESTS = 50;

export function createLiveRequests(most = MOST_REQUESTS): LiveRequests {
  const kept = new Map<string, LiveRequest>();
  return {
    add(request) {
      kept.delete(request.response);
      kept.set(request.response, request);
      for (const oldest of kept.keys()) {
        if (kept.size <= most) break;
        kept.delete(oldest);
      }
    },
    find: (response) => kept.get(response),
  };
}
