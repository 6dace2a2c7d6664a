import { promptTokens } from "../../replay/measures/recorded-bill.js";
import type { AdvisedRequest } from "./advised-request.js";
import type { Finding } from "./finding.js";
import { pricesOf } from "./span-cost.js";

const MINUTE = 60_000;
const lifetimes = { "5m": 5 * MINUTE, "1h": 60 * MINUTE } as const;
type Lifetime = keyof typeof lifetimes;

/**
 * What requests would have cost with the other lifetime for all that they wrote, by their usage: what a pause lost is
 * read, or what a pause did not lose is written again, and every write has the other's price. Null for conversations
 * that write nothing to a cache, or of which nobody knows when their requests were made. Where it costs more there is
 * nothing to find; findings of several conversations are added up before that is asked, so that they may be negative.
 */
export function findLifetime(requests: readonly AdvisedRequest[]): readonly Finding[] {
  return (["5m", "1h"] as const).flatMap((better) => {
    const lanes = new Map<string, AdvisedRequest>();
    let [saved, pauses, changed] = [0, 0, 0];
    for (const request of requests) {
      const before = lanes.get(request.lane);
      lanes.set(request.lane, request);
      const change = changeWith(better, request, before);
      saved += change.saved;
      pauses += change.isPause ? 1 : 0;
      changed += change.isOther ? 1 : 0;
    }
    if (changed === 0) return [];
    const facts = { kind: "lifetime", better, requests: changed, pauses } as const;
    return [{ key: `lifetime ${better}`, dollars: saved, facts }];
  });
}

interface Change {
  /** Dollars; below 0 where it costs more. */
  readonly saved: number;
  readonly isPause: boolean;
  /** Some of it was written with the other lifetime. */
  readonly isOther: boolean;
}

function changeWith(better: Lifetime, request: AdvisedRequest, before: AdvisedRequest | undefined): Change {
  const prices = pricesOf(request);
  const { cacheRead, cacheWrite5m, cacheWrite1h, input } = request.usage;
  if (prices === undefined) return { saved: 0, isPause: false, isOther: false };
  const gap = before === undefined ? Number.NaN : request.startedAt - before.startedAt;
  const isPause = gap > lifetimes["5m"] && gap <= lifetimes["1h"];
  const price = better === "1h" ? prices.cacheWrite1h : prices.cacheWrite5m;
  const paid =
    cacheRead * prices.cacheRead + cacheWrite5m * prices.cacheWrite5m + cacheWrite1h * prices.cacheWrite1h;
  const written = cacheWrite5m + cacheWrite1h;
  const held = before === undefined || request.isFresh ? 0 : heldAfter(before);
  let [reads, writes, sent] = [cacheRead, written, input];
  if (isPause && better === "1h" && isLostToTime(request, before)) {
    const regained = Math.max(0, Math.min(held - cacheRead, written + input));
    const fromWrites = Math.min(regained, written);
    reads += regained;
    writes -= fromWrites;
    sent -= regained - fromWrites;
  } else if (isPause && better === "5m") {
    const lost = Math.min(cacheRead, held);
    reads -= lost;
    writes += lost;
  }
  const would = reads * prices.cacheRead + writes * price;
  return {
    saved: (paid - would + (input - sent) * prices.input) / 1e6,
    isPause,
    isOther: (better === "1h" ? cacheWrite5m : cacheWrite1h) > 0,
  };
}

/** What a request leaves in the cache. */
export const heldAfter = ({ usage }: AdvisedRequest): number => promptTokens(usage) - usage.input;

/** Nothing that the recording shows changed between the two: the pause alone explains what was not read. */
function isLostToTime(request: AdvisedRequest, before: AdvisedRequest | undefined): boolean {
  if (before === undefined || before.model !== request.model) return false;
  const ids = ({ prompt }: AdvisedRequest): string => (prompt?.parts ?? []).map(({ id }) => id).join(" ");
  return before.prompt === undefined || request.prompt === undefined || ids(before) === ids(request);
}
