import { createBpeCounter, type TokenCounter } from "./bpe-counter.js";
import { tokensIn } from "./piece-facts.js";

const MOST_CHARACTERS = 32_000_000;

/**
 * Counts each text once, however many simulators ask: policies send the same texts. What was not asked for in a
 * while is forgotten.
 */
export function createSharedCounter(counter: TokenCounter = createBpeCounter()): TokenCounter {
  if (counter.kinds === undefined) return { count: once((text) => counter.count(text)) };
  const kinds = once(counter.kinds);
  return { kinds, count: (text) => tokensIn(kinds(text)) };
}

/** What a function says of each text, asked once. */
function once<Found>(find: (text: string) => Found): (text: string) => Found {
  let young = new Map<string, Found>();
  let old = new Map<string, Found>();
  let characters = 0;
  return (text) => {
    let found = young.get(text);
    if (found !== undefined) return found;
    found = old.get(text) ?? find(text);
    young.set(text, found);
    characters += text.length;
    if (characters > MOST_CHARACTERS) {
      old = young;
      young = new Map();
      characters = 0;
    }
    return found;
  };
}
