import { hashValue } from "../messages/hash.js";
import { canonicalMessage, isSameMessage, type ListedMessage } from "./canonical-message.js";
import { Leaves, TreeEntry } from "./tree-entry.js";

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
  /** Who sent it: session, agent, thread. A label, and no part of any key. Without one, no last list is remembered. */
  readonly lane?: string;
}

/** How a list stands to the last one of its lane. */
export type LaneRelation =
  /** There was none, or no lane was named. */
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
  const roots = new Map<string, TreeEntry>();
  const lanes = new Map<string, PrefixNode>();
  const leaves = new Leaves();
  let characters = 0;
  let nodes = 0;
  let made = 0;

  const rootOf = (scope: string): TreeEntry => {
    let root = roots.get(scope);
    if (root === undefined) {
      const key = isTrusted ? hashText(`scope ${scope}`) : `scope-${(made += 1)}`;
      root = new TreeEntry({ key, message: undefined, characters: 0 });
      root.digest = scope;
      roots.set(scope, root);
    }
    return root;
  };

  const textOf = (message: ListedMessage): string => JSON.stringify(canonicalMessage(message));

  /** Where a message leads to, and whether that was known. */
  const follow = (
    parent: TreeEntry,
    message: ListedMessage,
  ): readonly [child: TreeEntry, isKnown: boolean] => {
    const { newest } = parent;
    if (newest !== undefined && isSame(newest, message)) return [newest, true];
    const text = textOf(message);
    const digest = hashText(text);
    const bucket = parent.childrenBy(digest);
    const known = isTrusted ? bucket[0] : bucket.find((child) => isSame(child, message));
    if (known !== undefined) return [known, true];
    const key = isTrusted ? hashText(`${parent.key} ${digest}`) : `${digest}-${(made += 1)}`;
    const child = new TreeEntry({ key, message, characters: text.length }, parent);
    parent.addChild(child, (given) => (given === message ? digest : hashText(textOf(given))));
    leaves.remove(parent);
    characters += text.length;
    nodes += 1;
    return [child, false];
  };

  const isFull = (): boolean => characters > maxCharacters || nodes > maxMessages;

  const makeRoom = (keep: TreeEntry): void => {
    for (let leaf = leaves.oldestBut(keep); leaf !== undefined && isFull(); leaf = leaves.oldestBut(keep)) {
      removePath(leaf, keep);
    }
  };

  /** Takes off the end of a path as much as has to go, or all that no other path shares. */
  const removePath = (leaf: TreeEntry, keep: TreeEntry): void => {
    let at: TreeEntry = leaf;
    leaves.remove(leaf);
    while (at.parent !== undefined && at !== keep && !at.hasChildren && isFull()) {
      const { parent } = at;
      parent.removeChild(at);
      characters -= at.characters;
      nodes -= 1;
      onForgotten?.(at);
      at = parent;
    }
    if (at.hasChildren) return;
    if (at.parent !== undefined) leaves.hear(at);
    else roots.delete(at.digest);
  };

  const inLane = (node: PrefixNode, lane: string): Pick<Placed, "relation" | "last" | "shared"> => {
    const last = lanes.get(lane);
    lanes.delete(lane);
    lanes.set(lane, node);
    if (lanes.size > MOST_LANES) lanes.delete(lanes.keys().next().value ?? "");
    if (last === undefined) return { relation: "first", last, shared: 0 };
    const shared = sharedDepth(last, node);
    return { relation: relationOf({ shared, last: last.depth, now: node.depth }), last, shared };
  };

  return {
    place(messages, { scope = "", lane } = {}) {
      let at = rootOf(scope);
      let known = 0;
      for (const message of messages) {
        const [next, isKnown] = follow(at, message);
        if (isKnown) known += 1;
        at.newest = next;
        at = next;
      }
      if (!at.hasChildren && at.parent !== undefined) leaves.hear(at);
      makeRoom(at);
      const standing =
        lane === undefined
          ? { relation: "first" as const, last: undefined, shared: 0 }
          : inLane(at, laneKey(scope, lane));
      return { node: at, known, ...standing };
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

const isSame = ({ message }: TreeEntry, other: ListedMessage): boolean =>
  message !== undefined && isSameMessage(message, other);

/** How many messages two beginnings of one tree share. What it costs follows what they do not. */
export function sharedDepth(first: PrefixNode, second: PrefixNode): number {
  const depth = Math.min(first.depth, second.depth);
  let a = ancestorAt(first, depth);
  let b = ancestorAt(second, depth);
  while (a !== undefined && b !== undefined && a !== b && a.key !== b.key) {
    a = a.parent;
    b = b.parent;
  }
  return a === undefined || b === undefined ? 0 : a.depth;
}

function ancestorAt(node: PrefixNode, depth: number): PrefixNode | undefined {
  let at: PrefixNode | undefined = node;
  while (at !== undefined && at.depth > depth) at = at.parent;
  return at;
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
