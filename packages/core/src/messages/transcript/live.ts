import { isBilledCallsRecord } from "../billed-calls.js";
import type { CompactBoundary, Message, PreservedSegment } from "../message.js";
import { isCompactBoundary, isHumanMessage, preservedSegmentOf } from "../predicates.js";
import { isPinnedCopy } from "../pinned.js";
import { isRewound, withoutLeftOut } from "../rewound.js";
import { isWholeTotals } from "../totals-record.js";

/**
 * The live conversation in a transcript: the branch that ends in its last message, from the last boundary
 * on, with the preserved segment in its place. Input is the file's order, which need not start at the
 * file's beginning: the lines from the last boundary on and those of its segment are enough.
 *
 * Parallel calls are stored as a tree in which a walk along `parentUuid` sees only one of the siblings: the
 * other pieces of a response on the branch, the results of its calls, and the attachments after those are
 * brought in.
 */
export function liveMessages(messages: readonly Message[]): readonly Message[] {
  return linkLive(messages).messages;
}

export interface LinkedConversation {
  readonly messages: readonly Message[];
  /** What was paid for beside them since that was last added up: belongs to no branch. */
  readonly billed?: readonly Message[];
  /** Set where the branch goes on at a message that is not in the input: read further back for it. */
  readonly missing?: string;
}

/** `liveMessages`, and whether the input was enough to tell. */
export function linkLive(messages: readonly Message[]): LinkedConversation {
  const { own, parentOf } = partsOf(messages);
  const mine = messages.filter((message) => message.isSidechain !== true);
  const billed = mine.slice(mine.findLastIndex(isWholeTotals) + 1).filter(isBilledCallsRecord);
  return { ...new Linker(own, parentOf).link(own.length, own.length), billed };
}

type ParentOf = (message: Message) => string | null;

/**
 * Subagents' messages and what calls cost stand beside the conversation. Another program may have gone on after
 * such a record: what hangs on it hangs on what the record follows.
 */
function partsOf(messages: readonly Message[]): {
  readonly own: readonly Message[];
  readonly parentOf: ParentOf;
} {
  const mine = messages.filter((message) => message.isSidechain !== true);
  const before = new Map(
    mine.filter(isBilledCallsRecord).map(({ uuid, parentUuid }) => [uuid, parentUuid] as const),
  );
  const parentOf: ParentOf = ({ parentUuid }) => {
    const passed: string[] = [];
    let parent = parentUuid;
    while (typeof parent === "string" && passed.length <= before.size) {
      const further = before.get(parent);
      if (further === undefined) break;
      passed.push(parent);
      parent = further;
    }
    // Each record is passed once, however many messages hang on it.
    for (const uuid of passed) before.set(uuid, parent);
    return parent;
  };
  return {
    own: before.size === 0 ? mine : mine.filter((message) => !isBilledCallsRecord(message)),
    parentOf,
  };
}

/** The greatest of ascending numbers below a limit. */
function lastBelow(numbers: readonly number[], limit: number): number | undefined {
  let low = 0;
  let high = numbers.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((numbers[middle] ?? limit) < limit) low = middle + 1;
    else high = middle;
  }
  return numbers[low - 1];
}

/** Places by what stands there, ascending. */
function placesBy(list: readonly Message[], keyOf: ParentOf): ReadonlyMap<string | null, readonly number[]> {
  const places = new Map<string | null, number[]>();
  for (const [index, message] of list.entries()) {
    const key = keyOf(message);
    const known = places.get(key);
    if (known === undefined) places.set(key, [index]);
    else known.push(index);
  }
  return places;
}

/**
 * Links beginnings of one list, each once: older ones are asked for again and again by newer boundaries. Throws where
 * that is far more work than any conversation makes: boundaries that keep ever more, or lead back and forth.
 */
class Linker {
  readonly #own: readonly Message[];
  readonly #boundaries: readonly number[];
  readonly #places: ReadonlyMap<string | null, readonly number[]>;
  #children: ReadonlyMap<string | null, readonly number[]> | undefined;
  readonly #known = new Map<string, LinkedConversation>();
  readonly #parentOf: ParentOf;
  /** What has to be linked before. */
  #wanted: readonly [number, number] | undefined;
  #work: number;

  constructor(own: readonly Message[], parentOf: ParentOf) {
    this.#own = own;
    this.#parentOf = parentOf;
    this.#work = 1_000_000 + 30 * own.length;
    this.#boundaries = own.flatMap((message, index) => (isCompactBoundary(message) ? [index] : []));
    this.#places = placesBy(own, ({ uuid }) => uuid);
  }

  /** The last place of a uuid before `end`. */
  #placeBefore(uuid: string, end: number): number | undefined {
    return lastBelow(this.#places.get(uuid) ?? [], end);
  }

  /**
   * The branch that ends in the message before `end`; its siblings may stand anywhere before `siblingsEnd`. What it
   * needs of older boundaries is linked first, one after the other: there may be more of them than a stack holds.
   */
  link(end: number, siblingsEnd: number): LinkedConversation {
    const waiting: (readonly [number, number])[] = [[end, siblingsEnd]];
    for (;;) {
      const [nextEnd, nextSiblings] = waiting.at(-1) ?? [end, siblingsEnd];
      const key = `${nextEnd} ${nextSiblings}`;
      let found = this.#known.get(key);
      if (found === undefined) {
        const linked = this.#find(nextEnd, nextSiblings);
        if (linked === undefined) {
          if (this.#wanted !== undefined) waiting.push(this.#wanted);
          continue;
        }
        this.#charge(linked.messages.length);
        found = { ...linked, messages: withoutLeftOut(linked.messages) };
        this.#known.set(key, found);
      }
      waiting.pop();
      if (waiting.length === 0) return found;
    }
  }

  #charge(work: number): void {
    this.#work -= work;
    if (this.#work < 0) {
      throw new Error("the transcript leads back and forth between more compactions than can be followed");
    }
  }

  /** What was linked before; undefined where it has to be linked first. */
  #earlier(end: number, siblingsEnd: number): LinkedConversation | undefined {
    this.#wanted = [end, siblingsEnd];
    return this.#known.get(`${end} ${siblingsEnd}`);
  }

  #find(end: number, siblingsEnd: number): LinkedConversation | undefined {
    const own = this.#own;
    const boundaryAt = lastBelow(this.#boundaries, end) ?? -1;
    const start = Math.max(boundaryAt, 0);
    const boundary = own[boundaryAt] as CompactBoundary | undefined;
    const segment = boundary && preservedSegmentOf(boundary);
    const placeOfOlder = (uuid: string): number | undefined => this.#placeBefore(uuid, start);
    const kept = segment === undefined ? [] : this.#preserved(segment, boundaryAt);
    if (kept === undefined) return undefined;
    // Where the segment cannot be found, a link to something older may well lead into it: that is no rewind.
    const isLost = segment !== undefined && kept.length === 0;
    const keptUuids = new Set(kept.map((message) => message.uuid));
    this.#charge(siblingsEnd - start);
    const { branch, resumedFrom, missing, isUndone } = walkBranch(own.slice(start, end), {
      boundary: boundary?.uuid,
      isKept: (uuid) => (isLost ? placeOfOlder(uuid) !== undefined : keptUuids.has(uuid)),
      placeOfOlder,
      parentOf: this.#parentOf,
    });
    const live = bringInSiblings(own.slice(start, siblingsEnd), branch, siblingsEnd > end ? true : undefined);
    if (isUndone) {
      const earlier = this.#earlier(boundaryAt, boundaryAt);
      if (earlier === undefined) return undefined;
      const before = boundary?.logicalParentUuid;
      const isKnown = typeof before !== "string" || placeOfOlder(before) !== undefined;
      const lacks = isKnown ? earlier.missing : (before ?? undefined);
      return { messages: [...earlier.messages, ...live], ...(lacks === undefined ? {} : { missing: lacks }) };
    }
    if (resumedFrom !== undefined) {
      // The person went back to before the boundary: the compaction is not part of this branch.
      const earlier = this.#earlier(resumedFrom + 1, boundaryAt);
      return earlier && { ...earlier, messages: [...earlier.messages, ...live] };
    }
    const unresolved = isLost ? segment.headUuid : missing;
    const placed = segment === undefined ? live : placeSegment(live, { boundary, segment, kept });
    return { messages: placed, ...(unresolved === undefined ? {} : { missing: unresolved }) };
  }

  /**
   * The segment as it stood in the live list just before its boundary, older segments included. Where the line
   * of one end is damaged, what follows it (or leads up to the boundary) still counts; where one end is not on the
   * branch, what stands next to it in the file. Undefined where that list has to be linked first.
   */
  #preserved(segment: PreservedSegment, boundaryAt: number): readonly Message[] | undefined {
    const { headUuid, tailUuid } = segment;
    const linked = this.#earlier(boundaryAt, boundaryAt);
    if (linked === undefined) return undefined;
    const { messages } = linked;
    const exact = messages.findIndex(({ uuid }) => uuid === headUuid);
    const found = exact >= 0 ? exact : messages.findIndex(({ parentUuid }) => parentUuid === headUuid);
    const head = found >= 0 ? found : this.#lastUpTo(headUuid, messages, boundaryAt) + 1;
    const last = messages.findLastIndex((message) => message.uuid === tailUuid);
    const tail = last >= 0 ? last : this.#lastUpTo(tailUuid, messages, boundaryAt);
    if ((found >= 0 || head > 0) && (tail < 0 || tail >= head)) return between(messages, head, tail);
    this.#children ??= placesBy(this.#own, ({ parentUuid }) => parentUuid);
    const first = this.#places.get(headUuid)?.[0] ?? Infinity;
    const child = this.#children.get(headUuid)?.[0] ?? Infinity;
    const from = first < boundaryAt ? first : child;
    const to = this.#placeBefore(tailUuid, boundaryAt) ?? -1;
    if (from >= boundaryAt || (to >= 0 && to < from)) return [];
    this.#charge(boundaryAt - from);
    return between(this.#own, from, to < 0 ? boundaryAt - 1 : to);
  }

  /** Of a message that is in the file and not in the list: the last in the list that stands before it; else -1. */
  #lastUpTo(uuid: string, list: readonly Message[], end: number): number {
    const place = this.#placeBefore(uuid, end);
    if (place === undefined) return -1;
    return list.findLastIndex((message) => (this.#placeBefore(message.uuid, end) ?? Infinity) <= place);
  }
}

/** From one place to another; below 0 to the end. */
const between = (list: readonly Message[], head: number, tail: number): readonly Message[] =>
  list.slice(head, tail < 0 ? list.length : tail + 1).filter((message) => !isCompactBoundary(message));

/** Every state the conversation was in when a compaction replaced it, and the state at its end. */
export function conversationWindows(messages: readonly Message[]): readonly (readonly Message[])[] {
  const { own, parentOf } = partsOf(messages);
  const linker = new Linker(own, parentOf);
  const ends = own.flatMap((message, index) => (isCompactBoundary(message) && index > 0 ? [index] : []));
  return [...ends, own.length].map((end) => linker.link(end, end).messages);
}

interface Placement {
  readonly boundary: CompactBoundary | undefined;
  readonly segment: PreservedSegment;
  readonly kept: readonly Message[];
}

/** The kept messages after their anchor, or before the boundary where they are the conversation's prefix. */
function placeSegment(live: readonly Message[], { boundary, segment, kept }: Placement): readonly Message[] {
  if (segment.anchorUuid === null) return [...kept, ...live];
  const anchorAt = live.findIndex((message) => message.uuid === segment.anchorUuid);
  const at = anchorAt >= 0 || boundary === undefined ? anchorAt : live.indexOf(boundary);
  return [...live.slice(0, at + 1), ...kept, ...live.slice(at + 1)];
}

interface Branch {
  readonly branch: ReadonlySet<Message>;
  /** Where among the older messages the branch goes on. */
  readonly resumedFrom: number | undefined;
  /** A parent that is nowhere in the input. */
  readonly missing: string | undefined;
  /** The compaction was taken back: the branch goes on right before its boundary. */
  readonly isUndone: boolean;
}

interface OlderMessages {
  readonly boundary: string | undefined;
  /** Whether the boundary kept it. */
  readonly isKept: (uuid: string) => boolean;
  /** Where it stands before the boundary. */
  readonly placeOfOlder: (uuid: string) => number | undefined;
  readonly parentOf: ParentOf;
}

/**
 * The messages of `since` on the branch that ends in the last one. A list without links is one branch; a
 * parent that is nowhere hides nothing: the walk goes on with the line before. A message that hangs on what a compaction
 * has kept came after the compaction, but for the marker of somebody who went back to it.
 */
function walkBranch(
  since: readonly Message[],
  { boundary, isKept, placeOfOlder, parentOf }: OlderMessages,
): Branch {
  const places = new Map(since.map((message, index) => [message.uuid, index]));
  const linked = since.some((message) => typeof message.parentUuid === "string");
  const branch = new Set<Message>();
  let missing: string | undefined;
  let at = since.length - 1;
  for (let message = since[at]; message !== undefined; message = since[at]) {
    branch.add(message);
    if (undoneBoundary(message) !== undefined && undoneBoundary(message) === boundary) {
      return { branch, resumedFrom: undefined, missing, isUndone: true };
    }
    const parent = parentOf(message);
    if (isCompactBoundary(message) || (linked && parent === null)) break;
    const place = typeof parent === "string" ? places.get(parent) : undefined;
    if (place !== undefined && place < at) {
      at = place;
    } else if (typeof parent === "string" && !isRewound(message) && isKept(parent)) {
      do at -= 1;
      while (at >= 0 && !mayFollowBoundary(since[at] ?? message));
    } else if (typeof parent === "string" && placeOfOlder(parent) !== undefined) {
      return { branch, resumedFrom: placeOfOlder(parent), missing, isUndone: false };
    } else {
      if (typeof parent === "string" && place === undefined) missing ??= parent;
      at -= 1;
    }
  }
  return { branch, resumedFrom: undefined, missing, isUndone: false };
}

/** Of a message that takes a compaction back: the uuid of its boundary. What follows goes on right before that. */
export function undoneBoundary(message: Message): string | undefined {
  if (message.type !== "system" || message.subtype !== "compact_undone") return undefined;
  const { undoneBoundary: uuid } = message as { readonly undoneBoundary?: unknown };
  return typeof uuid === "string" ? uuid : undefined;
}

/** What may stand between a boundary and what was kept, whoever wrote it: a summary or the provider's own, attachments, state. */
const mayFollowBoundary = (message: Message): boolean =>
  message.type === "attachment" ||
  isPinnedCopy(message) ||
  message.type === "system" ||
  (message.type === "assistant" && blocksOf(message)[0]?.["type"] === "compaction") ||
  (message.type === "user" && (message.isCompactSummary === true || message.isMeta === true));

/**
 * Those of a branch, with the other pieces of its responses, their results and what hangs on these. Where somebody has gone
 * back, what follows a person's words on another branch is none of its pieces, whatever ids a server gives.
 */
export function bringInSiblings(
  since: readonly Message[],
  branch: ReadonlySet<Message>,
  hasGoneBack = [...branch].some(isRewound),
): readonly Message[] {
  let isElsewhere = false;
  const responses = new Set<string>();
  for (const message of branch) {
    if (message.type === "assistant" && typeof message.message.id === "string")
      responses.add(message.message.id);
  }
  const calls = new Set<string>();
  const taken = new Set<string>();
  return since.filter((message) => {
    if (branch.has(message)) isElsewhere = false;
    else if (hasGoneBack && isHumanMessage(message)) isElsewhere = true;
    const isPiece = message.type === "assistant" && isElsewhere;
    const belongs = branch.has(message) || (!isPiece && isSibling(message, { responses, calls, taken }));
    if (!belongs) return false;
    if (message.type === "assistant") for (const id of callIds(message)) calls.add(id);
    if (!branch.has(message)) taken.add(message.uuid);
    return true;
  });
}

interface Relatives {
  readonly responses: ReadonlySet<string>;
  readonly calls: ReadonlySet<string>;
  /** Siblings brought in so far: what hangs on them as an attachment comes along. */
  readonly taken: ReadonlySet<string>;
}

function isSibling(message: Message, relatives: Relatives): boolean {
  switch (message.type) {
    case "assistant":
      return relatives.responses.has(message.message.id);
    case "user":
      return resultIds(message).some((id) => relatives.calls.has(id));
    case "attachment":
      return message.parentUuid !== null && relatives.taken.has(message.parentUuid);
    default:
      return false;
  }
}

function blocksOf(
  message: Extract<Message, { type: "user" | "assistant" }>,
): readonly Readonly<Record<string, unknown>>[] {
  const content: unknown = message.message.content;
  return Array.isArray(content) ? content.filter((block) => typeof block === "object" && block !== null) : [];
}

const callIds = (message: Extract<Message, { type: "assistant" }>): readonly string[] =>
  blocksOf(message).flatMap((block) =>
    block["type"] === "tool_use" && typeof block["id"] === "string" ? [block["id"]] : [],
  );

const resultIds = (message: Extract<Message, { type: "user" }>): readonly string[] =>
  blocksOf(message).flatMap((block) =>
    block["type"] === "tool_result" && typeof block["tool_use_id"] === "string" ? [block["tool_use_id"]] : [],
  );
