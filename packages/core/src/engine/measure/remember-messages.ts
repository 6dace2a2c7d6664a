import type { Message } from "../../messages/message.js";
import { sentBlocks } from "./sent-blocks.js";

/** Tokens of a message: the sum of its blocks, computed once per message object. */
export function rememberMessages(block: (block: unknown) => number): (message: Message) => number {
  const known = new WeakMap<Message, number>();
  return (message) => {
    let tokens = known.get(message);
    if (tokens === undefined) {
      tokens = sentBlocks(message).reduce<number>((sum, item) => sum + block(item), 0);
      known.set(message, tokens);
    }
    return tokens;
  };
}
