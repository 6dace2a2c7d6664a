import type { Message } from "@palimpsest/core";

/** Longer messages are left out, so that many lists fit into a file. */
const LONG = 3000;

/** What people said in these messages, as the boundaries of `store-writer` list it. */
export const saidIn = (
  messages: readonly Message[],
): readonly { readonly uuid: string; readonly text: string }[] =>
  messages.flatMap((message) => {
    const content = message.type === "user" ? message.message.content : undefined;
    return typeof content === "string" && content.length < LONG
      ? [{ uuid: message.uuid, text: content }]
      : [];
  });
