import { isSamePosition, type BlockPosition, type Ttl } from "./markers.js";

/** A prefix that a request left in the provider's cache. */
export interface CacheWrite {
  /** The block it ends with. */
  readonly position: BlockPosition;
  readonly ttl: Ttl;
  /** The start of the last request that wrote or read it, in milliseconds. */
  readonly usedAt: number;
}

export const ttlMilliseconds: Readonly<Record<Ttl, number>> = { "5m": 300_000, "1h": 3_600_000 };

export const isLiveWrite = ({ ttl, usedAt }: CacheWrite, now: number): boolean =>
  now < usedAt + ttlMilliseconds[ttl];

/** Writes that are remembered; older ones have expired long before in all but the busiest hour. */
const MOST_WRITES = 256;

/**
 * The writes after a request that began at `at` was answered, oldest first: the one it read is renewed, its own
 * is added, those whose time is over are dropped.
 */
export function addWrite(
  writes: readonly CacheWrite[],
  { position, ttl, at }: { readonly position: BlockPosition; readonly ttl: Ttl; readonly at: number },
): readonly CacheWrite[] {
  const before = writes.filter((write) => isLiveWrite(write, at) && isBefore(write.position, position));
  const read = before.at(-1);
  const renewed = read === undefined ? [] : [{ ...read, usedAt: at }];
  return [...before.slice(-MOST_WRITES, -1), ...renewed, { position, ttl, usedAt: at }];
}

/** The writes after a request beside the conversation read up to `position`. */
export const renewWrite = (
  writes: readonly CacheWrite[],
  { position, at }: { readonly position: BlockPosition; readonly at: number },
): readonly CacheWrite[] =>
  writes.map((write) =>
    isSamePosition(write.position, position) && isLiveWrite(write, at) ? { ...write, usedAt: at } : write,
  );

/** The writes that still stand when only the first `messages` messages are kept. */
export const writesWithin = (writes: readonly CacheWrite[], messages: number): readonly CacheWrite[] =>
  writes.filter(({ position }) => position.message < messages);

export const isBefore = (a: BlockPosition, b: BlockPosition): boolean =>
  a.message < b.message || (a.message === b.message && a.block < b.block);
