/** Numbers that look like chance, and are the same for the same seed. */
export interface Random {
  /** From 0 to 1, 1 excluded. */
  next(): number;
  /** A whole number from 0, `limit` excluded. */
  below(limit: number): number;
  /** One of them. Throws where there is none. */
  pick<T>(values: readonly T[]): T;
}

export function createRandom(seed: number): Random {
  let state = seed >>> 0;
  const next = (): number => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
  const below = (limit: number): number => Math.floor(next() * limit);
  return {
    next,
    below,
    pick(values) {
      if (values.length === 0) throw new RangeError("there is nothing to pick from");
      return values[below(values.length)] as (typeof values)[number];
    },
  };
}
