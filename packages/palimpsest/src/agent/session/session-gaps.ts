import type { Conversation, GapHistory, GapHistoryStore } from "@palimpsest/core";

/** The pauses of earlier conversations, and of those of this session. */
export interface SessionGaps {
  /** As it was when the session began; undefined where nothing is known. */
  readonly history: GapHistory | undefined;
  /** Stores what a conversation has shown. Never rejects: only a better guess is lost. */
  readonly remember: (ttl: Conversation["ttl"]) => Promise<void>;
}

/** Reads what is stored. Never rejects. */
export async function openSessionGaps(store: GapHistoryStore): Promise<SessionGaps> {
  let remembering: Promise<void> = Promise.resolve();
  return {
    history: await store.load().catch(() => undefined),
    // One after the other: each reads what is stored, adds its own and stores that.
    remember: (ttl) => (remembering = remembering.then(() => ttl.remember(store)).catch(() => {})),
  };
}
