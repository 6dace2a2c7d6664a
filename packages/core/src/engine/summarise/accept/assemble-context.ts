import {
  createAttachmentMessage,
  createCompactBoundary,
  type Ids,
  type MessageOrigin,
} from "../../../messages/construct.js";
import type {
  Attachment,
  AttachmentMessage,
  CompactBoundary,
  CompactMetadata,
  Message,
} from "../../../messages/message.js";
import { storedEnds } from "../../../messages/late-answer.js";
import { copyPinned } from "../../../messages/pinned.js";
import { clearResults } from "../../boundaries/clear-results.js";
import { createClearingBoundary, type ClearingBoundary } from "../../boundaries/clearing-boundary.js";
import { restateClearings } from "../../clear/restate-clearings.js";
import { createMediaBoundary } from "../../boundaries/media-boundary.js";
import { restateMedia } from "../../media/restate-media.js";
import { restateCuts } from "../../oversize/apply-cuts.js";
import { createOversizeBoundary } from "../../boundaries/oversize-boundary.js";
import type { ListedText } from "../people/human-texts.js";
import type { Division } from "../run/division.js";

export interface ContextParts {
  readonly live: readonly Message[];
  readonly division: Division;
  readonly metadata: CompactMetadata;
  /** Makes the summary, after the message whose uuid it is given. */
  readonly summary: (origin: MessageOrigin) => Message;
  readonly attachments: readonly Attachment[];
  readonly hookResults: readonly Attachment[];
  /** The kept tail must lose its thinking: it is bound to what stood before it. */
  readonly stripsThinking: boolean;
  readonly origin: Omit<MessageOrigin, "parentUuid">;
}

/** The conversation after a compaction, and what the transcript gets. */
export interface NewContext {
  readonly boundary: CompactBoundary;
  readonly summaryMessages: readonly Message[];
  readonly kept: readonly Message[];
  readonly attachments: readonly AttachmentMessage[];
  readonly hookResults: readonly AttachmentMessage[];
  readonly live: readonly Message[];
  readonly stored: readonly Message[];
}

/**
 * Boundary, summary, what is pinned, kept messages, attachments, hook results; a kept prefix stands before the boundary.
 * Clearings that the kept messages went through are stated again, so that a resumed conversation is the same.
 */
export function assembleContext(parts: ContextParts): NewContext {
  const { live, division, origin, stripsThinking } = parts;
  const { kept, variant } = division;
  const behind = (message: Message | undefined): MessageOrigin => ({
    ...origin,
    parentUuid: message?.uuid ?? null,
  });
  const draft = createCompactBoundary(behind(live.at(-1)), parts.metadata);
  const summary = parts.summary(behind(draft));
  const pins = copyPins(division, { ids: origin.ids, after: summary });
  const pinned = pins.copies.at(-1) ?? summary;
  const boundary = withSegment(withPinsListed(draft, pins.names), {
    kept,
    anchorUuid: variant === "from" ? null : pinned.uuid,
  });
  let last: Message = variant === "from" ? pinned : (kept.at(-1) ?? pinned);
  const attach = (attachment: Attachment): AttachmentMessage => {
    const message = createAttachmentMessage(behind(last), attachment);
    last = message;
    return message;
  };
  const attachments = parts.attachments.map(attach);
  const hookResults = parts.hookResults.map(attach);
  const restated = restatement({ live, kept, summary, stripsThinking, origin: behind(last) });
  const media = restateMedia(live, kept);
  const replaced = media === undefined ? undefined : createMediaBoundary(behind(restated ?? last), media);
  const cuts = restateCuts(live, kept);
  const cut =
    cuts === undefined ? undefined : createOversizeBoundary(behind(replaced ?? restated ?? last), cuts);
  const list =
    variant === "from"
      ? [...kept, boundary, summary, ...pins.copies, ...attachments, ...hookResults]
      : [boundary, summary, ...pins.copies, ...kept, ...attachments, ...hookResults];
  const cleared = restated === undefined ? list : clearResults(list, restated);
  const overlays = [replaced, cut].filter((boundary) => boundary !== undefined);
  const newLive = overlays.length === 0 ? cleared : [...cleared, ...overlays];
  const keptUuids = new Set(kept.map(({ uuid }) => uuid));
  return {
    boundary,
    summaryMessages: [summary],
    kept: newLive.filter(({ uuid }) => keptUuids.has(uuid)),
    attachments,
    hookResults,
    live: newLive,
    stored: [
      boundary,
      summary,
      ...pins.copies,
      ...attachments,
      ...hookResults,
      ...(restated === undefined ? [] : [restated]),
      ...overlays,
    ],
  };
}

/** What is pinned moves after the summary as copies, because lines of a log never change. */
function copyPins(
  { pinned = [] }: Division,
  { ids, after }: { readonly ids: Ids; readonly after: Message },
): { readonly copies: readonly Message[]; readonly names: ReadonlyMap<string, string> } {
  const names = new Map<string, string>();
  const copies: Message[] = [];
  for (const message of pinned) {
    const parentUuid = (copies.at(-1) ?? after).uuid;
    const copy = copyPinned(message, { uuid: ids.next(), parentUuid });
    if (copy === undefined) continue;
    names.set(message.uuid, copy.uuid);
    copies.push(copy);
  }
  return { copies, names };
}

/** What people said stands in the copies from now on: the list names those. */
function withPinsListed(boundary: CompactBoundary, names: ReadonlyMap<string, string>): CompactBoundary {
  const metadata = boundary.compactMetadata;
  const listed = metadata?.["humanMessages"];
  if (names.size === 0 || metadata === undefined || !Array.isArray(listed)) return boundary;
  const humanMessages = listed.map((entry: ListedText) => ({
    ...entry,
    uuid: names.get(entry.uuid) ?? entry.uuid,
  }));
  return { ...boundary, compactMetadata: { ...metadata, humanMessages } };
}

function withSegment(
  boundary: CompactBoundary,
  { kept, anchorUuid }: { readonly kept: readonly Message[]; readonly anchorUuid: string | null },
): CompactBoundary {
  const ends = storedEnds(kept);
  const metadata = boundary.compactMetadata;
  if (ends === undefined || metadata === undefined) return boundary;
  const preservedSegment = { headUuid: ends.head.uuid, tailUuid: ends.tail.uuid, anchorUuid };
  return { ...boundary, compactMetadata: { ...metadata, preservedSegment } };
}

function restatement(parts: {
  readonly live: readonly Message[];
  readonly kept: readonly Message[];
  readonly summary: Message;
  readonly stripsThinking: boolean;
  readonly origin: MessageOrigin;
}): ClearingBoundary | undefined {
  const { live, kept, summary, stripsThinking, origin } = parts;
  const cleared = restateClearings(live, kept);
  if (cleared === undefined && (!stripsThinking || kept.length === 0)) return undefined;
  return createClearingBoundary(origin, {
    variant: "size-based",
    trigger: "auto",
    toolUseIds: [],
    tokensBefore: 0,
    tokensAfter: 0,
    ...cleared,
    ...(stripsThinking ? { thinkingRemovedAfter: summary.uuid } : {}),
  });
}
