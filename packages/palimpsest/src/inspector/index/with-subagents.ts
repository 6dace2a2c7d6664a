import type { BilledCall, Message } from "@palimpsest/core";
import { isBilledCallsRecord } from "@palimpsest/core/engine";
import { billedUsage } from "@palimpsest/core/protocols";
import { callsToldIn, recordedCalls } from "../../replay/recorded-calls.js";
import type { IndexedMessage } from "./indexed-message.js";
import type { ScannedRecording } from "./scan-recording.js";

/** What was scanned of a subagent's own file. */
export interface ScannedSubagent {
  readonly agent: string;
  readonly scanned: ScannedRecording;
}

/**
 * A recording with its subagents, whose words stand in files of their own, as lanes of it: in the order in which things were said. A
 * place names its file by its number, where the recording itself is none. What the recording tells of a subagent's calls is their
 * bill: each call is counted once, with its subagent where that has it too.
 */
export function withSubagents(
  main: ScannedRecording,
  subagents: readonly ScannedSubagent[],
): ScannedRecording {
  if (subagents.length === 0) return main;
  const bills = billsOf(main);
  const lists = subagents.map(({ agent, scanned: { messages } }, at) => {
    const calls = recordedCalls(messages.map(({ message }) => message));
    const sources = calls.flatMap((call) => takeBill(bills, call) ?? []);
    const name = `${kindOf(sources)}${agent}`;
    return messages.map(({ message, place, blocks }): IndexedMessage => ({
      place: { ...place, file: at + 1 },
      message: Object.assign({}, message, { isSidechain: true, agentId: name }),
      blocks,
    }));
  });
  return {
    ...main,
    messages: inTime([main.messages.map((one) => withoutBills(one, bills.taken)), ...lists]),
    damagedLines: subagents.reduce((sum, { scanned }) => sum + scanned.damagedLines, main.damagedLines),
    heads: {
      ...main.heads,
      requests: [main, ...subagents.map(({ scanned }) => scanned)].flatMap(({ heads }) => heads.requests),
    },
  };
}

interface Bills {
  /** By what they are for: those that nobody has taken yet. */
  readonly open: Map<string, BilledCall[]>;
  readonly taken: Set<BilledCall>;
}

const FROM_SUBAGENT = /^agent:/;

/** What a conversation was charged for its subagents. */
function billsOf({ messages }: ScannedRecording): Bills {
  const open = new Map<string, BilledCall[]>();
  for (const { message } of messages) {
    for (const call of chargesIn(message)) {
      if (!FROM_SUBAGENT.test(call.source)) continue;
      const key = keyOf(call);
      open.set(key, [...(open.get(key) ?? []), call]);
    }
  }
  return { open, taken: new Set() };
}

const charges = new WeakMap<Message, readonly BilledCall[]>();

/** The same objects each time: a bill is known by itself. */
function chargesIn(message: Message): readonly BilledCall[] {
  if (!isBilledCallsRecord(message)) return [];
  const known = charges.get(message) ?? callsToldIn(message)?.calls ?? [];
  charges.set(message, known);
  return known;
}

const keyOf = ({ model, usage }: BilledCall): string => JSON.stringify([model, billedUsage(usage)]);

/** Takes the bill of a call; gives whose it is. Undefined where the conversation has not been told of it yet. */
function takeBill({ open, taken }: Bills, call: BilledCall): string | undefined {
  const bill = open.get(keyOf(call))?.shift();
  if (bill !== undefined) taken.add(bill);
  return bill?.source;
}

/** Of which kind a subagent is, as its bills say. */
function kindOf(sources: readonly string[]): string {
  const [, kind] = /^agent:([^/]+)/.exec(sources[0] ?? "") ?? [];
  return kind === undefined ? "" : `${kind} `;
}

function withoutBills(one: IndexedMessage, taken: ReadonlySet<BilledCall>): IndexedMessage {
  const calls = chargesIn(one.message);
  const left = calls.filter((call) => !taken.has(call));
  if (left.length === calls.length) return one;
  return { ...one, message: Object.assign({}, one.message, { billedCalls: left }) };
}

/** One list of several, each in its own order: next comes whichever was said first. */
function inTime(lists: readonly (readonly IndexedMessage[])[]): readonly IndexedMessage[] {
  const times = lists.map(timesOf);
  const at = lists.map(() => 0);
  const merged: IndexedMessage[] = [];
  for (;;) {
    let next = -1;
    for (const list of lists.keys()) {
      const time = times[list]?.[at[list] ?? 0];
      if (time === undefined) continue;
      if (next < 0 || time < (times[next]?.[at[next] ?? 0] ?? Infinity)) next = list;
    }
    const message = lists[next]?.[at[next] ?? 0];
    if (message === undefined) return merged;
    merged.push(message);
    at[next] = (at[next] ?? 0) + 1;
  }
}

/** When each was said; never before what stands before it. */
function timesOf(list: readonly IndexedMessage[]): readonly number[] {
  let latest = Number.NEGATIVE_INFINITY;
  return list.map(({ message: { timestamp } }) => {
    const time = Date.parse(timestamp);
    if (time > latest) latest = time;
    return latest;
  });
}
