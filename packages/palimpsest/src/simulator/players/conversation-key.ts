import type { ModelRequest } from "@palimpsest/core";
import { hashValue } from "@palimpsest/core/engine";
import { isFields } from "../fields.js";
import { firstHumanText, systemText } from "./prompt-text.js";

/**
 * Who speaks: the client's `metadata.user_id` (agents put a session id there), else the system prompt. All
 * conversations of one family may have to be told apart: subagents and side requests share their session's id.
 */
export function conversationFamily(request: ModelRequest): string {
  const metadata = request["metadata"];
  const user = isFields(metadata) ? metadata["user_id"] : undefined;
  return typeof user === "string" && user !== ""
    ? `user:${user}`
    : `system:${hashValue(systemText(request))}`;
}

/**
 * Which conversation a request belongs to, as far as the request alone can tell: its family and what the person
 * said first. The same for retries, for later turns and for forks. A compaction replaces the first message; what
 * then still leads to the conversation is in `conversation-position.ts`.
 */
export const conversationKey = (request: ModelRequest): string =>
  `${conversationFamily(request)} first:${hashValue(firstHumanText(request.messages))}`;

/** The short form of a key that tool_use ids carry: lower-case letters and digits. */
export const conversationTag = (key: string): string => hashValue(key).slice(0, 10);

/** The tools that a request offers, as one short value. */
export const toolsFingerprint = (request: ModelRequest): string =>
  hashValue((request.tools ?? []).map((tool) => tool.name));
