import type { Message } from "../../messages/message.js";
import {
  describeExcess,
  LARGEST_DOCUMENT,
  LARGEST_EDGE,
  LARGEST_IMAGE,
} from "../../messages/normalise/largest-media.js";
import { leftOutText } from "../../messages/normalise/wording.js";
import { placeholderOf, type MediaPath } from "../boundaries/media-content.js";
import type { MediaBlock } from "./media-in-message.js";
import { createMediaIndex, type IndexedMedia, type MediaIndex, type MediaTotals } from "./media-index.js";
import {
  budgetOf,
  bytesBudget,
  countBudget,
  LARGEST_EDGE_OF_MANY,
  MANY_IMAGES,
  type MediaBudget,
  type MediaOptions,
} from "./media-limits.js";
import type { MediaReason } from "../events/media-reason.js";

interface PlannedMedia {
  /** Of the message that holds it. */
  readonly uuid: string;
  readonly kind: "image" | "document";
  readonly path: MediaPath;
  readonly bytes: number;
  readonly reason: MediaReason;
  /** What will stand in its place. */
  readonly text: string;
  /** The result that it is part of. */
  readonly toolUseId?: string;
}

export interface MediaPlan {
  /** The oldest first. */
  readonly replaced: readonly PlannedMedia[];
  /** The model binds thinking to what stands before it: what comes after the first change goes too. */
  readonly removesThinking: boolean;
}

/**
 * Which images and documents have to go for the next request to be accepted; undefined where all may stay.
 * Whoever is over a budget goes down to its low watermark, the oldest first, because each change costs the
 * cached prefix. What the model has not answered to yet goes only as far as the budget itself demands, and the
 * newest only where no request may hold it. Asking costs nothing while an index is within the budgets.
 */
export function decideMedia(
  media: readonly Message[] | MediaIndex,
  options: MediaOptions,
): MediaPlan | undefined {
  const index = "append" in media ? media : indexOf(media);
  if (isWithin(index.totals, options)) return undefined;
  const all = index.active();
  const chosen = new Map<MediaBlock, Pick<PlannedMedia, "reason" | "text">>();
  for (const [reason, choose] of choices) {
    const left = all.filter(({ block }) => !chosen.has(block));
    for (const { block } of choose(left, options)) {
      const text = reason === "refused" ? whyRefused(block, options) : undefined;
      chosen.set(block, { reason, text: text ?? placeholderOf(block.kind) });
    }
  }
  const replaced = all.flatMap(({ uuid, block }): readonly PlannedMedia[] => {
    const choice = chosen.get(block);
    const { kind, path, bytes, toolUseId } = block;
    const result = toolUseId === undefined ? {} : { toolUseId };
    return choice === undefined ? [] : [{ uuid, kind, path, bytes, ...choice, ...result }];
  });
  const removesThinking = options.model?.capabilities.thinking.boundToPrefix ?? true;
  return replaced.length === 0 ? undefined : { replaced, removesThinking };
}

function indexOf(messages: readonly Message[]): MediaIndex {
  const index = createMediaIndex();
  index.append(messages);
  return index;
}

const isWithin = (totals: MediaTotals, options: MediaOptions): boolean =>
  totals.refused === 0 &&
  totals.count <= countBudget(options).most &&
  totals.bytes <= bytesBudget(options).most &&
  (totals.large === 0 || totals.images <= MANY_IMAGES);

type Choose = (left: readonly IndexedMedia[], options: MediaOptions) => readonly IndexedMedia[];

/** Each looks at what those before it leave. */
const choices: readonly (readonly [MediaReason, Choose])[] = [
  ["refused", (left, options) => left.filter(({ block }) => whyRefused(block, options) !== undefined)],
  ["count", (left, options) => oldest(left, { ...countBudget(options), weigh: () => 1 })],
  ["bytes", (left, options) => oldest(left, { ...bytesBudget(options), weigh: ({ bytes }) => bytes })],
  ["pixels", (left, options) => tooLargeForMany(left, options)],
];

/** What to say of something that no request may hold; undefined for all that may stay. */
function whyRefused(block: MediaBlock, options: MediaOptions): string | undefined {
  const { kind, size, bytes, unreadable } = block;
  if (unreadable !== undefined) return unreadable;
  const hard = kind === "image" ? LARGEST_IMAGE : LARGEST_DOCUMENT;
  const limit = Math.min(hard, bytesBudget(options).most);
  if (size !== undefined && edgeOf(size) > LARGEST_EDGE) {
    return leftOutText(kind, { why: `${size.width}×${size.height} px, the limit is ${LARGEST_EDGE}` });
  }
  return bytes <= limit ? undefined : leftOutText(kind, { why: describeExcess(bytes, limit) });
}

const edgeOf = (size: MediaBlock["size"]): number => Math.max(size?.width ?? 0, size?.height ?? 0);

const pinnedLast = (left: readonly IndexedMedia[]): readonly IndexedMedia[] =>
  left.some(({ isPinned }) => isPinned)
    ? [...left.filter(({ isPinned }) => !isPinned), ...left.filter(({ isPinned }) => isPinned)]
    : left;

/** The oldest of those that weigh something, until the rest is within the budget, the newest never. */
function oldest(
  left: readonly IndexedMedia[],
  { most, target, weigh }: MediaBudget & { readonly weigh: (block: MediaBlock) => number },
): readonly IndexedMedia[] {
  let total = left.reduce((sum, { block }) => sum + weigh(block), 0);
  if (total <= most) return [];
  const newest = left.findLast(({ block }) => weigh(block) > 0);
  const chosen: IndexedMedia[] = [];
  for (const item of pinnedLast(left)) {
    const weight = weigh(item.block);
    if (total <= (item.isAnswered && !item.isPinned ? target : most)) break;
    if (weight === 0 || (item === newest && weight <= most)) continue;
    chosen.push(item);
    total -= weight;
  }
  return chosen;
}

/**
 * Many images, and some of them too large for that: those go if they are old. Otherwise the old ones go, large
 * or not, until the rest is not many any more.
 */
function tooLargeForMany(left: readonly IndexedMedia[], { settings }: MediaOptions): readonly IndexedMedia[] {
  const images = pinnedLast(left).filter(({ block }) => block.kind === "image");
  const large = images.filter(({ block }) => edgeOf(block.size) > LARGEST_EDGE_OF_MANY);
  if (images.length <= MANY_IMAGES || large.length === 0) return [];
  const unanswered = images.filter(({ isAnswered }) => !isAnswered).length;
  const { most, target } = budgetOf(MANY_IMAGES, settings.mediaKeepShare);
  const old = images.slice(0, -Math.max(target, Math.min(most, unanswered)));
  const isOld = new Set(old);
  return large.every((item) => isOld.has(item)) ? large : old;
}
