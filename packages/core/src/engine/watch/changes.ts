import type { BreakReason, FromTo } from "../events/break-reason.js";
import { systemChanges, toolChanges } from "./head-changes.js";
import { markerChanges, type MarkerOptions } from "./marker-changes.js";
import { firstChangedMessage, sharedMessages } from "./message-list.js";
import { sameValue } from "./same-content.js";
import type { SentRequest } from "./sent-request.js";

type Reasons = readonly BreakReason[];

/** Everything in the cache key in which a request departs from one that was answered, in the order of the prompt. */
export function changesBetween(
  before: SentRequest,
  now: SentRequest,
  { isBeside, gapMs }: Pick<MarkerOptions, "isBeside" | "gapMs">,
): Reasons {
  const inMessages = messageChanges(before, now);
  return [
    ...textChange("model-changed", before.model, now.model),
    ...textChange("speed-changed", before.speed, now.speed),
    ...toolChanges(before, now),
    ...systemChanges(before, now),
    ...markerChanges(before, now, { isBeside, gapMs, areMessagesSame: inMessages.length === 0 }),
    ...betaChanges(before, now),
    ...textChange("effort-changed", before.effort, now.effort),
    ...textChange("thinking-changed", before.thinking, now.thinking),
    ...bodyChanges(before, now),
    ...factChanges(before, now),
    ...mediaChanges(before, now),
    ...inMessages,
  ];
}

type TextChange = "model-changed" | "speed-changed" | "effort-changed" | "thinking-changed";

function textChange(kind: TextChange, before: unknown, now: unknown): Reasons {
  return sameValue(before, now) ? [] : [{ kind, ...fromTo(before, now) }];
}

const fromTo = (before: unknown, now: unknown): FromTo => ({ from: inShort(before), to: inShort(now) });

const MOST_CHARACTERS = 120;

/** A setting in a few words. */
function inShort(value: unknown): string {
  if (typeof value === "string") return value.slice(0, MOST_CHARACTERS);
  if (value === undefined || value === null) return "none";
  try {
    return JSON.stringify(value).slice(0, MOST_CHARACTERS);
  } catch {
    return "something else";
  }
}

function betaChanges({ betas: before }: SentRequest, { betas: now }: SentRequest): Reasons {
  const added = now.filter((name) => !before.includes(name));
  const removed = before.filter((name) => !now.includes(name));
  return added.length + removed.length === 0 ? [] : [{ kind: "betas-changed", added, removed }];
}

function bodyChanges({ body: before }: SentRequest, { body: now }: SentRequest): Reasons {
  const names = new Set([...before.keys(), ...now.keys()]);
  const fields = [...names].filter((name) => !sameValue(before.get(name), now.get(name)));
  return fields.length === 0 ? [] : [{ kind: "body-changed", fields }];
}

const KNOWN_FACTS: ReadonlySet<string> = new Set(["autoMode", "overage", "scopeStrategy", "edits"]);

function factChanges({ facts: before }: SentRequest, { facts: now }: SentRequest): Reasons {
  const isOther = (name: string): boolean => !sameValue(before[name] ?? undefined, now[name] ?? undefined);
  const isSwitched = (name: string): boolean => (before[name] === true) !== (now[name] === true);
  const names = [...new Set([...Object.keys(before), ...Object.keys(now)])];
  const own = names.filter((name) => !KNOWN_FACTS.has(name) && isOther(name));
  return [
    ...(isOther("edits") ? [{ kind: "edits-changed" } as const] : []),
    ...(isSwitched("autoMode") ? [{ kind: "auto-mode-changed", isOn: now.autoMode === true } as const] : []),
    ...(isSwitched("overage") ? [{ kind: "overage-changed", isOn: now.overage === true } as const] : []),
    ...(own.length === 0 ? [] : [{ kind: "facts-changed", names: own } as const]),
  ];
}

function mediaChanges({ messageFacts: before }: SentRequest, { messageFacts: now }: SentRequest): Reasons {
  const hasImages = now.firstImage >= 0;
  const hasCitations = now.firstCitation >= 0;
  return [
    ...(before.firstCitation >= 0 === hasCitations
      ? []
      : [{ kind: "citations-changed", present: hasCitations } as const]),
    ...(before.firstImage >= 0 === hasImages
      ? []
      : [{ kind: "images-changed", present: hasImages } as const]),
  ];
}

function messageChanges({ messages: before }: SentRequest, { messages: now }: SentRequest): Reasons {
  const position = firstChangedMessage(before, now, sharedMessages(before, now));
  return position === undefined ? [] : [{ kind: "messages-changed", position, of: before.length }];
}
