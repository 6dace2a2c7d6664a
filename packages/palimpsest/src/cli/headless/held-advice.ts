import type { AgentResult } from "../../agent/base/agent-event.js";

/** What can be done from a command line about a conversation that cannot go on; empty where the reason itself says it. */
export function heldAdvice(
  { heldBy }: Pick<AgentResult, "heldBy">,
  { id, canCompact }: { readonly id: string; readonly canCompact: boolean },
): string {
  if (heldBy !== "window-full" && heldBy !== "compaction-failed") return "";
  const ways = [
    // What was just tried would come to the same.
    ...(heldBy === "window-full" && canCompact ? ['-p "/compact" summarises it'] : []),
    '-p "/clear-results" clears old results of tools',
    "--at MESSAGE goes back to a message, and --branch does so in a copy",
  ];
  return ` Nothing is lost. With --resume ${id}: ${ways.join("; ")}. Without --resume a new conversation begins.`;
}
