import { isBefore, ttlMilliseconds } from "../prompt/cache-writes.js";
import type { BreakReason, FromTo, MarkedPart } from "../events/break-reason.js";
import type { SentRequest } from "./sent-request.js";
import { dropsThinking } from "./unchanged-causes.js";
import type { WatchedFacts } from "./watched-call.js";

export interface MarkerOptions {
  /** The call stands beside the conversation: after the prefix it shares its markers are its own. */
  readonly isBeside: boolean;
  /** The messages are those sent before, or continue them. */
  readonly areMessagesSame: boolean;
  /** Milliseconds since a request last used what is marked. */
  readonly gapMs: number;
}

const parts: readonly MarkedPart[] = ["tools", "system", "messages"];

/**
 * Markers whose lifetime or scope changed, or that are gone from where they were needed. That the one in the
 * messages moves on is no change, nor is a further one.
 */
export function markerChanges(
  before: SentRequest,
  now: SentRequest,
  options: MarkerOptions,
): readonly BreakReason[] {
  const compared = parts.filter((part) => !(options.isBeside && part === "messages"));
  const ttl = firstOf(compared, (part) => fieldChange(before, now, { part, field: "ttl" }));
  const scope =
    firstOf(compared, (part) => fieldChange(before, now, { part, field: "scope" })) ??
    strategyChange(before, now);
  const removed = parts.filter((part) => isRemoved(part, { before, now, ...options }));
  if (ttl === undefined && scope === undefined && removed.length === 0) return [];
  return [
    {
      kind: "markers-changed",
      ...(ttl === undefined ? {} : { ttl }),
      ...(scope === undefined ? {} : { scope }),
      ...(removed.length === 0 ? {} : { removed }),
    },
  ];
}

function firstOf<T, R>(items: readonly T[], find: (item: T) => R | undefined): R | undefined {
  for (const item of items) {
    const found = find(item);
    if (found !== undefined) return found;
  }
  return undefined;
}

interface PartField {
  readonly part: MarkedPart;
  readonly field: "ttl" | "scope";
}

function fieldChange(before: SentRequest, now: SentRequest, at: PartField): FromTo | undefined {
  const from = valuesOf(before, at);
  const to = valuesOf(now, at);
  if (from.length === 0 || to.length === 0) return undefined;
  // Markers that stay in their places are compared one by one, others as a whole.
  const isSame =
    at.part !== "messages" && from.length === to.length
      ? from.every((value, index) => value === to[index])
      : from.some((value) => to.includes(value));
  return isSame ? undefined : { from: inWords(from), to: inWords(to) };
}

const defaults = { ttl: "5m", scope: "org" } as const;

/** What the markers of a part say in a field, in their order. */
function valuesOf({ markers }: SentRequest, { part, field }: PartField): readonly string[] {
  const all = part === "messages" ? markers.messages.map(({ marker }) => marker) : markers[part];
  return all.map(({ [field]: value }) => (typeof value === "string" ? value : defaults[field]));
}

const inWords = (values: readonly string[]): string => [...new Set(values)].join(", ");

function strategyChange({ facts: before }: SentRequest, { facts: now }: SentRequest): FromTo | undefined {
  const [from, to] = [strategyOf(before), strategyOf(now)];
  return from === to ? undefined : { from, to };
}

/** Hosts without types may say anything: what is no name is none. */
const strategyOf = ({ scopeStrategy }: WatchedFacts): string =>
  typeof scopeStrategy === "string" ? scopeStrategy : "none";

interface Compared extends MarkerOptions {
  readonly before: SentRequest;
  readonly now: SentRequest;
}

function isRemoved(part: MarkedPart, compared: Compared): boolean {
  const { before, now, areMessagesSame } = compared;
  if (before.markers[part].length === 0 || (compared.isBeside && isUseless(part, compared))) return false;
  // The marker on the tools yields where room is needed: one on the system prompt covers them.
  if (part === "tools") return now.markers.tools.length + now.markers.system.length === 0;
  if (part === "system") return now.markers.system.length === 0;
  const written = before.markers.messages.at(-1);
  if (!areMessagesSame || written === undefined) return now.markers.messages.length === 0;
  return now.markers.messages.every((marker) => isBefore(marker, written));
}

/**
 * Whether what a part's markers wrote cannot be read any more, whatever is marked. A call beside the conversation
 * leaves them out then: to mark it is to write it again.
 */
function isUseless(part: MarkedPart, { before, now, gapMs }: Compared): boolean {
  const ttls = valuesOf(before, { part, field: "ttl" });
  const isOver = ttls.every((ttl) => gapMs > ttlMilliseconds[ttl === "1h" ? "1h" : "5m"]);
  return isOver || (part === "messages" && dropsThinking(before, now));
}
