import type { AnswerBlock } from "../../simulator/player.js";
import { callPieces } from "./call-pieces.js";
import type { FileNames } from "./file-names.js";
import { callSource, fileSource, isLook, type SourceClass } from "./sources.js";

/** What the calls of a recorded response look at, and which sources it names at all. */
export interface RoundLooks {
  readonly looks: readonly Look[];
  /** The keys of all files and commands that it reads, writes or runs. */
  readonly sources: readonly number[];
  /** A recorded compaction was made right before its request. */
  readonly isCompacted: boolean;
}

interface Look {
  /** Which block of the response, from 0. */
  readonly block: number;
  readonly key: number;
  readonly class: SourceClass;
}

/** The rounds around one recorded compaction. */
export interface RereadWindow {
  /** The first round after it. */
  readonly start: number;
  /** So many rounds from `start` on, and as many before it. */
  readonly length: number;
  /** Looks in the rounds after at what had been seen before the compaction. */
  readonly after: readonly Reread[];
  /** Looks in the rounds before at what had been seen before the first of them. */
  readonly before: readonly Reread[];
}

interface Reread extends Look {
  readonly round: number;
}

const MOST_ROUNDS = 20;

export function looksOf(
  content: readonly AnswerBlock[],
  { names, isCompacted }: { readonly names: FileNames; readonly isCompacted: boolean },
): RoundLooks {
  const looks: Look[] = [];
  const sources: number[] = [];
  for (const [block, one] of content.entries()) {
    if (one.type !== "tool_use") continue;
    const { key, class: kind } = callSource({ ...one, block }, names);
    if (kind === "transcript") continue;
    sources.push(key);
    for (const { path, directory } of callPieces(one.input)) {
      if (path !== undefined) sources.push(fileSource(path, directory ?? "", names).key);
    }
    if (isLook(one)) looks.push({ block, key, class: kind });
  }
  return { looks, sources, isCompacted };
}

/**
 * Twenty rounds on each side of every compaction; fewer, and equally many on both sides, where the conversation begins
 * or ends or another compaction stands there.
 */
export function rereadWindows(rounds: readonly RoundLooks[]): readonly RereadWindow[] {
  const firstSeen = new Map<number, number>();
  for (const [round, { sources }] of rounds.entries()) {
    for (const key of sources) if (!firstSeen.has(key)) firstSeen.set(key, round);
  }
  const rereads = (from: number, length: number): readonly Reread[] =>
    rounds
      .slice(from, from + length)
      .flatMap(({ looks }, at) =>
        looks
          .filter(({ key }) => (firstSeen.get(key) ?? from) < from)
          .map((look) => ({ ...look, round: from + at })),
      );
  const starts = rounds.flatMap(({ isCompacted }, round) => (isCompacted ? [round] : []));
  return starts.flatMap((start, at) => {
    const before = start - (starts[at - 1] ?? 0);
    const after = (starts[at + 1] ?? rounds.length) - start;
    const length = Math.min(MOST_ROUNDS, before, after);
    if (length === 0) return [];
    return [{ start, length, after: rereads(start, length), before: rereads(start - length, length) }];
  });
}
