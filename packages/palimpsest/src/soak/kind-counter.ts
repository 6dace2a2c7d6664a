import { createBpeCounter, type TokenCounter } from "../simulator/tokens/bpe-counter.js";

/** A tokenizer that is not the one that anything was tuned on: lines of each kind cost so many times as much. */
export interface KindCounter extends TokenCounter {
  /** From here on these lines cost `factor` times what the public tokenizer says. */
  learn(text: string, factor: number): void;
}

/** Shorter lines are of any kind. */
const SHORTEST_LINE = 8;
/** Where a line stands in another one, as in a quotation or after a number, so much of its start tells it. */
const START = 24;

export function createKindCounter(): KindCounter {
  const base = createBpeCounter();
  const factors = new Map<string, number>();
  const starts = new Map<string, number>();
  const factorOf = (line: string): number => {
    const trimmed = line.trim();
    if (trimmed.length < SHORTEST_LINE) return 1;
    const known = factors.get(trimmed);
    if (known !== undefined) return known;
    for (let from = 0; from <= 12 && from + START <= trimmed.length; from += 1) {
      const factor = starts.get(trimmed.slice(from, from + START));
      if (factor !== undefined) return factor;
    }
    return 1;
  };
  return {
    learn(text, factor) {
      for (const line of text.split("\n")) {
        const trimmed = line.trim();
        if (trimmed.length < SHORTEST_LINE) continue;
        factors.set(trimmed, factor);
        if (trimmed.length >= START) starts.set(trimmed.slice(0, START), factor);
      }
    },
    count(text) {
      let sum = 0;
      let from = 0;
      // Neighbouring lines of one kind are counted together.
      let factor = Number.NaN;
      let pending = "";
      const flush = (): void => {
        if (pending !== "") sum += base.count(pending) * factor;
        pending = "";
      };
      while (from < text.length) {
        const end = text.indexOf("\n", from);
        const line = text.slice(from, end === -1 ? text.length : end + 1);
        const own = factorOf(line);
        if (own !== factor) {
          flush();
          factor = own;
        }
        pending += line;
        from += line.length;
      }
      flush();
      return Math.ceil(sum);
    },
  };
}
