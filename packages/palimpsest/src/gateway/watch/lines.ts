import { isSameMessage, sharedDepth, type PrefixNode } from "@palimpsest/core/tree";
import type { Head } from "./heads.js";
import type { HeldMessages } from "./held-messages.js";

/** A line of requests that each go on from the one before: one path through the tree of beginnings. */
export interface Line {
  /** Of this line alone; what the watch of the cache knows it by. */
  readonly id: string;
  /** Shared by lines that begin alike and go different ways. */
  readonly conversation: string;
  readonly lane: string;
  /** When the newest answer had come to its end. */
  answeredAt: number;
}

/** A line, and what its newest request had. */
export interface KeptLine extends Line {
  /** Lines of one lane that begin with the same message. */
  readonly group: string;
  node: PrefixNode;
  head: Head;
  held: HeldMessages;
}

interface Match {
  readonly line: KeptLine;
  readonly goesOn: boolean;
}

/** The line that shares most; of several the one that is most alike, then the newest. One that goes on comes before all others. */
export function bestOf(
  lines: readonly KeptLine[],
  node: PrefixNode,
  { shape }: Pick<Head, "shape">,
): Match | undefined {
  const scored = lines.flatMap((line) => {
    const alike = shape.filter((part, index) => part === line.head.shape[index]).length;
    // The same words to another model under another prompt with other tools: a title, a classifier.
    const shared = alike === 0 ? 0 : sharedDepth(line.node, node);
    return shared === 0 ? [] : [{ line, shared, score: shared * 4 + alike }];
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
    if (one.message !== undefined && other.message !== undefined && isSameMessage(one.message, other.message))
      return true;
    [one, other] = [one.parent, other.parent];
  }
  return false;
}

/** The first message of a path; undefined where it has none. */
export function firstOf(node: PrefixNode): PrefixNode | undefined {
  let at: PrefixNode | undefined = node.message === undefined ? undefined : node;
  while (at !== undefined && at.depth > 1) at = at.parent;
  return at;
}
