import { promptTokens } from "../../replay/measures/recorded-bill.js";
import type { AdvisedRequest, ShownFile } from "./advised-request.js";
import type { Finding } from "./finding.js";
import { inputCost, outputCost, spanCost } from "./span-cost.js";

/** What a conversation carries that it had already. */
interface Carried {
  /** Where in the prompt it begins, and how long it is. */
  readonly from: number;
  readonly tokens: number;
  /** Results that it is made of. */
  readonly calls: readonly string[];
}

interface LaneState {
  before: AdvisedRequest | undefined;
  /** What stands in the context, by what it shows: the calls that brought it. */
  known: Map<string, string>;
  carried: Carried[];
}

/**
 * Files that were read again while the same text still stood in the context: what the reading cost, and what carrying it
 * along cost in every request until a compaction or a clearing took it out. A request that was made for such reads alone
 * would not have been made without them.
 */
export function findRepeatedReads(requests: readonly AdvisedRequest[]): readonly Finding[] {
  const lanes = new Map<string, LaneState>();
  const files = new Map<string, number>();
  let [dollars, reads, tokens, wasted] = [0, 0, 0, 0];
  for (const request of requests) {
    const lane: LaneState = lanes.get(request.lane) ?? { before: undefined, known: new Map(), carried: [] };
    lanes.set(request.lane, lane);
    forget(lane, request.forgotten);
    const { before } = lane;
    const again = newlyRepeated(lane, request);
    for (const { name, tokens: size } of again) {
      files.set(name, (files.get(name) ?? 0) + size);
      tokens += size;
      reads += 1;
    }
    const isNeedless = again.length > 0 && before !== undefined && isMadeFor(again, { before, request });
    if (isNeedless) {
      wasted += 1;
      dollars += inputCost(request) + outputCost(before);
      const from = promptTokens(before.usage);
      const grown = Math.max(0, promptTokens(request.usage) - from);
      lane.carried.push({ from, tokens: grown, calls: again.map(({ call }) => call) });
    } else {
      const end = promptTokens(request.usage);
      for (const { call, tokens: size, callTokens } of again) {
        lane.carried.push({
          from: Math.max(0, end - size - callTokens),
          tokens: size + callTokens,
          calls: [call],
        });
        if (before !== undefined) dollars += outputCost(before, callTokens);
      }
      for (const { from, tokens: size } of lane.carried) dollars += spanCost(request, from, size);
    }
    lane.before = request;
  }
  if (reads === 0) return [];
  const named = [...files].toSorted(([, one], [, other]) => other - one);
  return [
    {
      key: "repeated-reads",
      dollars,
      facts: {
        kind: "repeated-reads",
        reads,
        tokens,
        requests: wasted,
        files: named.map(([name, size]) => ({ name, tokens: size })),
      },
    },
  ];
}

function forget(lane: LaneState, forgotten: AdvisedRequest["forgotten"]): void {
  if (forgotten === "all") {
    lane.known = new Map();
    lane.carried = [];
    return;
  }
  if (forgotten.length === 0) return;
  const gone = new Set(forgotten);
  for (const [key, call] of lane.known) if (gone.has(call)) lane.known.delete(key);
  lane.carried = lane.carried.filter(({ calls }) => !calls.some((call) => gone.has(call)));
}

/** What came in and stood there already; the rest is remembered. */
function newlyRepeated(lane: LaneState, { shown }: AdvisedRequest): readonly ShownFile[] {
  return shown.filter(({ key, call }) => {
    if (lane.known.has(key)) return true;
    lane.known.set(key, call);
    return false;
  });
}

/** Whether all that the answer before asked for were these reads: then this request brought nothing new. */
function isMadeFor(
  again: readonly ShownFile[],
  { before, request }: { readonly before: AdvisedRequest; readonly request: AdvisedRequest },
): boolean {
  const repeated = new Set(again.map(({ call }) => call));
  return (
    request.forgotten.length === 0 &&
    before.calls.length > 0 &&
    before.calls.every(({ id }) => repeated.has(id))
  );
}
