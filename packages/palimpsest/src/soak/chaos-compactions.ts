import type { Conversation } from "@palimpsest/core";
import { ensure } from "./ensure.js";

const COOLDOWN = 600_000;
/** Between two early attempts of which the first failed. */
const LEAST_GROWTH = 1.05;

export interface CompactionWatch {
  readonly count: () => number;
  /** Throws where compacting was tried more often than the breaker allows. */
  readonly check: () => void;
  /** Runs what may compact because the API has refused a request, however much room there is. */
  readonly whileObserving: <T>(run: () => Promise<T>) => Promise<T>;
}

/** Looks at how often a conversation tries to compact. */
export function watchCompactions(conversation: Conversation, now: () => number): CompactionWatch {
  const successes: number[] = [];
  /** When an attempt failed although the window was full. */
  const atTheLastRung: number[] = [];
  let lastFailure = -Infinity;
  /** Tokens at which one failed that only would have saved money. */
  let early = 0;
  let isObserving = false;
  let tooSoon = "";
  let inARow = 0;
  let worst = 0;
  conversation.events.on("compact", () => {
    successes.push(now());
    inARow = 0;
    early = 0;
  });
  conversation.events.on("compact_failed", ({ reason, trigger, failedAttempts }) => {
    // By hand nothing is held back.
    if (trigger === "manual") return;
    if (reason === "aborted" || reason === "blocked_by_hook") return;
    // Notes that do not do: nobody was asked, and the compaction itself comes right after.
    if (failedAttempts.at(-1)?.writer === "notes") return;
    const at = now();
    const { padded, thresholds } = conversation.size();
    if (padded >= thresholds.hardAt) {
      atTheLastRung.push(at);
      return;
    }
    // Before it was needed it is no failure of the row: it is tried again when there is more to gain.
    if (padded < thresholds.autoCompactAt) {
      if (isObserving) return;
      if (padded < early * LEAST_GROWTH)
        tooSoon = `tried early at ${padded} tokens, after it failed at ${early}`;
      early = padded;
      return;
    }
    // The breaker lets one through after its cooldown: that begins a new row.
    if (at - lastFailure >= COOLDOWN) inARow = 0;
    lastFailure = at;
    inARow += 1;
    worst = Math.max(worst, inARow);
  });
  return {
    count: () => successes.length,
    async whileObserving(run) {
      isObserving = true;
      try {
        return await run();
      } finally {
        isObserving = false;
      }
    },
    check() {
      ensure(tooSoon === "", tooSoon);
      ensure(worst <= 3, `${worst} compactions failed one after another`);
      // Three, and one more, in any ten minutes without a success in between.
      for (const [index, at] of atTheLastRung.entries()) {
        const fifth = atTheLastRung[index + 4];
        if (fifth === undefined || successes.some((time) => time >= at && time <= fifth)) continue;
        ensure(fifth - at > COOLDOWN, "five compactions failed in ten minutes although the window was full");
      }
    },
  };
}
