import type { Outcome, SimulatedCall } from "./outcome.js";

/** The simulated API without a socket: deterministic, its clock in the caller's hand. */
export interface Simulator {
  /** Answers one call at the simulated time. Never throws, whatever the body is. */
  call(call: SimulatedCall): Outcome;
  /** The simulated time, in milliseconds since the epoch. */
  now(): number;
  /** Moves the clock forward. */
  advance(milliseconds: number): void;
  /** Forgets every cache entry, message and memory; the clock stays. */
  reset(): void;
}
