import type { Simulator } from "../simulator.js";

/**
 * Lets simulated time pass with real time, on top of what is advanced by hand. Responses travel in real time,
 * so a prompt cache entry has to age, and become readable, in real time too.
 */
export function createLiveClock(
  simulator: Simulator,
  monotonic: () => number = () => performance.now(),
): {
  /** Brings the simulated clock up to date. */
  sync(): void;
} {
  let last = monotonic();
  return {
    sync() {
      const elapsed = Math.floor(monotonic() - last);
      if (elapsed <= 0) return;
      last += elapsed;
      simulator.advance(elapsed);
    },
  };
}
