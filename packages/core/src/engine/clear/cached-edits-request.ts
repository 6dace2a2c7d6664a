import type {
  RequestMessage,
  ToolResultBlock,
  UserBlock,
  UserRequestMessage,
} from "../../messages/content.js";
import { cleanToolId } from "../../messages/normalise/clean-block.js";
import type { CachedEdits, PinnedEdit } from "./cached-edits.js";
import type { EditPosition } from "../boundaries/clearing-boundary.js";

/** The private block that deletes results inside the provider's cached prefix. */
export interface CacheEditsBlock {
  readonly type: "cache_edits";
  readonly edits: readonly { readonly type: "delete"; readonly cache_reference: string }[];
}

/** A result that edits can refer to. */
export interface ReferencedResultBlock extends ToolResultBlock {
  readonly cache_reference: string;
}

/** A message of a request to a provider with server-side edits. */
export type EditableRequestMessage =
  | Exclude<RequestMessage, UserRequestMessage>
  | {
      readonly role: "user";
      readonly content: readonly (UserBlock | ReferencedResultBlock | CacheEditsBlock)[];
    };

/** After everything that the last user message of a request holds now; undefined where there is none. */
export function endOfRequest(messages: readonly RequestMessage[]): EditPosition | undefined {
  const message = messages.findLastIndex(({ role }) => role === "user");
  const content = messages[message]?.content;
  return content === undefined ? undefined : { message, block: content.length };
}

/** Results with references, once per message object: what was sent is the same object again. */
const referenced = new WeakMap<UserRequestMessage, EditableRequestMessage>();

/**
 * The request as such a provider takes it: every pinned edit at its place, and on each result the reference
 * that edits use. Call it on what the normaliser gives, before markers are placed.
 */
export function placeCachedEdits(
  messages: readonly RequestMessage[],
  { pinned }: Pick<CachedEdits, "pinned">,
): readonly EditableRequestMessage[] {
  const byMessage = new Map<number, PinnedEdit[]>();
  for (const edit of pinned) {
    const { message } = edit.position;
    byMessage.set(message, [...(byMessage.get(message) ?? []), edit]);
  }
  return messages.map((message, index) => {
    if (message.role !== "user") return message;
    const known = referenced.get(message) ?? withReferences(message);
    referenced.set(message, known);
    const edits = byMessage.get(index);
    return edits === undefined ? known : withEdits(known, edits);
  });
}

function withReferences(message: UserRequestMessage): EditableRequestMessage {
  if (!message.content.some(({ type }) => type === "tool_result")) return message;
  const content = message.content.map((block) =>
    block.type === "tool_result" ? { ...block, cache_reference: block.tool_use_id } : block,
  );
  return { ...message, content };
}

function withEdits(message: EditableRequestMessage, edits: readonly PinnedEdit[]): EditableRequestMessage {
  if (message.role !== "user") return message;
  const content = message.content.flatMap((block, index) => [...blocksAt(edits, index), block]);
  return { ...message, content: [...content, ...blocksAt(edits, message.content.length, true)] };
}

const blocksAt = (edits: readonly PinnedEdit[], at: number, orBehind = false): readonly CacheEditsBlock[] =>
  edits
    .filter(({ position }) => position.block === at || (orBehind && position.block > at))
    .map(({ toolUseIds }) => ({
      type: "cache_edits",
      edits: toolUseIds.map((id) => ({ type: "delete", cache_reference: cleanToolId(id) })),
    }));
