import type { TokenTable } from "./token-table.js";

/** No pair of neighbours can be merged here. */
const NONE = 0x7f_ff_ff_ff;

/**
 * How many tokens a piece of text is. Its bytes are merged pair by pair, that of the lowest rank first and the first of
 * those, until no two neighbours are a token together.
 */
export function countMerged(bytes: Uint8Array, length: number, table: TokenTable): number {
  if (length <= 1 || table.rankOf(bytes, 0, length) !== -1) return Math.min(length, 1);
  // Part i is from starts[i] to starts[i + 1]; ranks[i] is that of parts i and i + 1 together.
  const starts = new Int32Array(length + 1);
  const ranks = new Int32Array(length);
  let parts = length;
  const rankAt = (part: number): number => {
    if (part + 2 > parts) return NONE;
    const rank = table.rankOf(bytes, starts[part] ?? 0, starts[part + 2] ?? 0);
    return rank === -1 ? NONE : rank;
  };
  for (let at = 0; at <= length; at += 1) starts[at] = at;
  for (let part = 0; part < length; part += 1) ranks[part] = rankAt(part);
  for (;;) {
    let lowest = NONE;
    let chosen = -1;
    for (let part = 0; part < parts - 1; part += 1) {
      const rank = ranks[part] ?? NONE;
      if (rank < lowest) {
        lowest = rank;
        chosen = part;
      }
    }
    if (chosen === -1) return parts;
    starts.copyWithin(chosen + 1, chosen + 2, parts + 1);
    ranks.copyWithin(chosen, chosen + 1, parts);
    parts -= 1;
    ranks[chosen] = rankAt(chosen);
    if (chosen > 0) ranks[chosen - 1] = rankAt(chosen - 1);
  }
}
