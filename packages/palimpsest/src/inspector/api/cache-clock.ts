import { findModel } from "@palimpsest/core";
import { pricesAt, USUAL_SUMMARY_TOKENS } from "@palimpsest/core/engine";
import type { CacheClock } from "../contract.js";
import { inputOf } from "../index/scale-parts.js";
import type { OpenConversation } from "./conversations.js";

const MINUTE = 60_000;
const LIFETIMES = { "5m": 5 * MINUTE, "1h": 60 * MINUTE } as const;
const PER_MILLION = 1_000_000;

const unknownClock: CacheClock = {
  warmUntil: null,
  lifetime: null,
  nextWarm: null,
  nextCold: null,
  compactNow: null,
  compactLater: null,
};

/** How long what a conversation left in the cache can be read, and what sending it again costs before and after. */
export function cacheClock({ index }: Pick<OpenConversation, "index">): CacheClock {
  const main = index.traced.requests.filter(({ lane, context }) => lane === 0 && context !== undefined);
  const newest = main.at(-1);
  if (newest === undefined || !newest.isReported) return unknownClock;
  const { usage, at, model: name } = newest;
  const lastWrite = main.findLast(
    ({ usage: { cacheWrite5m, cacheWrite1h } }) => cacheWrite5m + cacheWrite1h > 0,
  );
  const lifetime = lastWrite === undefined ? null : lastWrite.usage.cacheWrite1h > 0 ? "1h" : "5m";
  const isCached = lifetime !== null && usage.cacheRead + usage.cacheWrite5m + usage.cacheWrite1h > 0;
  const warmUntil = isCached && at !== null ? new Date(at + LIFETIMES[lifetime]).toISOString() : null;
  const model = findModel(name);
  if (model === undefined || !isCached) return { ...unknownClock, warmUntil, lifetime };
  const cached = usage.cacheRead + usage.cacheWrite5m + usage.cacheWrite1h;
  const tokens = inputOf(newest) + usage.output;
  const prices = pricesAt(model, tokens);
  const write = lifetime === "1h" ? prices.cacheWrite1h : prices.cacheWrite5m;
  const nextWarm = (cached * prices.cacheRead + (tokens - cached) * write) / PER_MILLION;
  const nextCold = (tokens * write) / PER_MILLION;
  const summary = (USUAL_SUMMARY_TOKENS * prices.output) / PER_MILLION;
  return {
    warmUntil,
    lifetime,
    nextWarm,
    nextCold,
    compactNow: nextWarm + summary,
    compactLater: nextCold + summary,
  };
}
