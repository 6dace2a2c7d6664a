import type { CacheControl, ContentBlock, RequestMessage } from "../../messages/content.js";
import { asText, isFields, type Fields } from "../../messages/fields.js";
import { wrapReminder } from "../../messages/normalise/render-attachment.js";
import { groupByOrigin, noteOrigins } from "../origins.js";
import { systemLast } from "../system-last.js";
import type { GivenMessage } from "../turn-input.js";

/** A message of the list that the system says; it goes out as it came, but for its markers. */
interface SystemMessage extends Fields {
  readonly role: "system";
}

/**
 * What the caller says as the system, in the place where it is said. Where nobody knows any more where it comes from it
 * is a reminder: never the words of a person.
 */
export function systemGiven(message: Fields): GivenMessage {
  const { content } = message;
  const bare: Fields = {
    ...message,
    ...(Array.isArray(content)
      ? { content: content.map((block: unknown) => (isFields(block) ? withoutMarker(block) : block)) }
      : {}),
  };
  const block = { type: "text" as const, text: wrapReminder("system", said(bare)) };
  return {
    role: "user",
    content: noteOrigins(bare, [{ block, part: 0 }]),
    isMeta: true,
    // One that is meant for a single turn is over with it.
    isPinned: message["clear_at"] !== "next_user_message",
  };
}

const withoutMarker = ({ cache_control: _marker, ...rest }: Fields): Fields => rest;

/** Its words; more than words (tools that come and go) as JSON, so that two that differ are not taken for one. */
function said({ role: _role, content, ...more }: Fields): string {
  if (Object.keys(more).length > 0) return JSON.stringify({ content, ...more });
  if (typeof content === "string") return content;
  const blocks = Array.isArray(content) ? content : [];
  const isPlain = blocks.every((block: unknown) => isFields(block) && block["type"] === "text");
  return isPlain ? blocks.map((block: Fields) => asText(block["text"])).join("\n") : JSON.stringify(content);
}

/** The messages of a request, those of the system as they came. */
export function withSystemMessages(messages: readonly RequestMessage[]): readonly object[] {
  return messages.flatMap((message): readonly object[] => {
    const groups = groupByOrigin<SystemMessage, ContentBlock>(message.content);
    if (!groups.some(({ kind }) => kind === "whole")) return [message];
    const turn = groups.map((group): Fields => {
      if (group.kind === "parts") return { role: message.role, content: group.blocks };
      const marker = (group.blocks[0] as { readonly cache_control?: CacheControl | null } | undefined)
        ?.cache_control;
      return marker ? marked(group.message, marker) : group.message;
    });
    const sent = systemLast(turn, { isSystem: ({ role }) => role === "system", join: joinSystem });
    return joinPerson(sent);
  });
}

const blocksOf = ({ content }: Fields): readonly unknown[] =>
  typeof content === "string" ? [{ type: "text", text: content }] : Array.isArray(content) ? content : [];

/** Undefined where one of them has more than content. */
function joinSystem(before: Fields, next: Fields): Fields | undefined {
  const isPlain = [before, next].every((message) => Object.keys(message).length === 2);
  return isPlain ? { ...next, content: [...blocksOf(before), ...blocksOf(next)] } : undefined;
}

/** What stood around a message of the system is one message again. */
function joinPerson(turn: readonly Fields[]): readonly Fields[] {
  const said = turn.filter(({ role }) => role === "user");
  const others = turn.filter(({ role }) => role !== "user");
  return said.length === 0 ? others : [{ role: "user", content: said.flatMap(blocksOf) }, ...others];
}

/** With our marker on its last text. */
function marked(message: SystemMessage, marker: CacheControl): Fields {
  const blocks = blocksOf(message);
  const last = blocks.findLastIndex((block) => isFields(block) && block["type"] === "text");
  if (last === -1) return message;
  return {
    ...message,
    content: blocks.map((block, index) =>
      index === last && isFields(block) ? { ...block, cache_control: marker } : block,
    ),
  };
}
