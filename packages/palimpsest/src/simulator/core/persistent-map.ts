interface Leaf<V> {
  readonly key: string;
  readonly value: V;
}

type Node<V> = readonly (Node<V> | Leaf<V> | undefined)[];

const isLeaf = <V>(node: Node<V> | Leaf<V>): node is Leaf<V> => !Array.isArray(node);

/**
 * An immutable map from hexadecimal digests to values. Setting costs a few small copies, whatever the size, so
 * a state that holds one can be replaced instead of changed.
 */
export class PersistentMap<V> {
  readonly size: number;
  readonly #root: Node<V>;

  private constructor(root: Node<V>, size: number) {
    this.#root = root;
    this.size = size;
  }

  static empty<V>(): PersistentMap<V> {
    return new PersistentMap<V>([], 0);
  }

  get(key: string): V | undefined {
    let node: Node<V> | Leaf<V> | undefined = this.#root;
    for (let depth = 0; node !== undefined; depth += 1) {
      if (isLeaf(node)) return node.key === key ? node.value : undefined;
      node = node[digit(key, depth)];
    }
    return undefined;
  }

  set(key: string, value: V): PersistentMap<V> {
    const isNew = this.get(key) === undefined;
    return new PersistentMap(insert(this.#root, { key, value }, 0), this.size + (isNew ? 1 : 0));
  }

  /** The map without what does not pass; costs the whole map. */
  filter(passes: (value: V) => boolean): PersistentMap<V> {
    let kept = PersistentMap.empty<V>();
    for (const { key, value } of leaves(this.#root)) if (passes(value)) kept = kept.set(key, value);
    return kept;
  }
}

const digit = (key: string, depth: number): number => Number.parseInt(key[depth] ?? "0", 16);

function insert<V>(node: Node<V>, leaf: Leaf<V>, depth: number): Node<V> {
  const at = digit(leaf.key, depth);
  const found = node[at];
  const copy = [...node];
  if (found === undefined) copy[at] = leaf;
  else if (!isLeaf(found)) copy[at] = insert(found, leaf, depth + 1);
  else if (found.key === leaf.key) copy[at] = leaf;
  else copy[at] = insert(insert([], found, depth + 1), leaf, depth + 1);
  return copy;
}

function* leaves<V>(node: Node<V>): Generator<Leaf<V>> {
  for (const child of node) {
    if (child === undefined) continue;
    if (isLeaf(child)) yield child;
    else yield* leaves(child);
  }
}
