import { createBpeCounter, type TokenCounter } from "./bpe-counter.js";

const MOST_CHARACTERS = 32_000_000;

/**
 * Counts each text once, however many simulators ask: policies send the same texts. What was not asked for in a
 * while is forgotten.
 */
export function createSharedCounter(counter: TokenCounter = createBpeCounter()): TokenCounter {
  let young = new Map<string, number>();
  let old = new Map<string, number>();
  let characters = 0;
  return {
    count(text) {
      let count = young.get(text);
      if (count !== undefined) return count;
      count = old.get(text) ?? counter.count(text);
      young.set(text, count);
      characters += text.length;
      if (characters > MOST_CHARACTERS) {
        old = young;
        young = new Map();
        characters = 0;
      }
      return count;
    },
  };
}
