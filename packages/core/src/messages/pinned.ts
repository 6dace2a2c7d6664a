import { isFields } from "./fields.js";
import type { AssistantMessage, Message } from "./message.js";

/** A message that stays word for word whatever is summarised. It may come from a file and be anything. */
export const isPinned = (message: Message): boolean => (message.isPinned as unknown) === true;

/** What a compaction writes of a pinned message whose original it leaves behind. */
export const isPinnedCopy = (message: Message): boolean =>
  typeof (message as { readonly pinnedUuid?: unknown }).pinnedUuid === "string";

/**
 * The pinned messages of a list, in its order, with what they cannot do without: the calls of pinned results, all results of
 * such calls, the other pieces of their responses.
 */
export function pinnedIn(messages: readonly Message[]): readonly Message[] {
  const chosen = new Set(messages.filter((message) => isPinned(message) && message.type !== "progress"));
  if (chosen.size === 0) return [];
  for (let before = 0; before !== chosen.size;) {
    before = chosen.size;
    const ids = new Set([...chosen].flatMap(bondsOf));
    for (const message of messages) if (bondsOf(message).some((id) => ids.has(id))) chosen.add(message);
  }
  return messages.filter((message) => chosen.has(message));
}

/** By what messages belong together: a response by its id, calls and results by theirs. */
function bondsOf(message: Message): readonly string[] {
  if (message.type !== "user" && message.type !== "assistant") return [];
  const content: unknown = message.message?.content;
  const blocks = Array.isArray(content) ? content.filter(isFields) : [];
  const calls = blocks.flatMap(({ type, id, tool_use_id: of }) => {
    const bond = type === "tool_use" ? id : type === "tool_result" ? of : undefined;
    return typeof bond === "string" ? [`call ${bond}`] : [];
  });
  return message.type === "assistant" ? [`response ${message.message?.id}`, ...calls] : calls;
}

/**
 * A pinned message as it stands after a summary. Thinking is bound to what stood before it, and usage tells of a request
 * that is over. Undefined where nothing is left.
 */
export function copyPinned(
  message: Message,
  { uuid, parentUuid }: { readonly uuid: string; readonly parentUuid: string },
): Message | undefined {
  const place = { uuid, parentUuid, isPinned: true, pinnedUuid: message.uuid };
  if (message.type !== "assistant") return { ...message, ...place };
  const { usage: _usage, ...response } = message.message;
  const content = response.content.filter(({ type }) => type !== "thinking" && type !== "redacted_thinking");
  if (content.length === 0) return undefined;
  const {
    overtakes: _overtakes,
    promptHead: _head,
    ...rest
  } = message as AssistantMessage & {
    readonly overtakes?: unknown;
    readonly promptHead?: unknown;
  };
  return { ...rest, ...place, message: { ...response, content } };
}
