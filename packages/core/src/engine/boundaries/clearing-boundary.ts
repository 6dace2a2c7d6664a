import { createSystemMessage, type MessageOrigin } from "../../messages/construct.js";
import { asFields } from "../../messages/fields.js";
import type { Message, SystemMessage } from "../../messages/message.js";
import type { ClearVariant } from "../events/engine-events.js";

export interface ClearingMetadata {
  readonly variant: ClearVariant;
  /** `manual` where the caller named a target of its own. */
  readonly trigger: "auto" | "manual";
  /** In the order of their calls. */
  readonly toolUseIds: readonly string[];
  /** Tokens of the messages, by the estimator of the time. */
  readonly tokensBefore: number;
  readonly tokensAfter: number;
  /** The content of cleared results that say how to get them back, by id; the others hold the bare text. */
  readonly texts?: Readonly<Record<string, string>>;
  /** All thinking after this message, up to the boundary, was removed with the results. */
  readonly thinkingRemovedAfter?: string;
  /** Where the deletions inside the provider's cache stand in the request. */
  readonly pinnedAt?: EditPosition;
}

/** A place in a request: after the first `block` blocks of a message. */
export interface EditPosition {
  readonly message: number;
  readonly block: number;
}

/** Records a clearing. What was cleared stays on disk before it; reading it again applies it again. */
export interface ClearingBoundary extends SystemMessage {
  readonly subtype: "microcompact_boundary";
  readonly microcompactMetadata: ClearingMetadata;
}

export function createClearingBoundary(
  origin: MessageOrigin,
  microcompactMetadata: ClearingMetadata,
): ClearingBoundary {
  const base = createSystemMessage(origin, {
    subtype: "microcompact_boundary",
    content: "Old tool results cleared",
    level: "info",
  });
  return { ...base, subtype: "microcompact_boundary", microcompactMetadata };
}

/** A boundary of a clearing whose metadata can be used; it may come from a file and be anything. */
export function isClearingBoundary(message: Message): message is ClearingBoundary {
  if (message.type !== "system" || message.subtype !== "microcompact_boundary") return false;
  const metadata: unknown = (message as Partial<ClearingBoundary>).microcompactMetadata;
  const { toolUseIds, tokensBefore, tokensAfter, pinnedAt } = asFields(metadata);
  return (
    Array.isArray(toolUseIds) &&
    toolUseIds.every((id) => typeof id === "string") &&
    isCount(tokensBefore) &&
    isCount(tokensAfter) &&
    (pinnedAt === undefined || isPosition(pinnedAt))
  );
}

/** A number of things, as a file says it. */
export const isCount = (value: unknown): value is number => Number.isFinite(value) && (value as number) >= 0;

function isPosition(value: unknown): boolean {
  const { message, block } = asFields(value);
  return isCount(message) && isCount(block);
}

/** Whether the clearing changed the messages; otherwise the provider does it, request by request. */
export const isLocalClearing = ({ microcompactMetadata: { variant } }: ClearingBoundary): boolean =>
  variant === "time-based" || variant === "size-based";

/** Whether results leave the context here: a `usage` from before tells nothing of its size any more. */
export const removesContent = (message: Message): message is ClearingBoundary =>
  isClearingBoundary(message) && message.microcompactMetadata.toolUseIds.length > 0;
