/** What stands for a prefix, and whatever it goes on from, oldest first. */
export interface StoredChain {
  /** The one of the keys that was found. */
  readonly key: string;
  /** The last is what was kept under that key. */
  readonly values: readonly string[];
}

/**
 * Where stand-ins are kept: what was made of a prefix once, under a key that was made of the prefix. Nothing is ever changed or
 * replaced, so any number of processes may share one. Keys and values are any texts; keys say nothing about a place.
 */
export interface StandInStore {
  /** The first of these keys that something is kept under, with all that it goes on from: where a part of that is gone, it is too. */
  find(keys: readonly string[]): Promise<StoredChain | undefined>;
  /**
   * Keeps a value that goes on from what is kept under `from`, or stands alone. The first one stays: resolves with what is kept
   * under the key now, the caller's own or that of whoever was first.
   */
  insert(key: string, value: string, from?: string): Promise<string>;
}
