import type { Held } from "@palimpsest/core";

/** Reasons for which the next attempt would come to the same, unless something is done. */
const needsAdvice: ReadonlySet<Held["reason"]> = new Set(["window-full", "compaction-failed"]);

/** What can be done from a command line about a conversation that cannot go on; empty where the reason says it. */
export function heldAdvice(reason: Held["reason"] | undefined, sessionId: string): string {
  if (reason === undefined || !needsAdvice.has(reason)) return "";
  return ` Nothing is lost. With --resume ${sessionId}: -p "/clear-results" clears old results of tools, -p "/compact" summarises, --at MESSAGE goes back to a message (--branch keeps what came after it); without it a new conversation begins.`;
}
