import { blocksIn } from "../../messages/fields.js";
import type { Message } from "../../messages/message.js";
import { isPinnedCopy } from "../../messages/pinned.js";
import { isSyntheticError } from "../../messages/predicates.js";

/**
 * Where the part of the list begins that the model has not answered yet: what was said after its last response and,
 * where that holds results of calls, the response that made them. What a compaction wrote does not count: neither the
 * summary nor the state right after it. The length of the list where nothing waits for an answer. The list may be cut
 * there: no call is parted from its result and no response from its pieces.
 */
export function unansweredFrom(live: readonly Message[]): number {
  const after = live.findLastIndex(isSummary) + 1;
  const list = live.slice(after);
  const lastResponse = list.findLastIndex(isResponse);
  const last = list[lastResponse];
  const first = last === undefined ? 0 : firstPiece(list, last);
  const round = startOfCalls(list, first);
  if (round !== undefined) return after + round;
  const said = list.findIndex((message, at) => at > lastResponse && isSaid(message));
  return said === -1 ? live.length : after + said;
}

/** What the model has not answered yet. */
export const unansweredIn = (live: readonly Message[]): readonly Message[] =>
  live.slice(unansweredFrom(live));

/** What a compaction puts in the place of a conversation: our summary, or the provider's own. */
export function isSummary(message: Message): boolean {
  if (message.type === "user") return message.isCompactSummary === true;
  return message.type === "assistant" && blocksIn(message.message?.content)[0]?.["type"] === "compaction";
}

export const isResponse = (message: Message): boolean =>
  message.type === "assistant" && !isSyntheticError(message) && !isSummary(message);

/** Whether it waits for an answer itself, rather than stand beside what does. */
const isSaid = (message: Message): boolean =>
  (message.type === "user" && !isPinnedCopy(message)) ||
  (message.type === "attachment" && message.attachment?.type === "queued_command");

/** Where the calls begin whose results stand at or after `start`; undefined where there are no results. */
function startOfCalls(list: readonly Message[], start: number): number | undefined {
  const calls = new Map<unknown, number>();
  for (const [at, message] of list.entries()) {
    if (message.type !== "assistant") continue;
    for (const block of blocksIn(message.message?.content))
      if (block["type"] === "tool_use") calls.set(block["id"], at);
  }
  let least: number | undefined;
  for (let at = list.length - 1; at >= (least ?? start); at -= 1) {
    const message = list[at];
    if (message?.type === "assistant") {
      if (least !== undefined) least = Math.min(least, firstPiece(list, message));
    } else if (message?.type === "user") {
      for (const block of blocksIn(message.message?.content)) {
        const call = calls.get(block["tool_use_id"]);
        if (call !== undefined) least = Math.min(least ?? start, call);
      }
    }
  }
  return least === undefined ? undefined : Math.min(least, start);
}

function firstPiece(list: readonly Message[], message: Message): number {
  const id = message.type === "assistant" ? message.message?.id : undefined;
  return list.findIndex((other) =>
    other.type === "assistant" && id !== undefined ? other.message?.id === id : other === message,
  );
}
