import type { Settings } from "../settings/settings.js";

/** How compactions went of late. A plain value. */
export interface Breaker {
  readonly failuresInARow: number;
  /** Set while it is open: when it opened, and how long it stays so. */
  readonly open?: { readonly since: number; readonly forMs: number };
}

export const closedBreaker: Breaker = { failuresInARow: 0 };

type BreakerSettings = Pick<Settings, "breakerFailures" | "breakerCooldownMs">;

/** Whether compaction has to wait: after too many failures, until the cooldown is over. */
export const isOpen = ({ open }: Breaker, now: number): boolean =>
  open !== undefined && now < open.since + open.forMs;

/**
 * After a failure. It opens at the limit; an attempt that was let through after a cooldown and failed opens it
 * again for twice as long.
 */
export function afterFailure(breaker: Breaker, settings: BreakerSettings, now: number): Breaker {
  const failuresInARow = breaker.failuresInARow + 1;
  if (failuresInARow < settings.breakerFailures) return { failuresInARow };
  const forMs = breaker.open === undefined ? settings.breakerCooldownMs : breaker.open.forMs * 2;
  return { failuresInARow, open: { since: now, forMs } };
}
