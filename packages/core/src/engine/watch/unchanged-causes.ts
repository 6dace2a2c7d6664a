import { isThinkingBlock } from "../../messages/predicates.js";
import { ttlMilliseconds } from "../prompt/cache-writes.js";
import { isFields } from "../../messages/fields.js";
import { findModel } from "../../models/table.js";
import type { BreakReason, Ttl } from "../events/break-reason.js";
import { blocksBetween, blocksOf } from "./message-list.js";
import type { SentRequest } from "./sent-request.js";

/** Positions that a marker is looked up at, its own included. */
const LOOKBACK = 20;

/**
 * Why a prefix that did not change could not be read. `gapMs` is the time since a request last used it. Never
 * empty: where nothing is known it is the server.
 */
export function unchangedCauses(
  before: SentRequest,
  now: SentRequest,
  gapMs: number,
): readonly BreakReason[] {
  const found = [
    ...outsideLookback(before, now),
    ...expired(ttlsOf(before), gapMs),
    ...(dropsThinking(before, now) ? [{ kind: "thinking-stripped" } as const] : []),
  ];
  return found.length > 0 ? found : [{ kind: "server-side" }];
}

/** A marker finds what was written at most 19 blocks before it. */
function outsideLookback(before: SentRequest, now: SentRequest): readonly BreakReason[] {
  const written = before.markers.messages.at(-1);
  if (written === undefined) return [];
  const distances = now.markers.messages
    .map((marker) => blocksBetween(now.messages, written, marker))
    .filter((blocks) => blocks >= 0);
  const blocks = Math.min(...distances);
  return distances.length > 0 && blocks >= LOOKBACK ? [{ kind: "outside-lookback", blocks }] : [];
}

/** The lifetimes that a request's markers ask for; the default where there are none. */
export function ttlsOf({ markers }: SentRequest): ReadonlySet<Ttl> {
  const all = [...markers.tools, ...markers.system, ...markers.messages.map(({ marker }) => marker)];
  const ttls = all.map(({ ttl }): Ttl => (ttl === "1h" ? "1h" : "5m"));
  return new Set(ttls.length === 0 ? ["5m"] : ttls);
}

/** The longest lifetime that is over, of those that the entries had. */
function expired(ttls: ReadonlySet<Ttl>, gapMs: number): readonly BreakReason[] {
  const over = (["1h", "5m"] as const).find((ttl) => ttls.has(ttl) && gapMs > ttlMilliseconds[ttl]);
  return over === undefined ? [] : [{ kind: "expired", ttl: over, gapMs }];
}

/**
 * Whether the model drops thinking that it was sent before: some drop that of earlier turns once a person speaks
 * again, all before the last words of one.
 */
export function dropsThinking(before: SentRequest, now: SentRequest): boolean {
  if (findModel(now.model)?.capabilities.thinking.keptAcrossTurns !== false) return false;
  const spokenBefore = before.messages.findLastIndex(isSpoken);
  const spoken = now.messages.findLastIndex(isSpoken);
  return before.messages
    .slice(Math.max(0, spokenBefore), Math.max(0, spoken))
    .some((message) => blocksOf(message).some(isThinkingBlock));
}

/** Words of a person may share a message with results. */
const isSpoken = (message: unknown): boolean =>
  isFields(message) &&
  message["role"] === "user" &&
  blocksOf(message).some((block) => !isFields(block) || block["type"] !== "tool_result");
