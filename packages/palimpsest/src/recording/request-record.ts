import type { ResponseUsage } from "@palimpsest/core";

/**
 * What a recording holds beside the lines of its transcript, so that every request can be made again as it was sent. Lines of these
 * types stand in the same file; what reads transcripts passes them over. Ids are made of what they stand for: a thing is written once.
 */
export type RequestLine = PartRecord | ListRecord | MessageRecord | RequestRecord;

export const requestLineTypes = {
  part: "request_part",
  list: "request_list",
  message: "request_message",
  request: "request",
} as const;

/** A JSON value: a tool, a block, a text, a long field. Without the marker of the prompt cache that it may have borne. */
type PartRecord =
  | { readonly type: "request_part"; readonly id: string; readonly value: unknown }
  /** It is a block of a message of the transcript, or a text block with all of its content where that is one text. */
  | {
      readonly type: "request_part";
      readonly id: string;
      readonly of: readonly [uuid: string, block?: number];
    };

/** Parts in their order: the blocks of a system prompt, or tools. */
interface ListRecord {
  readonly type: "request_list";
  readonly id: string;
  readonly parts: readonly string[];
}

/** A message, and by `after` all that stand before it: who names the last one of a list names the list. */
export interface MessageRecord {
  readonly type: "request_message";
  readonly id: string;
  /** Null for a first one. */
  readonly after: string | null;
  /** Absent with `whole`. */
  readonly role?: unknown;
  /** A text block: the content is its text. */
  readonly text?: string;
  /** Parts of a content that is blocks. */
  readonly blocks?: readonly string[];
  /** Part that is the whole message, where it is anything else than a role and content. */
  readonly whole?: string;
}

/** A field of a request's body, in its order: its value, or where that is. `messages` names the last one; null for an empty list. */
export type FieldRecord =
  | readonly [name: string, kind: "value", value: unknown]
  | readonly [name: string, kind: "part" | "list", id: string]
  | readonly [name: string, kind: "messages", last: string | null];

/** A marker of the prompt cache, the last field of what bears it. */
export interface MarkerRecord {
  /** A system block, a tool, or a message and a block of it, from 0. */
  readonly at: readonly ["system" | "tools", number] | readonly ["messages", message: number, block: number];
  readonly control: unknown;
}

/** What came of a request. */
export interface RequestOutcome {
  readonly milliseconds: number;
  /** Absent where there was no answer. */
  readonly status?: number;
  /** `message.id` of the answer, whose lines stand in the transcript where it is a part of the conversation. */
  readonly response?: string;
  readonly model?: string;
  readonly usage?: ResponseUsage;
  /** The type of an error, or why there is no whole answer. */
  readonly error?: string;
}

export interface RequestRecord extends RequestOutcome {
  readonly type: "request";
  readonly id: string;
  /** When it was sent. */
  readonly timestamp: string;
  readonly sessionId: string;
  /** What the client says of itself. */
  readonly client?: { readonly session?: string; readonly agent?: string };
  readonly betas?: readonly string[];
  readonly fields: readonly FieldRecord[];
  readonly markers: readonly MarkerRecord[];
  /** Of the body. */
  readonly bytes: number;
  /** Whether what is made again is the body byte for byte, as long as nothing was taken out; else it is the same JSON spelled otherwise. */
  readonly exact: boolean;
  /** Something that looked like a key was taken out. */
  readonly redacted?: true;
}
