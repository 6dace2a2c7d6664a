import { billedTokens, promptTokens } from "../measures/recorded-bill.js";
import type { RecordedRound } from "../rounds/recorded-round.js";

/** How much of what the cache held a request found. */
export type FoundInCache =
  | { readonly kind: "all" }
  | { readonly kind: "nothing" }
  | { readonly kind: "tools" }
  | { readonly kind: "head" }
  /** The first request, and this share of what stood after it. */
  | { readonly kind: "part"; readonly share: number };

/** A loss is more than this share, and more than so many tokens. */
const LOST_SHARE = 0.05;
const LOST_TOKENS = 2000;
/** Of the first request's prompt, what a request has to read to have found the whole head, or the tools. */
const HEAD_SHARE = 0.6;
const TOOLS_SHARE = 0.2;
/** … and to have found its messages too. */
const FIRST_SHARE = 0.9;

/** Reads off the usage of one round after another what of the cache was lost, compactions apart. */
export function createRecordedCache(): (round: RecordedRound) => FoundInCache {
  let cached = 0;
  let head = 0;
  return ({ response, compacted, cleared }) => {
    const tokens = response.usage === undefined ? undefined : billedTokens(response.usage);
    if (tokens === undefined || promptTokens(tokens) === 0) return { kind: "all" };
    const { cacheRead: read } = tokens;
    const before = cached;
    cached = promptTokens(tokens);
    const first = head;
    head ||= cached;
    const lost = before - read;
    if (first === 0 || lost <= LOST_TOKENS || lost <= before * LOST_SHARE) return { kind: "all" };
    if (read < first * HEAD_SHARE) return { kind: read < first * TOOLS_SHARE ? "nothing" : "tools" };
    if (compacted !== undefined || cleared !== undefined) return { kind: "all" };
    if (read < first * FIRST_SHARE) return { kind: "head" };
    return { kind: "part", share: Math.max(0, (read - first) / Math.max(1, before - first)) };
  };
}
