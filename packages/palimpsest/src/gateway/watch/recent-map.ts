interface Link<K, V> {
  readonly key: K;
  value: V;
  older: Link<K, V> | undefined;
  newer: Link<K, V> | undefined;
}

/**
 * A map in the order in which its keys were set last. A plain map of the same use walks, at every look at its oldest key, over
 * the gaps of all that were removed before it: here each step costs the same, however many keys there are.
 */
export class RecentMap<K, V> {
  readonly #links = new Map<K, Link<K, V>>();
  #oldest: Link<K, V> | undefined;
  #newest: Link<K, V> | undefined;

  get size(): number {
    return this.#links.size;
  }

  has(key: K): boolean {
    return this.#links.has(key);
  }

  get(key: K): V | undefined {
    return this.#links.get(key)?.value;
  }

  /** The key is the newest from now on. */
  set(key: K, value: V): void {
    const known = this.#links.get(key);
    if (known !== undefined) this.#take(known);
    const link = known ?? { key, value, older: undefined, newer: undefined };
    link.value = value;
    link.older = this.#newest;
    if (this.#newest === undefined) this.#oldest = link;
    else this.#newest.newer = link;
    this.#newest = link;
    if (known === undefined) this.#links.set(key, link);
  }

  delete(key: K): void {
    const link = this.#links.get(key);
    if (link === undefined) return;
    this.#take(link);
    this.#links.delete(key);
  }

  /** The key that was longest not set, and what it stands for. */
  oldest(): readonly [K, V] | undefined {
    return this.#oldest === undefined ? undefined : [this.#oldest.key, this.#oldest.value];
  }

  /** The newest first. */
  *newestFirst(): Generator<V> {
    for (let link = this.#newest; link !== undefined; link = link.older) yield link.value;
  }

  #take(link: Link<K, V>): void {
    const { older, newer } = link;
    if (older === undefined) this.#oldest = newer;
    else older.newer = newer;
    if (newer === undefined) this.#newest = older;
    else newer.older = older;
    link.older = undefined;
    link.newer = undefined;
  }
}
