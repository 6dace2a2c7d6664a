import { isCompactBoundary, type Message } from "@palimpsest/core";
import { conversationWindows, preservedSegmentOf } from "@palimpsest/core/engine";
import type { KeptMessages } from "./round-builder.js";
import { createBoundaryLink, skeletonOf, type Skeleton } from "./skeleton.js";

/** Which messages of a recording are played, by their ordinals. */
export interface PlayedMessages {
  isPlayed(ordinal: number): boolean;
  /** Whether the message is the last piece of its response among those that are played. */
  endsResponse(ordinal: number): boolean;
  /** Whether the message is what an undone compaction put in. */
  isReplacement(ordinal: number): boolean;
  /** Whether the message tells of results that were cleared. */
  isClearing(ordinal: number): boolean;
  /** Of the boundary of an undone compaction: what was kept. */
  keptBy(ordinal: number): KeptMessages | undefined;
  readonly undoneCompactions: number;
  readonly keptCompactions: number;
  /** The ordinal from which on the recorded conversation had been compacted; Infinity where it never was. */
  readonly compactedFrom: number;
}

const PLAYED = 1;
const ENDS_RESPONSE = 2;
const REPLACEMENT = 4;
const CLEARING = 8;

/**
 * Collects the skeletons of a recording, and says which messages are played: those that lead to its end, as if
 * it had never been compacted. A compaction whose originals are not there stays as what was said.
 */
export class CompactionUndoer {
  readonly #skeletons: Skeleton[] = [];
  #count = 0;
  /** After a boundary, before anything that is no part of its compaction. */
  #isBehindBoundary = false;

  /** How many messages were added. */
  get count(): number {
    return this.#count;
  }

  /** The next message of the recording, in the order of the file. */
  add(message: Message): void {
    const skeleton = skeletonOf(message, this.#count);
    this.#count += 1;
    if (skeleton.link.isSidechain === true) return;
    if (skeleton.part === "summary" && !this.#isBehindBoundary) this.#addSummaryAlone(skeleton);
    else this.#skeletons.push(skeleton);
    if (skeleton.part === "boundary" || skeleton.part === "summary") this.#isBehindBoundary = true;
    else if (skeleton.part === "response" || skeleton.part === "human") this.#isBehindBoundary = false;
  }

  /** Older recordings, and those that go on from another file, have a summary and no boundary. */
  #addSummaryAlone(skeleton: Skeleton): void {
    const uuid = `boundary of ${skeleton.link.uuid}`;
    this.#skeletons.push(
      { ordinal: -1, link: createBoundaryLink(uuid), part: "boundary" },
      { ...skeleton, link: { ...skeleton.link, parentUuid: uuid } },
    );
  }

  finish(): PlayedMessages {
    const marks = new Uint8Array(this.#count);
    const lastPieces = new Map<string, number>();
    let undoneCompactions = 0;
    let keptCompactions = 0;
    let hasResponse = false;
    let isUndoing = false;
    let compactedFrom = Infinity;
    let isCompacted = false;
    const kept = new Map<number, KeptMessages>();
    const before: Skeleton[] = [];
    for (const skeleton of onPath(this.#skeletons)) {
      const { ordinal, part, responseId } = skeleton;
      if (part === "boundary") {
        isCompacted = true;
        isUndoing = hasResponse;
        if (isUndoing) {
          undoneCompactions += 1;
          kept.set(ordinal, keptMessages(skeleton, before));
        } else keptCompactions += 1;
      }
      if (part === "clearing") marks[ordinal] = CLEARING;
      if (part === "boundary" || part === "nothing" || part === "clearing") continue;
      if (part === "response" || part === "human") isUndoing = false;
      if (part === "response") hasResponse = true;
      if (isUndoing && (part === "summary" || part === "restored")) {
        marks[ordinal] = REPLACEMENT;
        continue;
      }
      before.push(skeleton);
      marks[ordinal] = PLAYED;
      if (isCompacted) compactedFrom = Math.min(compactedFrom, ordinal);
      if (responseId !== undefined) lastPieces.set(responseId, ordinal);
    }
    for (const ordinal of lastPieces.values()) marks[ordinal] = PLAYED | ENDS_RESPONSE;
    return {
      isPlayed: (ordinal) => ((marks[ordinal] ?? 0) & PLAYED) > 0,
      endsResponse: (ordinal) => ((marks[ordinal] ?? 0) & ENDS_RESPONSE) > 0,
      isReplacement: (ordinal) => ((marks[ordinal] ?? 0) & REPLACEMENT) > 0,
      isClearing: (ordinal) => ((marks[ordinal] ?? 0) & CLEARING) > 0,
      keptBy: (ordinal) => kept.get(ordinal),
      undoneCompactions,
      keptCompactions,
      compactedFrom,
    };
  }
}

/** How many responses, and messages before them, the segment of a boundary holds. */
function keptMessages({ link }: Skeleton, before: readonly Skeleton[]): KeptMessages {
  const segment = isCompactBoundary(link) ? preservedSegmentOf(link) : undefined;
  const from = before.findIndex((skeleton) => skeleton.link.uuid === segment?.headUuid);
  if (from < 0) return { keptResponses: 0, keptMessages: 0 };
  const kept = before.slice(from);
  const firstResponse = kept.findIndex(({ responseId }) => responseId !== undefined);
  const responses = new Set(kept.flatMap(({ responseId }) => responseId ?? []));
  return {
    keptResponses: responses.size,
    keptMessages: firstResponse < 0 ? kept.length : firstResponse,
  };
}

/**
 * In the order of the file: the window at the end, the window that its boundary replaced, and so on to the
 * first one. What a compaction kept stands in two windows, and is there once.
 */
function onPath(skeletons: readonly Skeleton[]): readonly Skeleton[] {
  const links = skeletons.map(({ link }) => link);
  const windows = conversationWindows(links);
  const boundaries = links.filter((link, index) => index > 0 && isCompactBoundary(link));
  const replacedBy = new Map(boundaries.map((boundary, index) => [boundary, windows[index]]));
  const path = new Set<Message>();
  for (let window = windows.at(-1); window !== undefined;) {
    for (const link of window) path.add(link);
    const boundary = window.findLast(isCompactBoundary);
    window = boundary && replacedBy.get(boundary);
  }
  const seen = new Set<string>();
  return skeletons.filter(({ link }) => {
    if (!path.has(link) || seen.has(link.uuid)) return false;
    seen.add(link.uuid);
    return true;
  });
}
