import type { Message } from "@palimpsest/core";
import type { RereadWindow } from "../forgetting/reread-windows.js";
import { asText, isFields } from "../readers/recording.js";
import type { RecordedConversation, RecordedRound } from "../rounds/recorded-round.js";

/**
 * The same conversation as if nothing had been read again in the rounds after its compactions: those calls ask for
 * nothing, and get nothing back. Everything else stands where it stood.
 */
export function withoutRereads(
  conversation: RecordedConversation,
  windows: readonly RereadWindow[],
): RecordedConversation {
  const left = new Set(windows.flatMap(({ after }) => after.map(({ round, block }) => `${round} ${block}`)));
  async function* rounds(): AsyncGenerator<RecordedRound> {
    const pending = new Set<string>();
    let number = -1;
    for await (const round of conversation.rounds()) {
      number += 1;
      const incoming = round.incoming.map((message) => withoutResults(message, pending));
      const content = round.response.content.map((block, at) => {
        if (block.type !== "tool_use" || !left.has(`${number} ${at}`)) return block;
        if (block.id !== undefined) pending.add(block.id);
        return { ...block, input: {} };
      });
      yield { ...round, incoming, response: { ...round.response, content } };
    }
  }
  return { overview: conversation.overview, rounds };
}

/** Results of calls that were left out are empty; their calls are no longer pending. */
function withoutResults(message: Message, pending: Set<string>): Message {
  if (pending.size === 0 || message.type !== "user") return message;
  const { content } = message.message;
  if (typeof content === "string") return message;
  const blocks = content.map((block) => {
    if (!isFields(block) || block["type"] !== "tool_result") return block;
    return pending.delete(asText(block["tool_use_id"])) ? { ...block, content: "" } : block;
  });
  return { ...message, message: { ...message.message, content: blocks } };
}
