import { priceOf } from "@palimpsest/core/totals";
import type { ConversationOverview } from "../contract.js";
import type { ContextList } from "../index/context-list.js";
import type { ConversationIndex } from "../index/conversation-index.js";
import { inputOf } from "../index/scale-parts.js";
import { partKinds } from "../index/trace-lane.js";
import type { TracedRequest } from "../index/trace-requests.js";

const ASSISTANT = partKinds.indexOf("assistant");

/** What the parts of all requests have cost together, by kind and by tool; the output is the assistant's. */
export function costsOf(index: ConversationIndex): Pick<ConversationOverview, "costByKind" | "costByTool"> {
  const byKind = partKinds.map(() => 0);
  /** Dollars for each estimated token in a request, by list and length. */
  const rates = new Map<ContextList, { readonly length: number; readonly rate: number }[]>();
  for (const request of index.traced.requests) {
    const { output, input } = dollarsOf(request);
    byKind[ASSISTANT] = (byKind[ASSISTANT] ?? 0) + output;
    const { kinds, factor } = index.parts[request.number] ?? { kinds: [], factor: 1 };
    const total = inputOf(request);
    if (total === 0) continue;
    for (const [kind, tokens] of kinds.entries())
      byKind[kind] = (byKind[kind] ?? 0) + (input * tokens) / total;
    const { context } = request;
    if (context === undefined) continue;
    const own = rates.get(context.list);
    const rate = { length: context.length, rate: (input / total) * factor };
    if (own === undefined) rates.set(context.list, [rate]);
    else own.push(rate);
  }
  return {
    costByKind: partKinds
      .map((kind, at) => ({ kind, cost: byKind[at] ?? 0 }))
      .filter(({ cost }) => cost > 0)
      .toSorted((a, b) => b.cost - a.cost),
    costByTool: toolCosts(index, rates),
  };
}

/** Input and output of a request in dollars; what has no price counts as nothing. */
function dollarsOf({ model, usage, cost }: TracedRequest): {
  readonly input: number;
  readonly output: number;
} {
  if (cost === null) return { input: 0, output: 0 };
  const price = priceOf(model, {
    input_tokens: usage.input,
    cache_read_input_tokens: usage.cacheRead,
    cache_creation_input_tokens: usage.cacheWrite5m + usage.cacheWrite1h,
    cache_creation: {
      ephemeral_5m_input_tokens: usage.cacheWrite5m,
      ephemeral_1h_input_tokens: usage.cacheWrite1h,
    },
    output_tokens: usage.output,
  });
  const output = price.kind === "priced" ? price.output : 0;
  return { input: cost - output, output };
}

type Rates = ReadonlyMap<ContextList, readonly { readonly length: number; readonly rate: number }[]>;

/** Calls and results, with what it cost that they were in the requests after them. */
function toolCosts(index: ConversationIndex, rates: Rates): ConversationOverview["costByTool"] {
  const names = new Map<string, string>();
  const tools = new Map<string, { calls: number; tokens: number; cost: number }>();
  const counted = new Set<number>();
  for (const [list, sums] of withBranches(rates)) {
    for (const [place, ordinal] of list.own()) {
      const isFirst = !counted.has(ordinal);
      counted.add(ordinal);
      for (const { type, name, call = "", tokens } of index.messages[ordinal]?.blocks ?? []) {
        const isCall = type === "tool_use";
        if (isCall) names.set(call, name ?? "unknown");
        if (!isCall && type !== "tool_result") continue;
        const tool = names.get(call) ?? "unknown";
        const share = tools.get(tool) ?? { calls: 0, tokens: 0, cost: 0 };
        tools.set(tool, {
          calls: share.calls + (isCall && isFirst ? 1 : 0),
          tokens: share.tokens + (isFirst ? tokens : 0),
          cost: share.cost + tokens * sums(place),
        });
      }
    }
  }
  return [...tools].map(([tool, share]) => ({ tool, ...share })).toSorted((a, b) => b.cost - a.cost);
}

/** For each list, what a token that stands at a place of it has cost in all requests that hold it, those of branches included. */
function withBranches(rates: Rates): ReadonlyMap<ContextList, (place: number) => number> {
  const all = new Set<ContextList>();
  for (const start of rates.keys()) {
    for (let list: ContextList | undefined = start; list !== undefined; list = list.from?.list) {
      if (all.has(list)) break;
      all.add(list);
    }
  }
  const events = new Map([...all].map((list) => [list, [...(rates.get(list) ?? [])]]));
  const ordered = [...all].toSorted((a, b) => a.id - b.id);
  const found = new Map<ContextList, (place: number) => number>();
  for (const list of ordered.toReversed()) {
    const own = (events.get(list) ?? []).toSorted((a, b) => a.length - b.length);
    const after: number[] = [];
    let sum = 0;
    for (const { rate } of own.toReversed()) after.push((sum += rate));
    after.reverse();
    if (list.from !== undefined) events.get(list.from.list)?.push({ length: list.from.length, rate: sum });
    found.set(list, (place) => after[firstAbove(own, place)] ?? 0);
  }
  return new Map(
    ordered.flatMap((list) => {
      const sums = found.get(list);
      return sums === undefined ? [] : [[list, sums] as const];
    }),
  );
}

/** The first of ascending lengths that is more than a place. */
function firstAbove(list: readonly { readonly length: number }[], place: number): number {
  let low = 0;
  let high = list.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((list[middle]?.length ?? 0) > place) high = middle;
    else low = middle + 1;
  }
  return low;
}
