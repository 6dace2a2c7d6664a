import type { MessageOrigin } from "../../messages/construct.js";
import type { Message } from "../../messages/message.js";
import { stripThinking } from "../boundaries/clear-results.js";
import type { DeletionNotice } from "../boundaries/deletion-notice.js";
import type { EventEmitter } from "../events/emitter.js";
import type { Estimator } from "../ports/estimator.js";
import type { MediaPlan } from "./decide-media.js";
import {
  createMediaBoundary,
  isMediaBoundary,
  textsByMessage,
  type MediaBoundary,
} from "../boundaries/media-boundary.js";
import { placeholderOf, replaceMedia, type MediaTexts } from "../boundaries/media-content.js";

export interface ApplyMediaOptions {
  readonly origin: MessageOrigin;
  readonly events?: EventEmitter;
  /** With it the boundary says how much smaller the conversation got. */
  readonly estimator?: Pick<Estimator, "message">;
}

export interface AppliedMedia {
  /** The live messages from now on, the boundary at their end. */
  readonly messages: readonly Message[];
  /** To be stored after the originals. */
  readonly boundary: MediaBoundary;
  /** For whoever watches the cache. */
  readonly notice: DeletionNotice;
}

/**
 * Carries a plan of `decideMedia` out. `live` are the messages it was made for; append the boundary to the index
 * afterwards. Tells once for each reason what went.
 */
export function applyMedia(
  live: readonly Message[],
  plan: MediaPlan,
  { origin, events, estimator }: ApplyMediaOptions,
): AppliedMedia {
  const replaced = plan.replaced.map(({ uuid, path, kind, text }) => ({
    uuid,
    path,
    ...(text === placeholderOf(kind) ? {} : { text }),
  }));
  const anchor = plan.removesThinking ? firstChange(live, plan) : undefined;
  const thinking = anchor === undefined ? {} : { thinkingRemovedAfter: anchor };
  const draft = createMediaBoundary(origin, { replaced, ...thinking });
  const changed = rewrite([...live, draft], (message): message is MediaBoundary => message === draft);
  const tokensOf = (messages: readonly Message[]): number =>
    messages.reduce((sum, message) => sum + (estimator?.message(message) ?? 0), 0);
  const tokens = { tokensBefore: tokensOf(live), tokensAfter: tokensOf(changed) };
  const boundary =
    estimator === undefined ? draft : { ...draft, mediaMetadata: { ...draft.mediaMetadata, ...tokens } };
  tell(plan, events);
  return {
    messages: changed.map((message) => (message === draft ? boundary : message)),
    boundary,
    notice: { deletedTokens: tokens.tokensBefore - tokens.tokensAfter, keepsPrefix: false },
  };
}

/** In a request a result stands right after its call, wherever it was recorded: the change starts there. */
function firstChange(live: readonly Message[], { replaced }: MediaPlan): string | undefined {
  const uuids = new Set(replaced.map(({ uuid }) => uuid));
  const results = new Set(replaced.flatMap(({ toolUseId }) => toolUseId ?? []));
  return live.find((message) => uuids.has(message.uuid) || calls(message, results))?.uuid;
}

function calls(message: Message, ids: ReadonlySet<string>): boolean {
  if (message.type !== "assistant" || !Array.isArray(message.message?.content)) return false;
  return message.message.content.some((block) => block?.type === "tool_use" && ids.has(block.id));
}

function tell({ replaced }: MediaPlan, events: EventEmitter | undefined): void {
  for (const reason of new Set(replaced.map((media) => media.reason))) {
    const gone = replaced.filter((media) => media.reason === reason);
    const bytes = gone.reduce((sum, media) => sum + media.bytes, 0);
    events?.emit("media_replaced", { count: gone.length, bytes, reason });
  }
}

/**
 * The messages with every replacement among them applied to what stands before its boundary: stored originals
 * become what the live conversation was. Messages in which nothing is left to replace stay the same objects, and
 * a list in which nothing changes is returned itself. Clearings may be applied before or after.
 */
export function applyMediaBoundaries(messages: readonly Message[]): readonly Message[] {
  return rewrite(messages, isMediaBoundary);
}

/** The live messages after a replacement, its boundary at their end. */
export const applyMediaBoundary = (live: readonly Message[], boundary: MediaBoundary): readonly Message[] =>
  rewrite([...live, boundary], (message): message is MediaBoundary => message === boundary);

/** From the end to the start: whatever a boundary says holds for all that comes before it. */
function rewrite(
  messages: readonly Message[],
  counts: (message: Message) => message is MediaBoundary,
): readonly Message[] {
  const said = new SaidSoFar();
  const rewritten: Message[] = [];
  let isChanged = false;
  for (const message of messages.toReversed()) {
    if (counts(message)) said.add(message);
    const next = said.apply(message);
    isChanged ||= next !== message;
    if (next !== undefined) rewritten.push(next);
  }
  return isChanged ? rewritten.toReversed() : messages;
}

/** What the boundaries after a message say of it. */
class SaidSoFar {
  readonly #texts = new Map<string, MediaTexts>();
  readonly #strippedAfter = new Set<string>();

  /** An earlier boundary than those before: it found the original, so it is right about the text. */
  add({ mediaMetadata: { replaced, thinkingRemovedAfter } }: MediaBoundary): void {
    for (const [uuid, texts] of textsByMessage(replaced)) {
      const later = this.#texts.get(uuid);
      this.#texts.set(uuid, later === undefined ? texts : new Map([...later, ...texts]));
    }
    if (thinkingRemovedAfter !== undefined) this.#strippedAfter.add(thinkingRemovedAfter);
  }

  /** Undefined for a message that held nothing but thinking. */
  apply(message: Message): Message | undefined {
    this.#strippedAfter.delete(message.uuid);
    if (message.type === "assistant") {
      return this.#strippedAfter.size > 0 ? stripThinking(message) : message;
    }
    const texts = this.#texts.get(message.uuid);
    return texts === undefined ? message : replaceMedia(message, texts);
  }
}
