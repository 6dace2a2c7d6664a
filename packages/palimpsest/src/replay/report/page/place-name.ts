export interface Box {
  readonly left: number;
  readonly top: number;
  readonly right: number;
  readonly bottom: number;
}

const overlap = (one: Box, other: Box): number =>
  Math.max(0, Math.min(one.right, other.right) - Math.max(one.left, other.left)) *
  Math.max(0, Math.min(one.bottom, other.bottom) - Math.max(one.top, other.top));

/** Where the name of a point runs into the least, tried nearest first. */
export function placeName(options: {
  readonly x: number;
  readonly y: number;
  readonly length: number;
  readonly taken: readonly Box[];
  readonly within: Box;
}): Box {
  const { x, y, length, taken, within } = options;
  const candidates = [0, 14, -14, 28, -28, 42, -42, 56, 70, 84].flatMap((shift) =>
    [x + 10, x - 10 - length, x - length / 2].map((left, side) => {
      const middle = y + shift + (side === 2 && shift === 0 ? -16 : 0);
      return { left, right: left + length, top: middle - 7, bottom: middle + 7 };
    }),
  );
  let best: Box = candidates[0] ?? within;
  let least = Infinity;
  for (const candidate of candidates) {
    const isOutside =
      candidate.left < within.left ||
      candidate.right > within.right ||
      candidate.top < within.top ||
      candidate.bottom > within.bottom;
    const covered = taken.reduce((sum, box) => sum + overlap(candidate, box), isOutside ? 10_000 : 0);
    if (covered < least) {
      least = covered;
      best = candidate;
    }
    if (covered === 0) break;
  }
  return best;
}
