import { createHash } from "node:crypto";
import { hashMessage, hashValue } from "@palimpsest/core/engine";
import {
  canonicalMessage,
  createPrefixTree,
  sharedDepth,
  type ListedMessage,
  type PrefixNode,
} from "@palimpsest/core/tree";
import type { Lane } from "./lane.js";
import { comparable, headParts, messageParts, messagesOf, type PromptPart } from "./prompt-parts.js";

/** A line of requests that each go on from the one before: one path through the tree of beginnings. */
interface Line {
  /** Of this line alone; what the watch of the cache knows it by. */
  readonly id: string;
  /** Shared by lines that begin alike and go different ways. */
  readonly conversation: string;
  readonly lane: string;
  /** When the newest answer had come to its end. */
  answeredAt: number;
}

/** Where a request belongs. */
export interface Placed {
  readonly line: Line;
  /** Its messages, as a place in the tree of beginnings. */
  readonly node: PrefixNode;
  readonly isNewConversation: boolean;
  readonly isNewLane: boolean;
  /** What the request before had, looked up where it is needed; undefined for a first one, and where it goes another way than that one. */
  readonly before: (() => readonly PromptPart[]) | undefined;
  /** What this request has. */
  readonly now: () => readonly PromptPart[];
}

export interface Conversations {
  place(request: Readonly<Record<string, unknown>>, lane: Lane & { readonly tenant: string }): Placed;
}

export interface ConversationsOptions {
  /** Told of lines that are dropped. */
  readonly onForgotten: (line: string) => void;
  /** Characters of messages, and of system prompts with tools, that are remembered; what was longest not heard of goes first. */
  readonly maxCharacters?: number;
}

interface Kept extends Line {
  node: PrefixNode;
  head: Head;
}

/** System prompt and tools of a line's newest request. What has the same is one object. */
interface Head {
  readonly key: string;
  readonly shape: Shape;
  readonly parts: readonly PromptPart[];
  readonly characters: number;
  lines: number;
}

const MOST_CHARACTERS = 64_000_000;
const MOST_MESSAGES = 250_000;
/** Of lanes only the names are remembered, to count them. */
const MOST_LANES = 100_000;
/** Of a lane, so many lines are compared with a request. */
const MOST_LINES = 64;

const sha256 = (text: string): string => createHash("sha256").update(text).digest("hex");

/**
 * Tells conversations apart by what they hold: each list of messages is a path through a tree of beginnings, and a line goes on where
 * the path does, within what a client says of itself. System prompt and tools are not in the tree: they tell a side question apart.
 */
export function createConversations({
  onForgotten,
  maxCharacters = MOST_CHARACTERS,
}: ConversationsOptions): Conversations {
  const lines = new Set<Kept>();
  const byLane = new Map<string, Kept[]>();
  const byNode = new Map<PrefixNode, Set<Kept>>();
  const heads = new Map<string, Head>();
  const lanes = new Set<string>();
  let headCharacters = 0;
  let count = 0;

  const tree = createPrefixTree({
    hash: sha256,
    maxCharacters,
    maxMessages: MOST_MESSAGES,
    onForgotten: (node) => byNode.get(node)?.forEach((line) => forget(line)),
  });

  const leave = (line: Kept): void => {
    const { node, head } = line;
    const there = byNode.get(node);
    there?.delete(line);
    if (there?.size === 0) byNode.delete(node);
    head.lines -= 1;
    if (head.lines > 0) return;
    heads.delete(head.key);
    headCharacters -= head.characters;
  };

  const forget = (line: Kept): void => {
    leave(line);
    lines.delete(line);
    const rest = (byLane.get(line.lane) ?? []).filter((other) => other !== line);
    if (rest.length === 0) byLane.delete(line.lane);
    else byLane.set(line.lane, rest);
    onForgotten(line.id);
  };

  const arrive = (line: Kept, node: PrefixNode, head: Head): void => {
    line.node = node;
    line.head = head;
    if (head.lines === 0) {
      heads.set(head.key, head);
      headCharacters += head.characters;
    }
    head.lines += 1;
    byNode.set(node, (byNode.get(node) ?? new Set()).add(line));
    lines.delete(line);
    lines.add(line);
    const others = (byLane.get(line.lane) ?? []).filter((other) => other !== line);
    byLane.set(line.lane, [line, ...others]);
    const last = others.at(-1);
    if (others.length >= MOST_LINES && last !== undefined) forget(last);
    for (const oldest of lines) {
      if (headCharacters <= maxCharacters) break;
      if (oldest !== line) forget(oldest);
    }
  };

  const headOf = (request: Readonly<Record<string, unknown>>): Head => {
    const parts = headParts(request);
    const shape = shapeOf(request, parts);
    const key = JSON.stringify(shape);
    return heads.get(key) ?? { key, shape, parts, characters: JSON.stringify(parts).length, lines: 0 };
  };

  return {
    place(request, { key: lane, tenant }) {
      const { node } = tree.place(messagesOf(request), { scope: tenant });
      const isNewLane = !lanes.has(lane) && lanes.size < MOST_LANES;
      if (isNewLane) lanes.add(lane);
      const head = headOf(request);
      const now = partsOf(node, head);
      const best = bestOf(byLane.get(lane) ?? [], node, head);
      if (best?.goesOn === true) {
        const { line } = best;
        const { node: nodeBefore, head: headBefore } = line;
        leave(line);
        arrive(line, node, head);
        return {
          line,
          before: partsOf(nodeBefore, headBefore),
          now,
          node,
          isNewLane,
          isNewConversation: false,
        };
      }
      count += 1;
      const line: Kept = {
        id: `line-${count}`,
        conversation: best?.line.conversation ?? `conversation-${count}`,
        lane,
        node,
        head,
        answeredAt: 0,
      };
      arrive(line, node, head);
      return { line, before: undefined, now, node, isNewLane, isNewConversation: best === undefined };
    },
  };
}

const partsOf =
  (node: PrefixNode, { parts }: Head) =>
  (): readonly PromptPart[] => [...parts, ...messageParts(node)];

interface Match {
  readonly line: Kept;
  readonly goesOn: boolean;
}

/** The line that shares most; of several the one that is most alike, then the newest. One that goes on comes before all others. */
function bestOf(lines: readonly Kept[], node: PrefixNode, { shape }: Head): Match | undefined {
  const scored = lines.flatMap((line) => {
    const shared = sharedDepth(line.node, node);
    const alike = shape.filter((part, index) => part === line.head.shape[index]).length;
    // The same words to another model under another prompt with other tools: a title, a classifier.
    return shared === 0 || alike === 0 ? [] : [{ line, shared, score: shared * 4 + alike }];
  });
  const ranked = scored.toSorted((one, other) => other.score - one.score);
  const next = ranked.find(({ line, shared }) => shared === line.node.depth);
  const edited = next ?? ranked.find(({ line, shared }) => isEdited(line.node, node, shared));
  const best = edited ?? ranked[0];
  return best === undefined ? undefined : { line: best.line, goesOn: edited !== undefined };
}

/** Whether a list is another one with something in it changed: of what follows the change something is still there. */
function isEdited(before: PrefixNode, now: PrefixNode, shared: number): boolean {
  if (now.depth < before.depth) return false;
  let [one, other]: [PrefixNode | undefined, PrefixNode | undefined] = [before, now];
  while (other !== undefined && other.depth > before.depth) other = other.parent;
  while (one !== undefined && other !== undefined && one.depth > shared + 1) {
    if (one.message !== undefined && other.message !== undefined && isAlike(one.message, other.message))
      return true;
    [one, other] = [one.parent, other.parent];
  }
  return false;
}

const isAlike = (one: ListedMessage, other: ListedMessage): boolean =>
  hashMessage(canonicalMessage(one)) === hashMessage(canonicalMessage(other));

/** What tells a conversation from a side question that begins with the same words. */
type Shape = readonly [model: string, system: string, tools: string];

function shapeOf(request: Readonly<Record<string, unknown>>, parts: readonly PromptPart[]): Shape {
  const hashOf = (kind: PromptPart["kind"]): string =>
    hashValue(parts.filter((part) => part.kind === kind).map(comparable));
  return [hashValue(request["model"] ?? ""), hashOf("system"), hashOf("tool")];
}
