import { createSystemMessage, type MessageOrigin } from "../../../messages/construct.js";
import type { Message } from "../../../messages/message.js";
import { isTotals } from "../../../messages/totals-record.js";
import { isThinkingBlock } from "../../../messages/predicates.js";
import { isClearingBoundary } from "../../boundaries/clearing-boundary.js";
import { isMediaBoundary } from "../../boundaries/media-boundary.js";
import { isOversizeBoundary } from "../../boundaries/oversize-boundary.js";
import type { Compacted } from "../run/compaction.js";

/** A conversation without its last compaction. */
export interface Undone {
  readonly kind: "undone";
  /** The messages before the compaction, the same objects, and what was said since. */
  readonly live: readonly Message[];
  /** What is to be appended to the transcript, in this order. */
  readonly stored: readonly Message[];
}

export interface NotUndone {
  readonly kind: "failed";
  readonly reason: "too_large" | "nothing_to_undo";
  /** One sentence. */
  readonly message: string;
}

export interface UndoInput {
  /** The live messages before the compaction, as they were handed to it. */
  readonly before: readonly Message[];
  readonly compacted: Pick<Compacted, "boundary" | "live" | "stored">;
  /** The live messages now. */
  readonly now: readonly Message[];
  /** Tokens that the messages would have, and those that still fit. */
  readonly tokens: (messages: readonly Message[]) => number;
  readonly mostTokens: number;
  /** Thinking is bound to what stands before it: what was thought since the compaction goes. */
  readonly isThinkingBound?: boolean;
}

/**
 * Takes a compaction back: it was an overlay on a log in which everything before it still stands. What was
 * said since moves after it as copies, because lines of a log never change.
 */
export function undoCompaction(
  { before, compacted, now, tokens, mostTokens, isThinkingBound = false }: UndoInput,
  origin: Omit<MessageOrigin, "parentUuid">,
): Undone | NotUndone {
  if (!now.includes(compacted.boundary)) {
    const message = "That compaction is not part of this conversation any more.";
    return { kind: "failed", reason: "nothing_to_undo", message };
  }
  const known = new Set(compacted.live.map(({ uuid }) => uuid));
  // What clearings did is in the content already: their boundaries would clear the originals.
  const since = now.filter((message) => !known.has(message.uuid) && !isOverlay(message));
  const needed = tokens([...before, ...since]);
  if (needed > mostTokens) {
    const message = `The messages before the compaction have ${needed} tokens and no longer fit into ${mostTokens}.`;
    return { kind: "failed", reason: "too_large", message };
  }
  const marker = {
    ...createSystemMessage(
      { ...origin, parentUuid: before.at(-1)?.uuid ?? null },
      { subtype: "compact_undone", content: "Compaction undone", level: "info" },
    ),
    undoneBoundary: compacted.boundary.uuid,
  };
  let parentUuid = marker.uuid;
  const suffix = `_${marker.uuid.replaceAll(/[^\w-]/g, "").slice(-8)}`;
  const copies = since.flatMap((message): readonly Message[] => {
    const renamed = renameIds(message, { suffix, isThinkingBound });
    if (renamed === undefined) return [];
    const copy = { ...renamed, uuid: origin.ids.next(), parentUuid };
    parentUuid = copy.uuid;
    return [copy];
  });
  const stored = [marker, ...copies];
  return { kind: "undone", live: [...before, ...stored], stored };
}

const isOverlay = (message: Message): boolean =>
  isClearingBoundary(message) || isMediaBoundary(message) || isOversizeBoundary(message) || isTotals(message);

/** Pieces and results find each other by their ids: those of copies must not find the originals. */
function renameIds(
  message: Message,
  { suffix, isThinkingBound }: { readonly suffix: string; readonly isThinkingBound: boolean },
): Message | undefined {
  if (message.type === "assistant") {
    // What it used was for the compacted context, and is told of where it was answered.
    const { content, id, usage: _usage, ...rest } = message.message;
    const kept = isThinkingBound ? content.filter((block) => !isThinkingBlock(block)) : content;
    if (kept.length === 0 && content.length > 0) return undefined;
    const blocks = kept.map((block) =>
      block.type === "tool_use" ? { ...block, id: block.id + suffix } : block,
    );
    return { ...message, message: { ...rest, id: id + suffix, content: blocks } };
  }
  if (message.type !== "user" || typeof message.message.content === "string") return message;
  const content = message.message.content.map((block) =>
    block.type === "tool_result" ? { ...block, tool_use_id: block.tool_use_id + suffix } : block,
  );
  return { ...message, message: { ...message.message, content } };
}
