/** How a turn ends after the results of its calls. */
export interface TurnEnding {
  readonly reason: "done" | "stopped";
  readonly text: string;
}

/** A hook ends it; its reason is for the person, and may be empty. */
export const stopped = (why: string): TurnEnding => ({
  reason: "stopped",
  text: why.trim() === "" ? "A hook ended the turn." : why,
});

/** What a call is answered with that an abort came before. */
export const INTERRUPTED = "The person interrupted before this was done.";
