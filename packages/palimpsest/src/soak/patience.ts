import { setImmediate as turnOfTheLoop } from "node:timers/promises";
import type { Random } from "../bench/random.js";

export interface Patience {
  /** Runs something with a caller who gives up now and then, at an instant that chance chooses. */
  with<T>(run: (signal: AbortSignal) => Promise<T>): Promise<T>;
  /** Something hangs: whoever waits gives up. */
  readonly lose: () => void;
}

/**
 * A caller who gives up in three of a hundred calls, and always where something hangs. Instants are counted in
 * steps of the program, not in time: the same seed gives up at the same place on any machine.
 */
export function createPatience(random: Random): Patience {
  const waiting = new Set<AbortController>();
  const giveUpLater = async (controller: AbortController): Promise<void> => {
    // A call takes some eighty steps, a compaction many more; what waits for something else goes on in a later turn.
    for (let step = random.below(random.pick([40, 120, 1000])); step > 0; step -= 1) await Promise.resolve();
    if (random.next() < 0.2) await turnOfTheLoop();
    controller.abort();
  };
  return {
    async with(run) {
      const controller = new AbortController();
      waiting.add(controller);
      if (random.next() < 0.03) void giveUpLater(controller);
      try {
        return await run(controller.signal);
      } finally {
        waiting.delete(controller);
      }
    },
    lose() {
      setImmediate(() => {
        for (const controller of waiting) controller.abort();
      });
    },
  };
}
