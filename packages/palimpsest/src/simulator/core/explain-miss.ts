import type { CacheMiss, MissReason } from "../outcome.js";
import type { MessageChain } from "./message-chain.js";
import { LOOKBACK, type Cache, type CacheReading } from "./prompt-cache.js";
import type { Prompt } from "./prompt.js";
import { commonMessages, differenceFrom, type Difference, type RequestRecord } from "./request-record.js";

export interface MissContext {
  readonly cache: Cache;
  readonly prompt: Prompt;
  readonly chain: MessageChain;
  readonly reading: CacheReading;
  readonly minimum: number;
  readonly now: number;
  readonly records: readonly RequestRecord[];
  readonly workspace: string;
  readonly model: string;
  readonly speed: unknown;
}

/** For every marker that was not found at its own position: why. */
export function explainMisses(context: MissContext): readonly CacheMiss[] {
  const { prompt, reading } = context;
  if (prompt.breakpoints.length === 0) return [{ path: "", reason: "no-marker" }];
  return prompt.breakpoints
    .filter(({ index }) => index > (reading.hit?.index ?? -1))
    .map(({ index }) => explain(index, context))
    .toReversed();
}

function explain(index: number, context: MissContext): CacheMiss {
  const { prompt, cache, now, minimum, reading } = context;
  const { path, key, tokens } = prompt.at(index);
  if (tokens < minimum) return { path, reason: "below-minimum" };
  const known = cache.get(key);
  if (known !== undefined) return { path, reason: known.expiresAt <= now ? "expired" : "not-readable-yet" };
  const nearest = nearestRecord(context);
  if (nearest === undefined) return { path, reason: "first-seen" };
  const difference = differenceFrom(nearest, context);
  if (difference.kind !== "none") return { path, ...reasonOf(difference) };
  // Growth after a prefix that was read is not a loss.
  if (reading.hit !== undefined && index - reading.hit.index < LOOKBACK)
    return { path, reason: "first-seen" };
  return { path, reason: reasonBefore(index, context) };
}

/** Nothing changed, so what was written before lies further back: alive and out of reach, or gone. */
function reasonBefore(index: number, { prompt, cache, now }: MissContext): MissReason {
  for (let at = index; at >= 0; at -= 1) {
    const entry = cache.get(prompt.at(at).key);
    if (entry === undefined) continue;
    if (entry.expiresAt <= now) return "expired";
    if (entry.readableAt > now) return "not-readable-yet";
    return "outside-lookback";
  }
  return "first-seen";
}

function reasonOf(difference: Exclude<Difference, { kind: "none" }>): Omit<CacheMiss, "path"> {
  switch (difference.kind) {
    case "tools":
      return { reason: "tools-changed" };
    case "system":
      return { reason: "system-changed" };
    case "model":
    case "settings":
      return { reason: "settings-changed" };
    case "messages":
      return { reason: "messages-changed", changedPath: `messages.${difference.message}` };
  }
}

const CANDIDATES = 8;

/** The recent request of this workspace that shares most with this one. */
function nearestRecord({ records, chain, workspace }: MissContext): RequestRecord | undefined {
  let best: { readonly record: RequestRecord; readonly common: number } | undefined;
  for (const record of records.slice(-CANDIDATES).toReversed()) {
    if (record.workspace !== workspace) continue;
    const common = commonMessages(record.messages, chain);
    if (best === undefined || common > best.common) best = { record, common };
  }
  return best?.record;
}
