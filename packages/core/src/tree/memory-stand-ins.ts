import type { StandInStore, StoredChain } from "./stand-in-store.js";

export interface MemoryStandInsOptions {
  /** Characters that are kept; what was longest not asked for goes first, newest parts before what they go on from. Default 64 million. */
  readonly maxCharacters?: number;
  /** Told how many were dropped for want of room, and their characters. */
  readonly onDropped?: (dropped: { readonly entries: number; readonly characters: number }) => void;
}

interface Kept {
  readonly value: string;
  readonly from: string | undefined;
  /** How many go on from it. */
  followers: number;
}

const MOST_CHARACTERS = 64_000_000;

/** Stand-ins that live as long as the process, within bounds. */
export function createMemoryStandIns({
  maxCharacters = MOST_CHARACTERS,
  onDropped,
}: MemoryStandInsOptions = {}): StandInStore {
  const entries = new Map<string, Kept>();
  /** Those that nothing goes on from, longest not asked for first. */
  const ends = new Set<string>();
  let characters = 0;

  const sizeOf = (key: string, { value }: Kept): number => key.length + value.length;

  const chainOf = (key: string): StoredChain | undefined => {
    const values = new Map<string, string>();
    for (let at: string | undefined = key; at !== undefined;) {
      const kept: Kept | undefined = entries.get(at);
      // What leads back to itself leads to no beginning.
      if (kept === undefined || values.has(at)) return undefined;
      values.set(at, kept.value);
      at = kept.from;
    }
    return { key, values: [...values.values()].toReversed() };
  };

  const makeRoom = (spared: string): void => {
    let dropped = 0;
    const before = characters;
    for (const end of ends) {
      for (let at: string | undefined = end; at !== undefined && characters > maxCharacters;) {
        const kept = entries.get(at);
        if (kept === undefined || kept.followers > 0 || at === spared) break;
        entries.delete(at);
        ends.delete(at);
        characters -= sizeOf(at, kept);
        dropped += 1;
        const before = kept.from === undefined ? undefined : entries.get(kept.from);
        if (before !== undefined && kept.from !== undefined && (before.followers -= 1) === 0)
          ends.add(kept.from);
        at = kept.from;
      }
      if (characters <= maxCharacters) break;
    }
    if (dropped > 0) onDropped?.({ entries: dropped, characters: before - characters });
  };

  return {
    async find(keys) {
      for (const key of keys) {
        const chain = chainOf(key);
        if (chain === undefined) continue;
        if (ends.delete(key)) ends.add(key);
        return chain;
      }
      return undefined;
    },
    async insert(key, value, from) {
      const known = entries.get(key);
      if (known !== undefined && chainOf(key) !== undefined) return known.value;
      const kept: Kept = { value, from, followers: known?.followers ?? 0 };
      if (known !== undefined) characters -= sizeOf(key, known);
      entries.set(key, kept);
      characters += sizeOf(key, kept);
      const before = from === undefined ? undefined : entries.get(from);
      if (before !== undefined && from !== undefined) {
        before.followers += 1;
        ends.delete(from);
      }
      if (kept.followers === 0) ends.add(key);
      makeRoom(key);
      return value;
    },
  };
}
