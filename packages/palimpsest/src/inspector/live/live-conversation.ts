import { isFields } from "../../replay/readers/recording.js";
import type { RememberedBody } from "../api/conversations.js";
import type { UndoResult } from "../contract.js";

/** A request as it went out of this process. */
interface LiveRequest {
  /** Of its answer: `message.id`. */
  readonly response: string;
  readonly betas: readonly string[];
  /** As it went out; undefined where it is no JSON. Asked for when somebody looks at it. */
  readonly text: () => string | undefined;
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
  find(response: string): RememberedBody | undefined;
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
    find(response) {
      const request = kept.get(response);
      const text = request?.text();
      if (request === undefined || text === undefined) return undefined;
      const body: unknown = JSON.parse(text);
      return isFields(body) ? { body, betas: request.betas } : undefined;
    },
  };
}
