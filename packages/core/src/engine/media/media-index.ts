import type { AssistantMessage, Message } from "../../messages/message.js";
import { LARGEST_DOCUMENT, LARGEST_EDGE, LARGEST_IMAGE } from "../../messages/normalise/largest-media.js";
import { isPinned } from "../../messages/pinned.js";
import { isSyntheticError } from "../../messages/predicates.js";
import {
  isLocalClearing,
  isClearingBoundary,
  type ClearingBoundary,
} from "../boundaries/clearing-boundary.js";
import { isMediaBoundary, textsByMessage, type MediaBoundary } from "../boundaries/media-boundary.js";
import { pathKey } from "../boundaries/media-content.js";
import { mediaIn, type MediaBlock } from "./media-in-message.js";
import { LARGEST_EDGE_OF_MANY } from "./media-limits.js";

/** One image or document that would be sent now. */
export interface IndexedMedia {
  /** Of the message that holds it. */
  readonly uuid: string;
  readonly block: MediaBlock;
  /** A response came since: the model has seen it. */
  readonly isAnswered: boolean;
  /** Stays as long as there are others that can go. */
  readonly isPinned: boolean;
}

export interface MediaTotals {
  /** Images and documents. */
  readonly count: number;
  readonly images: number;
  readonly bytes: number;
  /** Images too large to be one of many. */
  readonly large: number;
  /** Those that no request may hold. */
  readonly refused: number;
}

/** The images and documents of a growing conversation. Each call of `append` costs what is new. */
export interface MediaIndex {
  /**
   * Takes messages at the end, stored originals or live ones alike: boundaries among them mark what was
   * replaced or cleared. For any other change of the list make a new index.
   */
  append(messages: readonly Message[]): void;
  readonly totals: MediaTotals;
  /** The oldest first. */
  active(): readonly IndexedMedia[];
}

interface Entry {
  readonly uuid: string;
  readonly isPinned: boolean;
  readonly block: MediaBlock;
}

const nothing: MediaTotals = { count: 0, images: 0, bytes: 0, large: 0, refused: 0 };

class FoldingMediaIndex implements MediaIndex {
  #entries: Entry[] = [];
  #totals = nothing;
  /** Entries before this one have been answered to. */
  #answered = 0;
  #responseId: unknown;

  get totals(): MediaTotals {
    return this.#totals;
  }

  append(messages: readonly Message[]): void {
    for (const message of messages) {
      if (message.type === "assistant") this.#takeAssistant(message);
      else if (isMediaBoundary(message)) this.#takeReplacement(message);
      else if (isClearingBoundary(message)) this.#takeClearing(message);
      else {
        const entry = { uuid: message.uuid, isPinned: isPinned(message) };
        for (const block of mediaIn(message)) this.#add({ ...entry, block });
      }
    }
  }

  active(): readonly IndexedMedia[] {
    return this.#entries.map((entry, order) => ({ ...entry, isAnswered: order < this.#answered }));
  }

  #add(entry: Entry): void {
    this.#entries.push(entry);
    this.#totals = withBlock(this.#totals, entry.block);
  }

  /** Results may come between the pieces of one response: what they show is not answered to by the next piece. */
  #takeAssistant(message: AssistantMessage): void {
    if (isSyntheticError(message)) return;
    const id: unknown = message.message?.id;
    if (typeof id === "string" && id !== "" && id === this.#responseId) return;
    this.#responseId = id;
    this.#answered = this.#entries.length;
  }

  #takeReplacement({ mediaMetadata }: MediaBoundary): void {
    const replaced = textsByMessage(mediaMetadata.replaced);
    this.#keep(({ uuid, block: { path, within } }) => {
      const paths = replaced.get(uuid);
      if (paths === undefined) return true;
      return !paths.has(pathKey(path)) && (within === undefined || !paths.has(pathKey(within)));
    });
  }

  #takeClearing(boundary: ClearingBoundary): void {
    if (!isLocalClearing(boundary)) return;
    const cleared = new Set(boundary.microcompactMetadata.toolUseIds);
    this.#keep(({ block }) => block.toolUseId === undefined || !cleared.has(block.toolUseId));
  }

  #keep(stays: (entry: Entry) => boolean): void {
    const kept = this.#entries.filter(stays);
    if (kept.length === this.#entries.length) return;
    this.#answered = this.#entries.slice(0, this.#answered).filter(stays).length;
    this.#entries = kept;
    this.#totals = kept.reduce((totals, { block }) => withBlock(totals, block), nothing);
  }
}

function withBlock(totals: MediaTotals, { kind, bytes, size, unreadable }: MediaBlock): MediaTotals {
  const edge = Math.max(size?.width ?? 0, size?.height ?? 0);
  const isTooLarge = edge > LARGEST_EDGE || bytes > (kind === "image" ? LARGEST_IMAGE : LARGEST_DOCUMENT);
  const isRefused = isTooLarge || unreadable !== undefined;
  return {
    count: totals.count + 1,
    images: totals.images + (kind === "image" ? 1 : 0),
    bytes: totals.bytes + bytes,
    large: totals.large + (edge > LARGEST_EDGE_OF_MANY ? 1 : 0),
    refused: totals.refused + (isRefused ? 1 : 0),
  };
}

/** An index for a conversation that grows at its end. */
export function createMediaIndex(): MediaIndex {
  return new FoldingMediaIndex();
}
