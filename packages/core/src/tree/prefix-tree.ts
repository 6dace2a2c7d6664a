import { hashValue } from "../messages/hash.js";
import { canonicalMessage, type ListedMessage } from "./canonical-message.js";
import { sameJson } from "./same-json.js";

/** A beginning of a list of messages. Immutable: whoever holds one may keep it. */
export interface PrefixNode {
  /** The same for the same messages in the same scope, in every process that has the same hash. */
  readonly key: string;
  /** How many messages it has. */
  readonly depth: number;
  /** Without its last message; undefined for the empty beginning. */
  readonly parent: PrefixNode | undefined;
  /** Its last message, as it was placed first; undefined for the empty beginning. */
  readonly message: ListedMessage | undefined;
  /** Characters of that message. */
  readonly characters: number;
}

export interface PrefixTreeOptions {
  /**
   * A cryptographic hash as hex digits, such as SHA-256. Without one a small one is used, and whatever it finds is
   * compared by content; keys then mean nothing outside this tree.
   */
  readonly hash?: (text: string) => string;
  /** Characters of messages that are remembered; what was longest not heard of goes first. Default 64 million. */
  readonly maxCharacters?: number;
  /** Messages that are remembered, likewise: small ones take more than their characters. Default 500,000. */
  readonly maxMessages?: number;
  /** Told of every beginning that is no longer remembered, longest first. */
  readonly onForgotten?: (node: PrefixNode) => void;
}

export interface PlaceOptions {
  /** Lists in different scopes share nothing: part of every key. */
  readonly scope?: string;
  /** Who sent it: session, agent, thread. A label, and no part of any key. */
  readonly lane?: string;
}

/** How a list stands to the last one of its lane. */
export type LaneRelation =
  /** There was none. */
  | "first"
  /** The same list: a retry, or somebody samples. */
  | "again"
  /** The last one, and more. */
  | "grown"
  /** A beginning of the last one. */
  | "back"
  /** Both begin alike and go on differently. */
  | "forked"
  /** They share nothing: the client has compacted by itself, or it is about something else. */
  | "anew";

/** Where a list stands in the tree. */
export interface Placed {
  readonly node: PrefixNode;
  /** How many of its messages, from the first on, the tree knew before. */
  readonly known: number;
  readonly relation: LaneRelation;
  /** Of the lane, before this list. */
  readonly last: PrefixNode | undefined;
  /** How many messages both begin with. */
  readonly shared: number;
}

/**
 * The beginnings of all lists that were seen: each list is a path, and lists that begin alike share it. What a list costs
 * follows what is new in it: a message that is the same object as before is not looked into, one that is equal to the one that
 * was seen in its place is compared and not hashed.
 */
export interface PrefixTree {
  place(messages: readonly ListedMessage[], options?: PlaceOptions): Placed;
  /** Ends a lane. Its messages stay as long as there is room. */
  endLane(lane: string, scope?: string): void;
  /** Characters that are remembered. */
  readonly characters: number;
}

const MOST_CHARACTERS = 64_000_000;
const MOST_MESSAGES = 500_000;
/** Of lanes only the last node is remembered. */
const MOST_LANES = 10_000;

class Entry implements PrefixNode {
  readonly key: string;
  readonly depth: number;
  readonly parent: Entry | undefined;
  readonly message: ListedMessage | undefined;
  readonly characters: number;
  /** By the hash of their message; more than one only where a small hash is used. */
  readonly children = new Map<string, Entry[]>();
  readonly digest: string;
  /** The child that was used last. */
  newest: Entry | undefined;

  constructor(
    given: Pick<PrefixNode, "key" | "message" | "characters"> & { parent?: Entry; digest?: string },
  ) {
    this.key = given.key;
    this.parent = given.parent;
    this.depth = given.parent === undefined ? 0 : given.parent.depth + 1;
    this.message = given.message;
    this.characters = given.characters;
    this.digest = given.digest ?? "";
  }
}

/** A tree in which nothing was placed yet. */
export const createPrefixTree = ({ hash, ...rest }: PrefixTreeOptions = {}): PrefixTree =>
  treeWith({ ...rest, hashText: hash ?? hashValue, isTrusted: hash !== undefined });

interface TreeParts extends Omit<PrefixTreeOptions, "hash"> {
  readonly hashText: (text: string) => string;
  /** What has the same hash is the same; else it is compared, and a key is of this tree alone. */
  readonly isTrusted: boolean;
}

export function treeWith({
  hashText,
  isTrusted,
  maxCharacters = MOST_CHARACTERS,
  maxMessages = MOST_MESSAGES,
  onForgotten,
}: TreeParts): PrefixTree {
  const digests = new WeakMap<object, { readonly digest: string; readonly characters: number }>();
  const roots = new Map<string, Entry>();
  const lanes = new Map<string, PrefixNode>();
  /** The ends of paths, longest not heard of first. */
  const leaves = new Set<Entry>();
  let characters = 0;
  let nodes = 0;
  let made = 0;

  const digestOf = (message: ListedMessage) => {
    let known = digests.get(message);
    if (known === undefined) {
      const text = JSON.stringify(canonicalMessage(message));
      known = { digest: hashText(text), characters: text.length };
      digests.set(message, known);
    }
    return known;
  };

  const rootOf = (scope: string): Entry => {
    let root = roots.get(scope);
    if (root === undefined) {
      root = new Entry({
        key: isTrusted ? hashText(`scope ${scope}`) : `scope-${(made += 1)}`,
        message: undefined,
        characters: 0,
      });
      roots.set(scope, root);
    }
    return root;
  };

  const childOf = (parent: Entry, message: ListedMessage): Entry | undefined => {
    const { newest } = parent;
    if (newest !== undefined && isSame(newest, message)) return newest;
    if (parent.children.size === 0) return undefined;
    const bucket = parent.children.get(digestOf(message).digest) ?? [];
    return isTrusted ? bucket[0] : bucket.find((child) => isSame(child, message));
  };

  const addChild = (parent: Entry, message: ListedMessage): Entry => {
    const { digest, characters: size } = digestOf(message);
    const bucket = parent.children.get(digest) ?? [];
    const key = isTrusted ? hashText(`${parent.key} ${digest}`) : `${digest}-${(made += 1)}`;
    const child = new Entry({ key, parent, message, characters: size, digest });
    parent.children.set(digest, [...bucket, child]);
    leaves.delete(parent);
    characters += size;
    nodes += 1;
    return child;
  };

  const isFull = (): boolean => characters > maxCharacters || nodes > maxMessages;

  const makeRoom = (keep: Entry): void => {
    for (const leaf of leaves) {
      if (!isFull()) return;
      if (leaf !== keep) removePath(leaf);
    }
  };

  /** Takes off the end of a path as much as has to go, or all that no other path shares. */
  const removePath = (leaf: Entry): void => {
    let at: Entry = leaf;
    leaves.delete(leaf);
    while (at.parent !== undefined && at.children.size === 0 && isFull()) {
      const { parent, digest } = at;
      const others = (parent.children.get(digest) ?? []).filter((child) => child !== at);
      if (others.length === 0) parent.children.delete(digest);
      else parent.children.set(digest, others);
      if (parent.newest === at) parent.newest = undefined;
      characters -= at.characters;
      nodes -= 1;
      onForgotten?.(at);
      at = parent;
    }
    if (at.children.size === 0 && at.parent !== undefined) leaves.add(at);
    if (at.parent === undefined && at.children.size === 0) {
      for (const [scope, root] of roots) if (root === at) roots.delete(scope);
    }
  };

  const inLane = (node: PrefixNode, lane: string): Pick<Placed, "relation" | "last" | "shared"> => {
    const last = lanes.get(lane);
    lanes.delete(lane);
    lanes.set(lane, node);
    for (const oldest of lanes.keys()) {
      if (lanes.size <= MOST_LANES) break;
      lanes.delete(oldest);
    }
    if (last === undefined) return { relation: "first", last, shared: 0 };
    const shared = sharedDepth(last, node);
    return { relation: relationOf({ shared, last: last.depth, now: node.depth }), last, shared };
  };

  return {
    place(messages, { scope = "", lane = "" } = {}) {
      let at = rootOf(scope);
      let known = 0;
      for (const message of messages) {
        const child = childOf(at, message);
        if (child !== undefined) known += 1;
        const next = child ?? addChild(at, message);
        at.newest = next;
        at = next;
      }
      if (at.children.size === 0 && at.parent !== undefined) {
        leaves.delete(at);
        leaves.add(at);
      }
      makeRoom(at);
      return { node: at, known, ...inLane(at, laneKey(scope, lane)) };
    },
    endLane(lane, scope = "") {
      lanes.delete(laneKey(scope, lane));
    },
    get characters() {
      return characters;
    },
  };
}

const laneKey = (scope: string, lane: string): string => JSON.stringify([scope, lane]);

const isSame = (entry: Entry, message: ListedMessage): boolean =>
  entry.message === message ||
  (entry.message !== undefined && sameJson(canonicalMessage(entry.message), canonicalMessage(message)));

/** How many messages two beginnings of one tree share. What it costs follows what they do not. */
export function sharedDepth(first: PrefixNode, second: PrefixNode): number {
  let a: PrefixNode | undefined = first;
  let b: PrefixNode | undefined = second;
  while (a !== undefined && b !== undefined && a.key !== b.key) {
    if (a.depth >= b.depth) a = a.parent;
    else b = b.parent;
  }
  return a === undefined || b === undefined ? 0 : a.depth;
}

function relationOf({
  shared,
  last,
  now,
}: {
  readonly shared: number;
  readonly last: number;
  readonly now: number;
}): LaneRelation {
  if (shared === last) return shared === now ? "again" : "grown";
  if (shared === now) return "back";
  return shared === 0 ? "anew" : "forked";
}
