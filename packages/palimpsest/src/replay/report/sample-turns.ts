import type { TurnRecord } from "../results/policy-result.js";

/**
 * The turns to draw: all of them up to `limit`, else about `limit`, in order. The first, the last and the largest of
 * every stretch are among them, so that no peak is lost.
 */
export function sampleTurns(series: readonly TurnRecord[], limit: number): readonly number[] {
  if (series.length <= limit) return series.map((_, index) => index);
  const stretches = Math.max(1, Math.floor(limit / 2));
  const picked = new Set([0, series.length - 1]);
  for (let stretch = 0; stretch < stretches; stretch += 1) {
    const from = Math.floor((stretch * series.length) / stretches);
    const until = Math.floor(((stretch + 1) * series.length) / stretches);
    let largest = from;
    let smallest = from;
    for (let index = from; index < until; index += 1) {
      const tokens = series[index]?.promptTokens ?? 0;
      if (tokens > (series[largest]?.promptTokens ?? 0)) largest = index;
      if (tokens < (series[smallest]?.promptTokens ?? 0)) smallest = index;
    }
    picked.add(largest).add(smallest);
  }
  return [...picked].toSorted((left, right) => left - right);
}
