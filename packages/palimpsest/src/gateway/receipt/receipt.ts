import { accountTotal, type Account, type AccountTotal } from "@palimpsest/core";
import { addCall, emptyAccount } from "@palimpsest/core/engine";
import type { BreakRecord, ExchangeRecord } from "./exchange-record.js";

/** What one day has cost, in UTC. */
export interface DayFigures {
  readonly requests: number;
  readonly cost: number;
}

/** What breaks of one kind have cost. */
export interface BreakFigures {
  readonly count: number;
  readonly lostTokens: number;
  readonly cost: number;
}

/** A break, and when it was seen. */
export interface NotedBreak extends BreakRecord {
  readonly at: number;
  readonly conversation: string;
}

/** What one lane has cost: a client's session, or one of its subagents. */
export interface LaneFigures {
  readonly id: string;
  readonly requests: number;
  readonly cost: number;
}

/** What one conversation has cost. */
export interface ConversationFigures extends LaneFigures {
  readonly lane?: string;
}

/** What went through a gateway so far. A value: adding to it gives another one; it survives JSON. */
export interface Receipt {
  /** When the gateway began, in milliseconds. */
  readonly since: number;
  readonly requests: number;
  /** Passed on to the last byte as they came. */
  readonly identical: number;
  /** Passed on while the mode was `off`: nothing is known of them. */
  readonly unwatched: number;
  /** Answers with a status of 400 and more, errors within streams, and exchanges that did not come to their end. */
  readonly errors: number;
  /** Of them, by their type. */
  readonly errorTypes: Readonly<Record<string, number>>;
  /** Under way when a proxy died: the upstream may bill them. */
  readonly lost: number;
  /** Exchanges of which it could not be read what they used, by the reason. */
  readonly unread: Readonly<Record<string, number>>;
  /** Exchanges that a recording lacks, by the reason. */
  readonly unrecorded: Readonly<Record<string, number>>;
  /** Billed ones of which it is not known to which conversation they belong: their requests were not kept. */
  readonly unplaced: number;
  /** Questions of how many tokens a prompt has: they cost nothing. */
  readonly tokenCounts: number;
  /** What is billed, by model; the source says who pays. */
  readonly account: Account;
  readonly days: Readonly<Record<string, DayFigures>>;
  /** How many there were; begun again by a client that compacts by itself, it is another one. */
  readonly conversations: number;
  readonly lanes: number;
  /** Lines of requests that are no longer remembered, because there were too many since. */
  readonly forgotten: number;
  /** The part of the dollars that subagents have cost. */
  readonly subagentCost: number;
  /** The others together, and those that were heard of last, the newest at the end. */
  readonly conversationCosts: readonly ConversationFigures[];
  /** Likewise. */
  readonly laneCosts: readonly LaneFigures[];
  readonly breaks: Readonly<Record<string, BreakFigures>>;
  /** The newest ones. */
  readonly newestBreaks: readonly NotedBreak[];
  /** The newest headers that say what is left of a subscription. */
  readonly quota: Readonly<Record<string, string>>;
}

/** Who pays for a call, as an account's source. */
export const PAYERS = { key: "api-key", subscription: "subscription" } as const;

export const emptyReceipt = (since: number): Receipt => ({
  since,
  requests: 0,
  identical: 0,
  unwatched: 0,
  errors: 0,
  errorTypes: {},
  lost: 0,
  unread: {},
  unrecorded: {},
  unplaced: 0,
  tokenCounts: 0,
  account: emptyAccount,
  days: {},
  conversations: 0,
  lanes: 0,
  forgotten: 0,
  subagentCost: 0,
  conversationCosts: [],
  laneCosts: [],
  breaks: {},
  newestBreaks: [],
  quota: {},
});

/** The receipt with one more exchange. */
export function addExchange(receipt: Receipt, record: ExchangeRecord): Receipt {
  const { call, unread, quota } = record;
  const error = errorOf(record);
  const account =
    call === undefined
      ? receipt.account
      : addCall(receipt.account, {
          ...call,
          source: record.isSubscription ? PAYERS.subscription : PAYERS.key,
        });
  const day = new Date(record.at).toISOString().slice(0, 10);
  const before = receipt.days[day] ?? { requests: 0, cost: 0 };
  const cost =
    account === receipt.account ? 0 : accountTotal(account).dollars - accountTotal(receipt.account).dollars;
  return {
    ...receipt,
    requests: receipt.requests + 1,
    identical: receipt.identical + (record.isIdentical ? 1 : 0),
    errors: receipt.errors + (error === undefined ? 0 : 1),
    errorTypes: counted(receipt.errorTypes, error),
    unread: counted(receipt.unread, unread),
    unrecorded: counted(receipt.unrecorded, record.unrecorded),
    unplaced: receipt.unplaced + (record.isUnplaced === true ? 1 : 0),
    tokenCounts: receipt.tokenCounts + (record.endpoint === "count-tokens" ? 1 : 0),
    account,
    days: { ...receipt.days, [day]: { requests: before.requests + 1, cost: before.cost + cost } },
    quota: { ...receipt.quota, ...quota },
    ...(record.conversation === undefined ? {} : withConversation(receipt, record, cost)),
  };
}

const MOST_CONVERSATIONS = 100;
const MOST_BREAKS = 20;
/** Conversations and lanes that no longer have a line of their own. */
const OTHERS = "others";

type OfConversations = Pick<
  Receipt,
  | "conversations"
  | "lanes"
  | "forgotten"
  | "subagentCost"
  | "conversationCosts"
  | "laneCosts"
  | "breaks"
  | "newestBreaks"
>;

function withConversation(
  receipt: Receipt,
  { at, conversation, found }: ExchangeRecord,
  cost: number,
): OfConversations {
  const { id = OTHERS, isNew, isNewLane, isSubagent, lane, forgotten = 0 } = conversation ?? {};
  const reason = found?.reasons[0] ?? "unknown";
  const before = receipt.breaks[reason] ?? { count: 0, lostTokens: 0, cost: 0 };
  return {
    conversations: receipt.conversations + (isNew === true ? 1 : 0),
    lanes: receipt.lanes + (isNewLane === true ? 1 : 0),
    forgotten: receipt.forgotten + forgotten,
    subagentCost: receipt.subagentCost + (isSubagent === true ? cost : 0),
    conversationCosts: withCost(receipt.conversationCosts, {
      id,
      requests: 1,
      cost,
      ...(lane === undefined ? {} : { lane }),
    }),
    laneCosts: withCost(receipt.laneCosts, { id: lane ?? OTHERS, requests: 1, cost }),
    breaks:
      found === undefined
        ? receipt.breaks
        : {
            ...receipt.breaks,
            [reason]: {
              count: before.count + 1,
              lostTokens: before.lostTokens + found.lostTokens,
              cost: before.cost + found.cost,
            },
          },
    newestBreaks:
      found === undefined
        ? receipt.newestBreaks
        : [...receipt.newestBreaks, { ...found, at, conversation: id }].slice(-MOST_BREAKS),
  };
}

type Costs = Receipt["conversationCosts"];

/** One line each as long as they are few; the one that was longest not heard of goes to the others. */
function withCost(costs: Costs, more: ConversationFigures): Costs {
  const known = costs.find(({ id }) => id === more.id);
  if (known === undefined && costs.length >= MOST_CONVERSATIONS) {
    const oldest = costs.find(({ id }) => id !== OTHERS);
    if (oldest === undefined) return costs;
    const { requests, cost } = oldest;
    return withCost(withCost(without(costs, oldest), { id: OTHERS, requests, cost }), more);
  }
  const sum = known === undefined ? more : added(known, more);
  const rest = known === undefined ? costs : without(costs, known);
  return more.id === OTHERS ? [sum, ...rest] : [...rest, sum];
}

const added = (one: ConversationFigures, other: ConversationFigures): ConversationFigures => ({
  ...one,
  requests: one.requests + other.requests,
  cost: one.cost + other.cost,
});

const without = (costs: Costs, one: ConversationFigures): Costs => costs.filter((other) => other !== one);

/** The receipt with a request that nobody looked at. */
export const addUnwatched = (receipt: Receipt): Receipt => ({
  ...receipt,
  requests: receipt.requests + 1,
  identical: receipt.identical + 1,
  unwatched: receipt.unwatched + 1,
});

/** The receipt with requests that were under way when a proxy died. */
export const addLost = (receipt: Receipt, lost: number): Receipt => ({
  ...receipt,
  requests: receipt.requests + lost,
  lost: receipt.lost + lost,
});

/** All of the account, or what one payer pays of it. */
export const totalOf = ({ account }: Receipt, payer?: string): AccountTotal =>
  accountTotal({ lines: account.lines.filter(({ source }) => payer === undefined || source === payer) });

/** What went wrong with it; undefined where nothing did. */
export function errorOf({ end, status, error }: ExchangeRecord): string | undefined {
  if (error !== undefined) return error;
  if (status !== undefined && status >= 400) return `status ${status}`;
  if (end === "cut") return "cut off by the upstream";
  if (end === "unreachable") return "upstream not reached";
  return end === "aborted" ? "given up by the client" : undefined;
}

/** Names come from upstreams: of many, most are one. */
const MOST_NAMES = 40;
const LONGEST_NAME = 80;

function counted(
  counts: Readonly<Record<string, number>>,
  given: string | undefined,
): Readonly<Record<string, number>> {
  if (given === undefined) return counts;
  const short = given.slice(0, LONGEST_NAME);
  const name = Object.hasOwn(counts, short) || Object.keys(counts).length < MOST_NAMES ? short : "others";
  return { ...counts, [name]: (Object.hasOwn(counts, name) ? (counts[name] ?? 0) : 0) + 1 };
}
