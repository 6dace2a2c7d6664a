import type { Message } from "../../messages/message.js";
import { PalimpsestError, type PalimpsestErrorCode } from "../../messages/palimpsest-error.js";

/** Where conversations are kept. Ids are the caller's; what an implementation cannot use as one it refuses. */
export interface TranscriptStore {
  /**
   * Takes the conversation for writing, new or old. Rejects with a `TranscriptError` of code `locked` while
   * somebody else holds it.
   */
  open(conversationId: string): Promise<TranscriptWriter>;
  /**
   * The live messages: from the last boundary on, a preserved segment in its place; after them what was paid for beside them
   * (`billed` of `linkLive`). Cost follows their size.
   */
  readLive(conversationId: string): Promise<TranscriptContent>;
  /** Every message ever appended, oldest first. */
  readAll(conversationId: string): Promise<TranscriptContent>;
  /** What is stored, most recently changed first. */
  list(): Promise<readonly TranscriptInfo[]>;
}

/** The one writer of a conversation. */
export interface TranscriptWriter {
  /** Resolves once the messages are stored as durably as the store promises. Batches keep their order. */
  append(messages: readonly Message[]): Promise<void>;
  /** Waits for what was appended and gives the conversation free. Closing twice does nothing. */
  close(): Promise<void>;
}

export interface TranscriptContent {
  readonly messages: readonly Message[];
  /** Lines that could not be read; everything else was. */
  readonly damaged: readonly DamagedLine[];
}

export interface DamagedLine {
  /** Counted from 1. */
  readonly line: number;
  /** Where the line starts, in bytes. */
  readonly offset: number;
  readonly reason: string;
}

export interface TranscriptInfo {
  readonly id: string;
  readonly updatedAt: number;
  readonly bytes: number;
}

export type TranscriptErrorCode = Extract<
  PalimpsestErrorCode,
  "locked" | "not_found" | "bad_id" | "bad_message" | "closed" | "io"
>;

/** What a store rejects with; `message` is one sentence for a person. */
export class TranscriptError extends PalimpsestError<TranscriptErrorCode> {
  override readonly name = "TranscriptError";
}
