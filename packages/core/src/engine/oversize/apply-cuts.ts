import type { Message } from "../../messages/message.js";
import { changeTexts, type TextPath } from "../boundaries/message-texts.js";
import { isOversizeBoundary, type CutText, type OversizeMetadata } from "../boundaries/oversize-boundary.js";

/**
 * The messages with every cut among them applied: stored originals become what the live conversation was. Messages in
 * which nothing is left to cut stay the same objects, and a list in which nothing changes is returned itself.
 */
export function applyOversizeBoundaries(messages: readonly Message[]): readonly Message[] {
  const boundaries = messages.filter(isOversizeBoundary);
  return boundaries.length === 0
    ? messages
    : applyCuts(
        messages,
        boundaries.flatMap(({ oversizeMetadata: { cut } }) => cut),
      );
}

/** Applies cuts in their order: a text may have been cut, and then what was left of it. */
export function applyCuts(messages: readonly Message[], cuts: readonly CutText[]): readonly Message[] {
  const uuids = new Set(cuts.map(({ uuid }) => uuid));
  let isChanged = false;
  const next = messages.map((message) => {
    if (!uuids.has(message.uuid)) return message;
    const own = cuts.filter(({ uuid }) => uuid === message.uuid);
    const cut = changeTexts(message, (text, { path }) =>
      own.reduce((left, one) => (isSamePath(one.path, path) ? endsOf(left, one) : left), text),
    );
    isChanged ||= cut !== message;
    return cut;
  });
  return isChanged ? next : messages;
}

const endsOf = (text: string, { characters, head, tail, note }: CutText): string =>
  text.length === characters ? text.slice(0, head) + note + text.slice(characters - tail) : text;

const isSamePath = (a: TextPath, b: TextPath): boolean =>
  a.length === b.length && a.every((index, at) => index === b[at]);

/** What is known of a text that was cut before: how long it was at first, and where all of it is kept. */
export function earlierCut(
  live: readonly Message[],
  { uuid, path }: Pick<CutText, "uuid" | "path">,
): Pick<CutText, "characters" | "whole" | "kept"> | undefined {
  return live
    .filter(isOversizeBoundary)
    .flatMap(({ oversizeMetadata: { cut } }) => cut)
    .findLast((one) => one.uuid === uuid && isSamePath(one.path, path));
}

/**
 * The cuts that a compaction has to state again: those of messages that it keeps, where their boundary goes. `live` is
 * the list before the compaction, `kept` a stretch of it.
 */
export function restateCuts(
  live: readonly Message[],
  kept: readonly Message[],
): OversizeMetadata | undefined {
  const keptUuids = new Set(kept.map(({ uuid }) => uuid));
  const cut = live
    .filter(isOversizeBoundary)
    .filter(({ uuid }) => !keptUuids.has(uuid))
    .flatMap(({ oversizeMetadata }) => oversizeMetadata.cut)
    .filter(({ uuid }) => keptUuids.has(uuid));
  return cut.length === 0 ? undefined : { cut, tokensBefore: 0, tokensAfter: 0 };
}
