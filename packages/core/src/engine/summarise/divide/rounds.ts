import { isLateAnswer } from "../../../messages/late-answer.js";
import type { Message } from "../../../messages/message.js";
import { isSyntheticError, reachesModel } from "../../../messages/predicates.js";

/**
 * The messages in groups that must stay together: what stands before the first response, then each response
 * with all its pieces, the results of its calls and whatever was said after it.
 */
export function groupByRound(messages: readonly Message[]): readonly (readonly Message[])[] {
  const groups: Message[][] = [];
  const groupOfCall = new Map<string, Message[]>();
  let current: Message[] | undefined;
  let currentId: string | undefined;
  for (const message of messages) {
    if (message.type === "assistant" && !isSyntheticError(message)) {
      const { id, content } = message.message;
      if (current === undefined || id !== currentId) {
        current = [];
        groups.push(current);
        currentId = id;
      }
      for (const block of Array.isArray(content) ? content : []) {
        if (block?.type === "tool_use") groupOfCall.set(block.id, current);
      }
    } else if (current === undefined) {
      current = [];
      groups.push(current);
    }
    current.push(message);
  }
  return mergeSplitRounds(groups, groupOfCall);
}

/** Groups whose calls are answered in a later one belong together with everything between. */
function mergeSplitRounds(
  groups: readonly Message[][],
  groupOfCall: ReadonlyMap<string, Message[]>,
): readonly (readonly Message[])[] {
  const places = new Map(groups.map((group, index) => [group, index]));
  const firstOfId = new Map<string, number>();
  // Where each group's furthest connection backwards leads.
  const reaches = groups.map((group, index) => {
    let least = index;
    for (const message of group) {
      if (message.type === "assistant") {
        const { id } = message.message;
        const first = firstOfId.get(id) ?? index;
        firstOfId.set(id, first);
        least = Math.min(least, first);
      }
      for (const id of resultIds(message)) {
        const caller = groupOfCall.get(id);
        const place = caller === undefined ? undefined : places.get(caller);
        if (place !== undefined) least = Math.min(least, place);
      }
    }
    return least;
  });
  const merged: Message[][] = [];
  let end = groups.length;
  while (end > 0) {
    let start = end - 1;
    for (let at = end - 1; at >= start; at -= 1) start = Math.min(start, reaches[at] ?? at);
    merged.push(groups.slice(start, end).flat());
    end = start;
  }
  return merged.toReversed();
}

const resultIds = (message: Message): readonly string[] => {
  const content: unknown = message.type === "user" ? message.message.content : undefined;
  return Array.isArray(content)
    ? content.flatMap((block: unknown) =>
        typeof block === "object" &&
        block !== null &&
        "tool_use_id" in block &&
        typeof block.tool_use_id === "string"
          ? [block.tool_use_id]
          : [],
      )
    : [];
};

/**
 * The nearest place at or before `index` where the list can be cut: no call is parted from its result, no
 * response from its pieces, and none from what was said while it was on its way.
 */
export const cutAtOrBefore = (messages: readonly Message[], index: number): number =>
  beforeLateAnswer(messages, cutBetweenRounds(messages, index));

/** What was said while a response was on its way is stored before it: a stretch that has the one has the other. */
export function beforeLateAnswer(messages: readonly Message[], index: number): number {
  const kept = new Set(messages.slice(index).map(({ uuid }) => uuid));
  const late = messages.findIndex(
    (message, at) => at < index && isLateAnswer(message) && message.overtakes.some((uuid) => kept.has(uuid)),
  );
  return late === -1 ? index : late;
}

function cutBetweenRounds(messages: readonly Message[], index: number): number {
  let start = 0;
  for (const group of groupByRound(messages)) {
    const end = start + group.length;
    // Between a response's last result and what was said after it the list may be cut too.
    if (index < end) return Math.max(start, cutWithin(group, index - start) + start);
    start = end;
  }
  return Math.min(index, start);
}

/** Within a round: only after the last piece and the last result. */
function cutWithin(group: readonly Message[], index: number): number {
  const lastBound = group.findLastIndex(
    (message) => message.type === "assistant" || resultIds(message).length > 0,
  );
  const isFirst = group.every((message) => message.type !== "assistant");
  return index > lastBound || isFirst ? index : 0;
}

/** Whether there is anything that a model would see. */
export const hasContent = (messages: readonly Message[]): boolean =>
  messages.some((message) => reachesModel(message) && message.type !== "system");
