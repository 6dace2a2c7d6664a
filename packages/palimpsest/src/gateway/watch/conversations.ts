import { createHash } from "node:crypto";
import { createPrefixTree, type PrefixNode } from "@palimpsest/core/tree";
import { createHeads, type Head } from "./heads.js";
import { heldMessages, nothingHeld } from "./held-messages.js";
import type { Lane } from "./lane.js";
import { bestOf, firstOf, type KeptLine, type Line } from "./lines.js";
import { messageParts, messagesOf, type PromptPart } from "./prompt-parts.js";
import { RecentMap } from "./recent-map.js";

type Fields = Readonly<Record<string, unknown>>;

/** Where a request belongs. */
export interface Placed {
  readonly line: Line;
  /** Its messages, as a place in the tree of beginnings. */
  readonly node: PrefixNode;
  /** The request with what is remembered in place of what is equal to it: what holds on to it holds nothing twice. */
  readonly request: Fields;
  readonly isNewConversation: boolean;
  readonly isNewLane: boolean;
  /** Its lane's name; undefined where there were too many to remember. */
  readonly lane: string | undefined;
  /** Lines that are no longer remembered since this request came. */
  readonly forgotten: number;
  /** What the request before had, looked up where it is needed; undefined for a first one, and where it goes another way than that one. */
  readonly before: (() => readonly PromptPart[]) | undefined;
  /** What this request has. */
  readonly now: () => readonly PromptPart[];
}

export interface Conversations {
  place(request: Fields, lane: Lane & { readonly tenant: string }): Placed;
}

export interface ConversationsOptions {
  /** Told of lines that are dropped. */
  readonly onForgotten: (line: string) => void;
  /** Characters of messages, and of what lines have beside them; what was longest not heard of goes first. */
  readonly maxCharacters?: number;
  readonly maxMessages?: number;
  readonly maxLines?: number;
  /** How many there were before, in another process: names go on from there. */
  readonly conversationsBefore?: number;
  readonly lanesBefore?: number;
}

const MOST_CHARACTERS = 64_000_000;
const MOST_MESSAGES = 250_000;
const MOST_LINES = 20_000;
/** Of lanes only numbers are remembered, to count and to name them. */
const MOST_LANES = 500_000;
/** Of lines that begin alike in one lane, so many are compared with a request. */
const MOST_ALIKE = 64;

const sha256 = (text: string): string => createHash("sha256").update(text).digest("hex");

/**
 * Tells conversations apart by what they hold: each list of messages is a path through a tree of beginnings, and a line goes on where
 * the path does, within what a client says of itself. System prompt and tools are not in the tree: they tell a side question apart.
 */
export function createConversations({
  onForgotten,
  maxCharacters = MOST_CHARACTERS,
  maxMessages = MOST_MESSAGES,
  maxLines = MOST_LINES,
  conversationsBefore = 0,
  lanesBefore = 0,
}: ConversationsOptions): Conversations {
  const lines = new RecentMap<string, KeptLine>();
  const groups = new Map<string, readonly KeptLine[]>();
  /** Sets: many sessions may begin with the very same list. */
  const byNode = new Map<PrefixNode, Set<KeptLine>>();
  const heads = createHeads();
  const lanes = new Map<number, number>();
  let heldCharacters = 0;
  let lineCount = 0;
  let conversationCount = conversationsBefore;
  let laneCount = lanesBefore;
  let forgotten = 0;

  const tree = createPrefixTree({
    hash: sha256,
    maxCharacters,
    maxMessages,
    onForgotten: (node) => byNode.get(node)?.forEach((line) => forget(line)),
  });

  const leave = (line: KeptLine): void => {
    const there = byNode.get(line.node);
    there?.delete(line);
    if (there?.size === 0) byNode.delete(line.node);
    heldCharacters -= line.held.characters;
    heads.release(line.head);
  };

  const forget = (line: KeptLine): void => {
    leave(line);
    lines.delete(line.id);
    const alike = without(groups.get(line.group), line);
    if (alike.length === 0) groups.delete(line.group);
    else groups.set(line.group, alike);
    forgotten += 1;
    onForgotten(line.id);
  };

  const isTooMuch = (): boolean => heads.characters + heldCharacters > maxCharacters || lines.size > maxLines;

  /** The line is where it says to be. */
  const arrive = (line: KeptLine): void => {
    heads.hold(line.head);
    heldCharacters += line.held.characters;
    byNode.set(line.node, (byNode.get(line.node) ?? new Set()).add(line));
    lines.set(line.id, line);
    const others = without(groups.get(line.group), line);
    groups.set(line.group, [line, ...others]);
    const last = others.at(-1);
    if (others.length >= MOST_ALIKE && last !== undefined) forget(last);
    while (isTooMuch()) {
      const [, oldest] = lines.oldest() ?? [];
      if (oldest === undefined || oldest === line) return;
      forget(oldest);
    }
  };

  return {
    place(request, { key: lane, isSubagent, tenant }) {
      const messages = messagesOf(request);
      const forgottenBefore = forgotten;
      const { node } = tree.place(messages, { scope: tenant });
      const laneNumber = Number.parseInt(sha256(lane).slice(0, 13), 16);
      const isNewLane = !lanes.has(laneNumber) && lanes.size < MOST_LANES;
      if (isNewLane) lanes.set(laneNumber, (laneCount += 1));
      const named = lanes.get(laneNumber);
      const group = `${laneNumber} ${firstOf(node)?.key ?? ""}`;
      const alike = groups.get(group) ?? [];
      const head = heads.of(request, [...new Set(alike.map((line) => line.head))]);
      const best = bestOf(alike, node, head);
      const known = best?.goesOn === true ? best.line : undefined;
      const before = known === undefined ? undefined : partsOf(known.node, known.head);
      const held = heldMessages(messages, node, (known?.held ?? nothingHeld).messages);
      const conversation = best?.line.conversation ?? `conversation-${(conversationCount += 1)}`;
      const line: KeptLine = known ?? {
        id: `line-${(lineCount += 1)}`,
        conversation,
        lane,
        group,
        node,
        head,
        held,
        answeredAt: 0,
      };
      if (known !== undefined) leave(known);
      line.node = node;
      line.head = head;
      line.held = held;
      arrive(line);
      return {
        line,
        node,
        request: { ...request, ...head.fields, messages: held.messages },
        before,
        now: partsOf(node, head),
        isNewLane,
        lane: named === undefined ? undefined : `${isSubagent ? "subagent" : "lane"}-${named}`,
        isNewConversation: best === undefined,
        forgotten: forgotten - forgottenBefore,
      };
    },
  };
}

const without = (list: readonly KeptLine[] | undefined, line: KeptLine): readonly KeptLine[] =>
  (list ?? []).filter((other) => other !== line);

const partsOf =
  (node: PrefixNode, { parts }: Head) =>
  (): readonly PromptPart[] => [...parts, ...messageParts(node)];
