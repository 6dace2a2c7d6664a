import { checkObject, checkPlayer, checkWindow } from "../check-parts.js";
import type { Player } from "../player.js";
import type { Simulator } from "../simulator.js";
import { createBpeCounter, type TokenCounter } from "../tokens/bpe-counter.js";
import { createEnvironment } from "./environment.js";
import { respond } from "./respond.js";
import { initialState } from "./state.js";

export interface SimulatorOptions {
  readonly player: Player;
  /** Milliseconds since the epoch; the clock stands still unless it is advanced. Default 2026-11-15T10:00Z. */
  readonly startTime?: number;
  /** The window of every model, for observing limits on short conversations. */
  readonly window?: number;
  /** Accepts the private `cache_edits` and `cache_reference`. */
  readonly cacheEdits?: boolean;
  /** Accepts thinking that was signed elsewhere, as recordings have it. */
  readonly acceptForeignSignatures?: boolean;
  readonly counter?: TokenCounter;
  /** How ids of responses begin. Default `msg_sim_`. */
  readonly idPrefix?: string;
}

const DEFAULT_START = Date.UTC(2026, 10, 15, 10);

/** The simulated Messages API in this process, without a socket. Throws `PlayerError` for a player that is none. */
export function createSimulator(options: SimulatorOptions): Simulator {
  checkObject("createSimulator", options);
  checkPlayer("createSimulator", options.player);
  checkWindow("createSimulator", options.window);
  const { startTime = DEFAULT_START, counter = createBpeCounter(), ...settings } = options;
  const environment = createEnvironment({ ...settings, counter });
  let state = initialState;
  let now = startTime;
  return {
    call(call) {
      const responded = respond(state, call, { now, environment });
      state = responded.state;
      return responded.outcome;
    },
    now: () => now,
    advance(milliseconds) {
      now += Math.max(0, milliseconds);
    },
    reset() {
      state = initialState;
    },
  };
}
