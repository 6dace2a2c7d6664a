import { isBilledCallsRecord, readBilledCalls, type BilledCall } from "../../messages/billed-calls.js";
import { billedUsage, figure } from "../../messages/billed-usage.js";
import type { QuerySource } from "../../messages/call/query-source.js";
import { asFields, isFields } from "../../messages/fields.js";
import type { AssistantMessage, Message } from "../../messages/message.js";
import { isPinnedCopy } from "../../messages/pinned.js";
import { isCompactBoundary, isSyntheticError, preservedSegmentOf } from "../../messages/predicates.js";
import { isWholeTotals, type TotalsRecord } from "../../messages/totals-record.js";
import { undoneBoundary } from "../../messages/transcript/live.js";
import {
  addCall,
  emptyAccount,
  sumWith,
  type Account,
  type AccountLine,
  type AccountSum,
} from "../money/account.js";
import { sourceBeside } from "../money/bill-call.js";
import { promptTokens } from "../money/price-call.js";

/** What a conversation with these live messages has cost: what was added up last, and the calls since. */
export function accountIn(messages: readonly Message[], source: QuerySource): Account {
  const at = messages.findLastIndex(isWholeTotals);
  const { totals } = (messages[at] ?? {}) as Partial<TotalsRecord>;
  const before = at === -1 ? emptyAccount : readAccount(asFields(totals)["account"]);
  const since = at === -1 ? sinceBoundary(messages) : messages.slice(at + 1);
  return callsToldBy(since, source).reduce(addCall, before);
}

/** Of live messages in which nothing was added up: the last boundary and what is newer than it. */
function sinceBoundary(messages: readonly Message[]): readonly Message[] {
  const at = messages.findLastIndex(isCompactBoundary);
  const boundary = messages[at];
  if (boundary === undefined || !isCompactBoundary(boundary)) return messages;
  const segment = preservedSegmentOf(boundary);
  const tail = messages.findLastIndex(({ uuid }) => uuid === segment?.tailUuid);
  return [boundary, ...messages.slice(Math.max(at, tail) + 1)];
}

/**
 * Every call that messages tell of, once: responses, however many lines they have; calls for summaries, as boundaries tell
 * of them; and what stands in records of its own. `source` is whose conversation it is.
 */
export function callsToldBy(messages: readonly Message[], source: QuerySource): readonly BilledCall[] {
  const calls: BilledCall[] = [];
  /** Of the response whose pieces come: the last one has its final usage. */
  let last: BilledCall | undefined;
  let lastId: unknown;
  /** When a compaction was taken back: what is older and stands after it is a copy. */
  let copiedAt = "";
  for (const message of messages) {
    if (message.isSidechain === true) continue;
    if (undoneBoundary(message) !== undefined) copiedAt = message.timestamp;
    const isCopy = message.timestamp < copiedAt || isPinnedCopy(message);
    if (message.type === "assistant" && !isCopy && !isSyntheticError(message)) {
      const told = responseIn(message, source);
      if (told === undefined) continue;
      if (lastId === message.message.id)
        calls.splice(
          calls.findLastIndex((call) => call === last),
          1,
        );
      lastId = message.message.id;
      last = told;
      calls.push(told);
    } else if (isCompactBoundary(message)) {
      calls.push(...readBilledCalls(message.compactMetadata?.summaryCalls, sourceBeside(source, "compact")));
    } else if (isBilledCallsRecord(message)) {
      calls.push(...readBilledCalls(asFields(message)["billedCalls"], source));
    }
  }
  return calls;
}

/** Where nothing was reported, a record tells of it. */
function responseIn({ message }: AssistantMessage, source: QuerySource): BilledCall | undefined {
  const [call] = readBilledCalls([{ model: message?.model, usage: message?.usage }], source);
  return call !== undefined && promptTokens(billedUsage(call.usage)) > 0 ? call : undefined;
}

/** An account as it was stored; what makes no sense counts as nothing. */
function readAccount(lines: unknown): Account {
  return {
    lines: (Array.isArray(lines) ? lines : []).flatMap((line: unknown): readonly AccountLine[] => {
      if (!isFields(line)) return [];
      const { model, source } = line;
      if (typeof model !== "string" || typeof source !== "string") return [];
      return [{ model, source, ...readSum(line), estimated: readSum(asFields(line["estimated"])) }];
    }),
  };
}

const readSum = (fields: Readonly<Record<string, unknown>>): AccountSum =>
  sumWith((name) => figure(fields[name]));
