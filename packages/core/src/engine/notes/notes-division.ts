import type { Message } from "../../messages/message.js";
import { isCompactBoundary } from "../../messages/predicates.js";
import type { Estimator } from "../ports/estimator.js";
import type { Settings } from "../settings/settings.js";
import { cutAtOrBefore, hasContent } from "../summarise/divide/rounds.js";
import type { Division } from "../summarise/run/division.js";

export interface NotesDivisionOptions {
  /** The last message that the notes cover. */
  readonly coveredUuid: string;
  readonly estimator: Estimator;
  readonly settings: Pick<Settings, "notesKeepTokens" | "notesKeepMessages" | "notesKeepMostTokens">;
}

/**
 * What a compaction from notes keeps: everything after the covered message, and before it as much as it takes
 * for the kept part to have enough tokens and enough messages with text, never past the last boundary, and never
 * through a pair or a response. Undefined where the covered message is gone, or stands before the last boundary with
 * others after it that nobody has noted, or nothing would be left out.
 */
export function divideForNotes(
  live: readonly Message[],
  { coveredUuid, estimator, settings }: NotesDivisionOptions,
): Division | undefined {
  const covered = live.findLastIndex(({ uuid }) => uuid === coveredUuid);
  if (covered === -1) return undefined;
  const least = live.findLastIndex(isCompactBoundary) + 1;
  if (hasContent(live.slice(covered + 1, least))) return undefined;
  let start = Math.max(covered + 1, least);
  let tokens = live.slice(start).reduce((sum, message) => sum + estimator.message(message), 0);
  let texts = live.slice(start).filter(hasText).length;
  const isEnough = (): boolean => tokens >= settings.notesKeepTokens && texts >= settings.notesKeepMessages;
  while (start > least && !isEnough()) {
    const message = live[start - 1];
    if (message === undefined) break;
    const more = estimator.message(message);
    if (tokens + more > settings.notesKeepMostTokens) break;
    tokens += more;
    texts += hasText(message) ? 1 : 0;
    start -= 1;
  }
  const at = Math.max(least, cutAtOrBefore(live, start));
  const summarised = live.slice(0, at);
  if (!hasContent(summarised)) return undefined;
  return { variant: "up_to", summarised, kept: live.slice(at) };
}

/** A message in which somebody says something. */
function hasText(message: Message): boolean {
  if (message.type !== "user" && message.type !== "assistant") return false;
  const content: unknown = message.message.content;
  if (typeof content === "string") return content.trim() !== "";
  return (
    Array.isArray(content) &&
    content.some(
      (block: unknown) =>
        typeof block === "object" &&
        block !== null &&
        "text" in block &&
        typeof block.text === "string" &&
        block.text.trim() !== "",
    )
  );
}
