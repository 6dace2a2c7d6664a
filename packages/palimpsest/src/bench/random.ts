/** Numbers that look random and are the same for the same seed. */
export interface Random {
  /** At least 0, below 1. */
  next(): number;
  /** A whole number from 0 to `below` − 1. */
  below(below: number): number;
  pick<T>(items: ArrayLike<T>): T;
}

/** A small generator (mulberry32): good enough for made-up data, and the same on every machine. */
export function createRandom(seed: number): Random {
  let state = seed >>> 0;
  const next = (): number => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296;
  };
  const below = (limit: number): number => Math.floor(next() * limit);
  return {
    next,
    below,
    pick<T>(items: ArrayLike<T>): T {
      if (items.length === 0) throw new RangeError("there is nothing to pick from");
      return items[below(items.length)] as T;
    },
  };
}
