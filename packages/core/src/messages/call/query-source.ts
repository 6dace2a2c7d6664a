/**
 * Who makes a call: `repl_main_thread` (and what begins so), `sdk`, `agent:<kind>` for a subagent, `compact`,
 * `session_memory` for the notes, or a name of the host's own.
 */
export type QuerySource = string;

/** Summaries are written on behalf of the main thread: they share its cache and its record. */
export const trackedAs = (source: QuerySource): QuerySource =>
  source === "compact" ? "repl_main_thread" : source;

/** The conversation of the program itself, or a summary on its behalf. */
export function isMainThread(source: QuerySource): boolean {
  const tracked = trackedAs(source);
  return tracked === "sdk" || tracked.startsWith("repl_main_thread");
}
