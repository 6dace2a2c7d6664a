import type { Clock } from "../messages/construct.js";

export interface SimulatedClock extends Clock {
  /** Moves the time on. */
  advance(milliseconds: number): void;
}

/** A clock that stands still until it is told to move. `start` in milliseconds since the epoch. */
export function simulatedClock(start: number): SimulatedClock {
  let now = start;
  return {
    now: () => now,
    advance(milliseconds) {
      now += milliseconds;
    },
  };
}
