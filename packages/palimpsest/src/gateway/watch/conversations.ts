import { hashValue } from "@palimpsest/core/engine";
import type { Lane } from "./lane.js";
import { comparable, promptParts, type PromptPart } from "./prompt-parts.js";

/** A line of requests that each go on from the one before. */
interface Line {
  /** Of this line alone; what the watch of the cache knows it by. */
  readonly id: string;
  /** Shared by lines that begin alike and go different ways. */
  readonly conversation: string;
  readonly lane: string;
  parts: readonly PromptPart[];
  /** When the newest answer had come to its end. */
  answeredAt: number;
}

/** Where a request belongs. */
export interface Placed {
  readonly line: Line;
  readonly isNewConversation: boolean;
  readonly isNewLane: boolean;
  /** What the request before had; undefined for a first one, and where it goes another way than that one. */
  readonly before: readonly PromptPart[] | undefined;
}

export interface Conversations {
  place(request: Readonly<Record<string, unknown>>, lane: Lane, bytes: number): Placed;
}

interface Kept extends Line {
  hashes: readonly string[];
  shape: Shape;
  bytes: number;
}

/** What tells a conversation from a side question that begins with the same words. */
type Shape = readonly [model: string, system: string, tools: string];

/** Bytes of requests that are remembered; lines that were longest not heard of go first. */
const MOST_BYTES = 64 * 1024 * 1024;
/** Of lanes only the names are remembered, to count them. */
const MOST_LANES = 100_000;
/** Of a lane, so many lines are compared with a request. */
const MOST_LINES = 64;

/** Tells conversations apart by what they hold, within what a client says of itself. `onForgotten` is told of lines that are dropped. */
export function createConversations(onForgotten: (line: string) => void): Conversations {
  const lines = new Map<string, Kept>();
  const byLane = new Map<string, Kept[]>();
  const lanes = new Set<string>();
  let bytes = 0;
  let count = 0;

  const forget = (line: Kept): void => {
    lines.delete(line.id);
    bytes -= line.bytes;
    const rest = (byLane.get(line.lane) ?? []).filter((other) => other !== line);
    if (rest.length === 0) byLane.delete(line.lane);
    else byLane.set(line.lane, rest);
    onForgotten(line.id);
  };

  const makeRoom = (spared: Kept): void => {
    for (const line of lines.values()) {
      if (bytes <= MOST_BYTES) return;
      if (line !== spared) forget(line);
    }
  };

  return {
    place(request, lane, size) {
      const parts = promptParts(request);
      const hashes = parts
        .filter(({ kind }) => kind === "message")
        .map((part) => hashValue(comparable(part)));
      const shape = shapeOf(request, parts);
      const isNewLane = !lanes.has(lane.key) && lanes.size < MOST_LANES;
      if (isNewLane) lanes.add(lane.key);
      const best = bestOf(byLane.get(lane.key) ?? [], hashes, shape);
      const goesOn = best !== undefined && isContinuation(best, hashes);
      count += goesOn ? 0 : 1;
      const line: Kept = goesOn
        ? best.line
        : {
            id: `line-${count}`,
            conversation: best?.line.conversation ?? `conversation-${count}`,
            lane: lane.key,
            parts,
            hashes,
            shape,
            bytes: 0,
            answeredAt: 0,
          };
      const before = goesOn ? line.parts : undefined;
      bytes += size - line.bytes;
      Object.assign(line, { parts, hashes, shape, bytes: size });
      lines.delete(line.id);
      lines.set(line.id, line);
      const others = (byLane.get(lane.key) ?? []).filter((other) => other !== line);
      byLane.set(lane.key, [line, ...others]);
      const last = others.at(-1);
      if (others.length >= MOST_LINES && last !== undefined) forget(last);
      makeRoom(line);
      return { line, before, isNewLane, isNewConversation: best === undefined };
    },
  };
}

interface Match {
  readonly line: Kept;
  /** How many messages both begin with. */
  readonly shared: number;
}

/** The line that shares most; of several the one that is most alike, then the newest. */
function bestOf(lines: readonly Kept[], hashes: readonly string[], shape: Shape): Match | undefined {
  let best: Match | undefined;
  let bestScore = 0;
  for (const line of lines) {
    const shared = sharedCount(line.hashes, hashes);
    const alike = shape.filter((part, index) => part === line.shape[index]).length;
    // The same words to another model under another prompt with other tools: a title, a classifier.
    if (shared === 0 || alike === 0) continue;
    const score = (isContinuation({ line, shared }, hashes) ? 1e9 : 0) + shared * 4 + alike;
    if (score > bestScore) {
      bestScore = score;
      best = { line, shared };
    }
  }
  return best;
}

function sharedCount(first: readonly string[], second: readonly string[]): number {
  let shared = 0;
  while (shared < first.length && first[shared] === second[shared]) shared += 1;
  return shared;
}

/** Whether a list goes on from another, or is the same one with something in it changed: what follows is then still there. */
function isContinuation({ line, shared }: Match, hashes: readonly string[]): boolean {
  if (shared === line.hashes.length) return true;
  return (
    hashes.length >= line.hashes.length &&
    line.hashes.slice(shared + 1).some((hash, at) => hash === hashes[shared + 1 + at])
  );
}

function shapeOf(request: Readonly<Record<string, unknown>>, parts: readonly PromptPart[]): Shape {
  const hashOf = (kind: PromptPart["kind"]): string =>
    hashValue(parts.filter((part) => part.kind === kind).map(comparable));
  return [hashValue(request["model"] ?? ""), hashOf("system"), hashOf("tool")];
}
