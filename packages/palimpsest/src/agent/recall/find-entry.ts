import type { Message } from "@palimpsest/core";
import { CLEARED_RESULT_TEXT } from "@palimpsest/core/engine";
import { decodeRawLine, type RawLine } from "../../stores/jsonl/raw-line.js";
import { isFields, type Fields } from "../base/fields.js";
import { fold } from "./fold.js";
import { passagesOf, type Passage } from "./passages.js";
import { exactTerms } from "./query-terms.js";
import { scanBackward } from "./scan-backward.js";
import type { TranscriptFile } from "./transcript-file.js";

export interface FindOptions {
  readonly id: string;
  readonly signal: AbortSignal;
  /** Where to begin, and how far to go back; everything where they are left out. */
  readonly end?: number;
  readonly start?: number;
}

/** The messages whose lines name the id, the newest first. */
async function* messagesNaming(file: TranscriptFile, options: FindOptions): AsyncGenerator<FoundMessage> {
  const { id, signal, end = file.size, start = 0 } = options;
  for await (const line of scanBackward(file, { sought: exactTerms([fold(id)]), end, start, signal })) {
    const decoded = decodeRawLine(line);
    if (decoded.kind !== "message") continue;
    yield { message: decoded.message, callsEnd: callsEnd(decoded.message, line) };
  }
}

export interface FoundMessage {
  readonly message: Message;
  readonly callsEnd: number;
}

/** Where the calls end whose results a message may hold: a provider's own results stand in the call's message. */
export const callsEnd = (message: Message, line: RawLine): number =>
  message.type === "assistant" ? line.end : line.start;

/** The message with that uuid. */
export async function findMessage(
  file: TranscriptFile,
  options: FindOptions,
): Promise<FoundMessage | undefined> {
  for await (const found of messagesNaming(file, options)) {
    if (found.message.uuid === options.id) return found;
  }
}

export type FoundResult =
  | { readonly kind: "result"; readonly found: FoundMessage; readonly passage: Passage }
  /** Only a placeholder was ever stored. */
  | { readonly kind: "cleared" }
  /** The call is there, its result is not. */
  | { readonly kind: "call" };

/** The result of that call, as it was before it was cleared; undefined where nothing is known of the call. */
export async function findResult(
  file: TranscriptFile,
  options: FindOptions,
): Promise<FoundResult | undefined> {
  let other: FoundResult | undefined;
  for await (const found of messagesNaming(file, options)) {
    const own = passagesOf(found.message).filter(({ toolUseId }) => toolUseId === options.id);
    const results = own.filter(({ isResult }) => isResult === true);
    const passage = results.find(({ text }) => !text.startsWith(CLEARED_RESULT_TEXT));
    if (passage !== undefined) return { kind: "result", found, passage };
    if (results.length > 0) other = { kind: "cleared" };
    else if (own.length > 0) return other ?? { kind: "call" };
  }
  return other;
}

/** Between a call and its result stand other results at most. */
const CALL_DISTANCE = 16 * 1024 * 1024;

export interface FoundCall {
  readonly name: string;
  readonly input: unknown;
}

export interface CallOptions {
  readonly toolUseId: string;
  /** After the place where it stands: `callsEnd` of the message with the result. */
  readonly end: number;
  readonly signal: AbortSignal;
}

/** The call that a result answers. */
export async function findCall(
  file: TranscriptFile,
  { toolUseId, end, signal }: CallOptions,
): Promise<FoundCall | undefined> {
  const start = Math.max(0, end - CALL_DISTANCE);
  for await (const { message } of messagesNaming(file, { id: toolUseId, signal, end, start })) {
    const call = callIn(message, toolUseId);
    if (call !== undefined) return call;
  }
}

function callIn(message: Message, toolUseId: string): FoundCall | undefined {
  if (message.type !== "assistant") return undefined;
  const blocks: readonly unknown[] = message.message.content;
  const call = blocks.find(
    (block): block is Fields => isFields(block) && block["id"] === toolUseId && "input" in block,
  );
  if (call === undefined || typeof call["name"] !== "string") return undefined;
  return { name: call["name"], input: call["input"] };
}
