import { nameSpans } from "../measures/reference-spans.js";
import { holdsWhole } from "../measures/text-index.js";
import type { Block } from "./sources.js";

/** Where each path of a conversation stood last. */
export interface PathIndex {
  readonly add: (text: string, block: Block) => void;
  /** The latest block in which the path stood, by itself or as a part of a longer one; undefined where it is not known. */
  readonly find: (path: string) => Block | undefined;
}

/** Beyond it no new path is taken in. */
const MOST_PATHS = 200_000;

export function createPathIndex(): PathIndex {
  const latest = new Map<string, Block>();
  const byPart = new Map<string, string[]>();
  const partsOf = (path: string): readonly string[] => path.split(/[\\/]/).filter((part) => part !== "");

  return {
    add(text, block) {
      for (const { kind, start, end } of nameSpans(text)) {
        if (kind !== "path") continue;
        const path = text.slice(start, end);
        if (!latest.has(path)) {
          if (latest.size >= MOST_PATHS) continue;
          for (const part of new Set(partsOf(path))) {
            const together = byPart.get(part);
            if (together === undefined) byPart.set(part, [path]);
            else together.push(path);
          }
        }
        latest.set(path, block);
      }
    },

    find(path) {
      let fewest: readonly string[] | undefined;
      // The ends of a path that was cut may be ends of longer parts: only whole ones are looked up.
      for (const part of partsOf(path)) {
        const together = byPart.get(part);
        if (together !== undefined && (fewest === undefined || together.length < fewest.length)) {
          fewest = together;
        }
      }
      let found = latest.get(path);
      for (const candidate of fewest ?? []) {
        const block = latest.get(candidate);
        if (block !== undefined && block.block > (found?.block ?? -1) && holdsWhole(candidate, path)) {
          found = block;
        }
      }
      return found;
    },
  };
}
