import { PersistentMap } from "./persistent-map.js";
import type { Cache } from "./prompt-cache.js";
import type { RequestRecord } from "./request-record.js";

/** Everything the simulated API remembers. Immutable: a call gives a new one. */
export interface SimulatorState {
  readonly cache: Cache;
  /** When the cache has grown to this, what expired is swept out. */
  readonly sweepAt: number;
  /** Answered requests, the newest last; only the most recent are kept. */
  readonly records: readonly RequestRecord[];
  readonly sequence: number;
  readonly playerMemory: unknown;
}

export const initialState: SimulatorState = {
  cache: PersistentMap.empty(),
  sweepAt: 1024,
  records: [],
  sequence: 0,
  playerMemory: undefined,
};

const MOST_RECORDS = 64;

/** The state after an answered request. */
export function remember(
  state: SimulatorState,
  { cache, record, now }: { readonly cache: Cache; readonly record: RequestRecord; readonly now: number },
): SimulatorState {
  const swept = cache.size < state.sweepAt ? cache : cache.filter((entry) => entry.expiresAt > now);
  const sweepAt = cache.size < state.sweepAt ? state.sweepAt : Math.max(1024, swept.size * 2);
  return { ...state, cache: swept, sweepAt, records: [...state.records.slice(1 - MOST_RECORDS), record] };
}
