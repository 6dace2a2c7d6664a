import type { Message } from "@palimpsest/core";
import { isClearingBoundary } from "@palimpsest/core/engine";
import { responseIdOf } from "../../replay/rounds/skeleton.js";
import type { BlockRow, PartKind } from "../contract.js";
import type { ConversationIndex } from "../index/conversation-index.js";
import type { IndexedBlock } from "../index/indexed-message.js";
import type { TracedRequest } from "../index/trace-requests.js";

/** A block of a request, before anything of its words was read. */
export interface PlacedBlock {
  readonly ordinal: number;
  /** Among the blocks of its message. */
  readonly block: number;
  readonly facts: IndexedBlock;
  readonly role: BlockRow["role"];
  /** Of its message in the request; absent for what stands before all messages. */
  readonly message?: number;
  /** Its result was taken out before this request. */
  readonly isCleared: boolean;
}

const HEAD: readonly PartKind[] = ["tools", "system"];

/** The blocks of a request in the order in which they are cached: tools, system prompt, messages. */
export function blocksOfRequest(
  { messages }: ConversationIndex,
  { context }: Pick<TracedRequest, "context">,
): readonly PlacedBlock[] {
  if (context === undefined) return [];
  const ordinals = context.list.slice(0, context.length);
  const cleared = new Set<string>();
  for (const ordinal of ordinals) {
    const message = messages[ordinal]?.message;
    if (message === undefined || !isClearingBoundary(message)) continue;
    for (const id of message.microcompactMetadata.toolUseIds) cleared.add(id);
  }
  const placed: PlacedBlock[] = [];
  let number = -1;
  let before: string | undefined;
  for (const ordinal of ordinals) {
    const { message, blocks } = messages[ordinal] ?? {};
    if (message === undefined || blocks === undefined || blocks.length === 0) continue;
    const isHead = message.type === "system";
    const sender = senderOf(message);
    if (!isHead && sender !== before) {
      number += 1;
      before = sender;
    }
    for (const [block, facts] of blocks.entries()) {
      placed.push({
        ordinal,
        block,
        facts,
        role: isHead
          ? facts.kind === "tools"
            ? "tools"
            : "system"
          : message.type === "assistant"
            ? "assistant"
            : "user",
        ...(isHead ? {} : { message: number }),
        isCleared: facts.type === "tool_result" && facts.call !== undefined && cleared.has(facts.call),
      });
    }
  }
  const head = HEAD.flatMap((kind) => placed.filter((block) => block.facts.kind === kind));
  return head.length === 0 ? placed : [...head, ...placed.filter(({ facts }) => !HEAD.includes(facts.kind))];
}

/** Messages one after another with the same are one message of the request. */
const senderOf = (message: Message): string =>
  message.type === "assistant" ? `response ${responseIdOf(message)}` : "user";
