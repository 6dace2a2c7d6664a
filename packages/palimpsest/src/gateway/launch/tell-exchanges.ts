import type { Telemetry } from "../../telemetry/index.js";
import type { Endpoint, ExchangeRecord } from "../receipt/exchange-record.js";
import { errorOf, PAYERS } from "../receipt/receipt.js";

/** Whose protocol is spoken where a model is asked, in the names of the conventions. */
const PROVIDERS: Partial<Readonly<Record<Endpoint, string>>> = {
  messages: "anthropic",
  chat: "openai",
  responses: "openai",
};

/** Calls to models that went through, as spans and figures. */
export const tellExchanges =
  (telemetry: Telemetry | undefined) =>
  (record: ExchangeRecord): void => {
    const provider = PROVIDERS[record.endpoint];
    if (telemetry === undefined || provider === undefined) return;
    const { at, milliseconds, call, conversation, found, isSubscription } = record;
    const errorType = errorOf(record);
    telemetry.seen({
      at,
      milliseconds,
      provider,
      ...(call === undefined ? {} : { billed: call }),
      ...(conversation === undefined ? {} : { conversationId: conversation.id }),
      ...(errorType === undefined ? {} : { errorType }),
      ...(found === undefined
        ? {}
        : { cacheBreak: { reason: found.reasons[0] ?? "unknown", cost: found.cost } }),
      source: isSubscription ? PAYERS.subscription : PAYERS.key,
    });
  };
