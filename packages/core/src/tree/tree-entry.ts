import type { ListedMessage } from "./canonical-message.js";

interface Given {
  readonly key: string;
  readonly message: ListedMessage | undefined;
  readonly characters: number;
}

/** A node, and what comes after it. Small: there may be a great many. */
export class TreeEntry {
  readonly key: string;
  readonly depth: number;
  readonly parent: TreeEntry | undefined;
  readonly message: ListedMessage | undefined;
  readonly characters: number;
  /** The child that was used last. Most entries have one, and need no table. */
  newest: TreeEntry | undefined = undefined;
  /** Of several: by the hash of their message; more than one only where a small hash is used. */
  table: Map<string, readonly TreeEntry[]> | undefined = undefined;
  /** The hash of its message, where it stands in a table; of one without a message its scope. */
  digest = "";
  /** Among the ends of paths: who was heard of before it, and after. */
  older: TreeEntry | undefined = undefined;
  newer: TreeEntry | undefined = undefined;

  constructor(given: Given, parent?: TreeEntry) {
    this.key = given.key;
    this.parent = parent;
    this.depth = parent === undefined ? 0 : parent.depth + 1;
    this.message = given.message;
    this.characters = given.characters;
  }

  get hasChildren(): boolean {
    return this.newest !== undefined || (this.table?.size ?? 0) > 0;
  }

  /** Children whose message has this hash; not the only one. */
  childrenBy(digest: string): readonly TreeEntry[] {
    return this.table?.get(digest) ?? [];
  }

  addChild(child: TreeEntry, digestOf: (message: ListedMessage) => string): void {
    const only = this.newest;
    if (this.table === undefined && only !== undefined) {
      this.table = new Map();
      this.#place(only, digestOf);
    }
    if (this.table !== undefined) this.#place(child, digestOf);
    this.newest = child;
  }

  #place(child: TreeEntry, digestOf: (message: ListedMessage) => string): void {
    if (child.message === undefined) return;
    child.digest = digestOf(child.message);
    this.table?.set(child.digest, [...this.childrenBy(child.digest), child]);
  }

  removeChild(child: TreeEntry): void {
    const others = this.childrenBy(child.digest).filter((other) => other !== child);
    if (others.length > 0) this.table?.set(child.digest, others);
    else this.table?.delete(child.digest);
    if (this.newest === child) this.newest = undefined;
  }
}

/** The ends of paths, in the order in which they were heard of. Each step costs the same, however many there are. */
export class Leaves {
  #oldest: TreeEntry | undefined;
  #newest: TreeEntry | undefined;

  /** The one that was longest not heard of, but for this one. */
  oldestBut(one: TreeEntry): TreeEntry | undefined {
    return this.#oldest === one ? one.newer : this.#oldest;
  }

  hear(leaf: TreeEntry): void {
    this.remove(leaf);
    leaf.older = this.#newest;
    if (this.#newest === undefined) this.#oldest = leaf;
    else this.#newest.newer = leaf;
    this.#newest = leaf;
  }

  remove(leaf: TreeEntry): void {
    const { older, newer } = leaf;
    if (older !== undefined) older.newer = newer;
    else if (this.#oldest === leaf) this.#oldest = newer;
    if (newer !== undefined) newer.older = older;
    else if (this.#newest === leaf) this.#newest = older;
    leaf.older = undefined;
    leaf.newer = undefined;
  }
}
