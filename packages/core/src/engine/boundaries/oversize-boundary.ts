import { createSystemMessage, type MessageOrigin } from "../../messages/construct.js";
import { isFields } from "../../messages/fields.js";
import type { Message, SystemMessage } from "../../messages/message.js";
import type { TextPath } from "./message-texts.js";

/** A text of which the two ends are left. */
export interface CutText {
  /** Of the message that holds it. */
  readonly uuid: string;
  readonly path: TextPath;
  /** How long the text was that was cut; one of another length is left alone. */
  readonly characters: number;
  /** Characters that are left of its beginning and of its end. */
  readonly head: number;
  readonly tail: number;
  /** What stands between them. */
  readonly note: string;
  /** How long the text was at first, where it was cut before. */
  readonly whole?: number;
  /** Where all of it is kept. */
  readonly kept?: string;
}

export interface OversizeMetadata {
  /** In the order of the messages. */
  readonly cut: readonly CutText[];
  /** Tokens of what nobody had answered, by the estimator of the time. */
  readonly tokensBefore: number;
  readonly tokensAfter: number;
}

/** Records that texts were cut. The originals stay on disk before it; reading it again cuts them again, to the byte. */
export interface OversizeBoundary extends SystemMessage {
  readonly subtype: "oversize_boundary";
  readonly oversizeMetadata: OversizeMetadata;
}

export function createOversizeBoundary(
  origin: MessageOrigin,
  oversizeMetadata: OversizeMetadata,
): OversizeBoundary {
  const base = createSystemMessage(origin, {
    subtype: "oversize_boundary",
    content: "Texts too long for the window were cut to their ends",
    level: "info",
  });
  return { ...base, subtype: "oversize_boundary", oversizeMetadata };
}

/** A boundary of cuts whose metadata can be used; it may come from a file and be anything. */
export function isOversizeBoundary(message: Message): message is OversizeBoundary {
  if (message.type !== "system" || message.subtype !== "oversize_boundary") return false;
  const metadata: unknown = (message as Partial<OversizeBoundary>).oversizeMetadata;
  if (!isFields(metadata)) return false;
  const { cut, tokensBefore, tokensAfter } = metadata;
  return Array.isArray(cut) && cut.every(isCutText) && isCount(tokensBefore) && isCount(tokensAfter);
}

const isCount = (value: unknown): value is number => Number.isSafeInteger(value) && (value as number) >= 0;

const LONGEST_PATH = 2;

/** What is left has to be shorter than what was there: then nothing is ever cut twice by the same boundary. */
function isCutText(value: unknown): boolean {
  if (!isFields(value)) return false;
  const { uuid, path, characters, head, tail, note, whole, kept } = value;
  return (
    typeof uuid === "string" &&
    Array.isArray(path) &&
    path.length <= LONGEST_PATH &&
    path.every(isCount) &&
    isCount(characters) &&
    isCount(head) &&
    isCount(tail) &&
    typeof note === "string" &&
    head + note.length + tail < characters &&
    (whole === undefined || isCount(whole)) &&
    (kept === undefined || typeof kept === "string")
  );
}
