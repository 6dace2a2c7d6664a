import type { Clock, Ids } from "../../messages/construct.js";
import { asFields } from "../../messages/fields.js";
import type { AnthropicMessage } from "../../messages/import/from-anthropic.js";
import type { Message } from "../../messages/message.js";
import { checkedTools, demand, systemText } from "./check-options.js";
import type { ConversationOptions } from "./conversation-options.js";
import type { ResolvedOptions } from "./host-options.js";

/** Where nobody hands a clock in. */
export const machineClock: Clock = { now: () => Date.now() };

/** Web-standard; pages that are not served securely do without. */
declare const crypto: { randomUUID?(): string } | undefined;

function createRandomIds(): Ids {
  let made = 0;
  return {
    next: () =>
      (typeof crypto === "undefined" ? undefined : crypto.randomUUID?.()) ??
      `${Date.now().toString(36)}-${(made += 1)}-${Math.random().toString(36).slice(2)}`,
  };
}

/** The options with what nobody has handed in. A conversation that goes on keeps the id of its session. */
export function resolveOptions(
  options: ConversationOptions,
  messages: readonly (Message | AnthropicMessage)[],
): ConversationOptions & ResolvedOptions {
  const { clock = machineClock, ids = createRandomIds(), tools, system, ...given } = options;
  demand(Array.isArray(messages), "createConversation: the messages must be a list");
  const custom = systemText(system);
  const resumed = messages.findLast((message) => "sessionId" in asFields(message)) as Message | undefined;
  return {
    ...given,
    sessionId: given.sessionId ?? resumed?.sessionId ?? ids.next(),
    clock,
    ids,
    ...(system && { system: custom === undefined ? system : { custom } }),
    ...(tools && { tools: () => checkedTools(typeof tools === "function" ? tools() : tools) }),
  };
}
