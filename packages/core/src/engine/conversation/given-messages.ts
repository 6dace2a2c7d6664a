import type { MessageOrigin } from "../../messages/construct.js";
import { isFields } from "../../messages/fields.js";
import { readAnthropicMessage, type AnthropicMessage } from "../../messages/import/from-anthropic.js";
import { asImported, ImportError, noMessage } from "../../messages/import/imported.js";
import type { Message } from "../../messages/message.js";

const isPlain = (message: object): message is AnthropicMessage => "role" in message && !("uuid" in message);

/**
 * Messages of ours as they are; plain ones become messages of ours, each following the one before it. Throws for what is
 * neither.
 */
export function messagesOf(
  given: readonly (Message | AnthropicMessage)[],
  origin: MessageOrigin,
): {
  readonly messages: readonly Message[];
  /** Those that were plain. */ readonly made: readonly Message[];
} {
  const made: Message[] = [];
  let { parentUuid } = origin;
  const messages = given.map((message: unknown, index) => {
    const next = readMessage(message, index, { ...origin, parentUuid });
    if (next !== message) made.push(next);
    parentUuid = next.uuid;
    return next;
  });
  return { messages, made };
}

function readMessage(given: unknown, index: number, origin: MessageOrigin): Message {
  if (isFields(given) && isPlain(given)) {
    const [message] = asImported([readAnthropicMessage(given, index)], origin).messages;
    if (message !== undefined) return message;
    throw new ImportError(
      `message ${index} has the role system; what the system says is the option \`system\``,
    );
  }
  if (isFields(given) && typeof given["type"] === "string") return given as unknown as Message;
  throw noMessage(index);
}
