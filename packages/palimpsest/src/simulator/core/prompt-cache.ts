import type { Ttl } from "./block-facts.js";
import type { PersistentMap } from "./persistent-map.js";
import type { Breakpoint, Position, Prompt } from "./prompt.js";

interface CacheEntry {
  readonly ttl: Ttl;
  /** From when on it can be read: the response that writes it has begun. */
  readonly readableAt: number;
  /** Milliseconds; it is gone at this instant. */
  readonly expiresAt: number;
}

export type Cache = PersistentMap<CacheEntry>;

/** How many positions one breakpoint looks at, its own included. */
export const LOOKBACK = 20;

const lifetimes: Readonly<Record<Ttl, number>> = { "5m": 300_000, "1h": 3_600_000 };

export interface CacheReading {
  readonly hit: (Position & { readonly index: number }) | undefined;
  readonly read: number;
  readonly write5m: number;
  readonly write1h: number;
  /** Tokens that are neither read nor written. */
  readonly input: number;
}

export interface CacheTimes {
  /** The start of the request: from here every lifetime runs. */
  readonly now: number;
  /** When the response begins. */
  readonly beginsAt: number;
}

const isLive = (entry: CacheEntry | undefined, now: number): boolean =>
  entry !== undefined && entry.expiresAt > now && entry.readableAt <= now;

/** Looks a prompt up: what is read, what would be written, what is neither. Nothing changes. */
export function readCache(
  cache: Cache,
  prompt: Prompt,
  { now, minimum }: { readonly now: number; readonly minimum: number },
): CacheReading {
  const hit = findHit(cache, prompt, now);
  const read = hit?.tokens ?? 0;
  const written = prompt.breakpoints
    .map(({ index, ttl }) => ({ ttl, tokens: prompt.at(index).tokens }))
    .filter(({ tokens }) => tokens >= minimum && tokens > read);
  const last = Math.max(read, ...written.map(({ tokens }) => tokens));
  const lastLong = Math.max(read, ...written.filter(({ ttl }) => ttl === "1h").map(({ tokens }) => tokens));
  return {
    hit,
    read,
    write1h: lastLong - read,
    write5m: last - lastLong,
    input: prompt.totalTokens - last,
  };
}

function findHit(cache: Cache, prompt: Prompt, now: number): CacheReading["hit"] {
  for (const { index } of prompt.breakpoints) {
    for (let at = index; at >= Math.max(0, index - LOOKBACK + 1); at -= 1) {
      const position = prompt.at(at);
      if (isLive(cache.get(position.key), now)) return { ...position, index: at };
    }
  }
  return undefined;
}

/** The cache after the request: new entries at its breakpoints, the time of those that it met renewed. */
export function writeCache(
  cache: Cache,
  prompt: Prompt,
  options: CacheTimes & { readonly minimum: number; readonly hit: CacheReading["hit"] },
): Cache {
  const { now, beginsAt, minimum, hit } = options;
  let next = cache;
  const touch = (key: string, breakpoint: Breakpoint | undefined): void => {
    const known = next.get(key);
    const lives = known !== undefined && known.expiresAt > now;
    if (!lives && breakpoint === undefined) return;
    const ttl = lives ? known.ttl : (breakpoint?.ttl ?? "5m");
    const readableAt = lives ? Math.min(known.readableAt, beginsAt) : beginsAt;
    next = next.set(key, { ttl, readableAt, expiresAt: now + lifetimes[ttl] });
  };
  if (hit !== undefined) touch(hit.key, undefined);
  for (const breakpoint of prompt.breakpoints) {
    const { key, tokens } = prompt.at(breakpoint.index);
    if (tokens >= minimum) touch(key, breakpoint);
  }
  return next;
}
