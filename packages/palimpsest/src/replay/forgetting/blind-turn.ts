import type { ContextLookup } from "./context-lines.js";
import type { TurnNeeds } from "./needs.js";
import type { Block, SourceClass } from "./sources.js";
import { keyOf } from "./lines.js";

/** A source of which something was missing in the context of a turn. */
export interface MissingSource {
  readonly key: number;
  readonly class: SourceClass;
  readonly label: string;
  readonly path?: string;
  /** The block in which it stood last; -1 where it is not known. */
  readonly block: number;
  /** The turn of that block. */
  readonly turn: number;
  /** The first call that needed it. */
  readonly tool: string;
  readonly lines: readonly { readonly key: number; readonly line: string; readonly block: number }[];
  readonly paths: readonly string[];
  /** The host would refuse an edit of it, whatever lines are known: it was not read since it was forgotten. */
  readonly isUnread: boolean;
}

/** What was forgotten at a turn. */
export interface BlindTurn {
  /** In the order in which the response needs them. */
  readonly missing: readonly MissingSource[];
  readonly edits: number;
  /** Edits of whose text to be replaced a line was missing. */
  readonly blindEdits: number;
  /** Edits that the host would refuse because it no longer holds the file as read. */
  readonly unreadEdits: number;
  /** Something had to be remembered. */
  readonly isNeeded: boolean;
  /** A line or a path was missing. */
  readonly isBlind: boolean;
}

/** What the context of a turn is asked. */
export interface TurnContext {
  readonly lines: ContextLookup;
  readonly isPathMissing: (path: string) => boolean;
  /** The host's read-state; undefined: it holds the files whose calls stand in the context. */
  readonly holdsFile?: ((path: string) => boolean) | undefined;
}

type Open = { -readonly [Key in keyof MissingSource]: MissingSource[Key] } & {
  lines: MissingSource["lines"][number][];
  paths: string[];
};

export function judgeTurn({ lines, paths, edits }: TurnNeeds, context: TurnContext): BlindTurn {
  const missing = new Map<number, Open>();
  const open = (from: Block, tool: string): Open => {
    let source = missing.get(from.key);
    if (source === undefined) {
      const { key, class: kind, label, path, block, turn } = from;
      source = { key, class: kind, label, block, turn, tool, lines: [], paths: [], isUnread: false };
      if (path !== undefined) source.path = path;
      missing.set(key, source);
    } else if (from.block > source.block) {
      source.block = from.block;
      source.turn = from.turn;
    }
    return source;
  };
  const blindCalls = new Set<number>();
  for (const { key, line, from, tool, call, isReplaced } of lines) {
    if (context.lines.has(key)) continue;
    const source = open(from, tool);
    if (!source.lines.some((one) => one.key === key)) source.lines.push({ key, line, block: from.block });
    if (isReplaced) blindCalls.add(call);
  }
  for (const { path, tool, from } of paths) {
    if (context.isPathMissing(path)) open(from ?? unknownPlace(path), tool).paths.push(path);
  }
  const isBlind = missing.size > 0;
  let unreadEdits = 0;
  for (const { tool, file } of edits) {
    if (file === undefined) continue;
    const isHeld = context.holdsFile?.(file.path) ?? context.lines.has(file.key);
    if (isHeld) continue;
    unreadEdits += 1;
    open(file.from, tool).isUnread = true;
  }
  return {
    missing: [...missing.values()],
    edits: edits.length,
    blindEdits: blindCalls.size,
    unreadEdits,
    isNeeded: lines.length > 0 || paths.length > 0,
    isBlind,
  };
}

/** A path that nobody can place is looked for: a listing of files gives it back. */
const unknownPlace = (path: string): Block => ({
  class: "again",
  key: keyOf(`path ${path}`),
  label: path,
  block: -1,
  turn: -1,
});
