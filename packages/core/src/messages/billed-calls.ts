import type { QuerySource } from "./call/query-source.js";
import type { ResponseUsage } from "./call/response.js";
import { createSystemMessage, type MessageOrigin } from "./construct.js";
import { isFields } from "./fields.js";
import type { Message, SystemMessage } from "./message.js";

/** One call to a model that somebody pays for. */
export interface BilledCall {
  /** Who made it. Of a subagent's own compactions and notes: `agent:general/compact`. */
  readonly source: QuerySource;
  readonly model: string;
  readonly usage: ResponseUsage;
  /**
   * Set where it was cut off, or nobody reported what it used: `output` where the figures of the input are the
   * API's own, `all` where nothing is known but the size of the request.
   */
  readonly estimated?: "output" | "all";
}

/**
 * Says in the transcript what calls were paid for that no message of the conversation tells of: failed compactions,
 * notes, subagents, calls that were cut off. It belongs to no branch, and nobody but the account reads it.
 */
export interface BilledCallsRecord extends SystemMessage {
  readonly subtype: "billed_calls";
  readonly billedCalls: readonly BilledCall[];
}

export function createBilledCallsRecord(
  origin: MessageOrigin,
  billedCalls: readonly BilledCall[],
): BilledCallsRecord {
  const base = createSystemMessage(origin, {
    subtype: "billed_calls",
    content: `Calls beside the conversation: ${billedCalls.length}`,
    level: "info",
  });
  return { ...base, subtype: "billed_calls", billedCalls };
}

/** By its subtype alone: what it holds may come from a file and be anything. */
export const isBilledCallsRecord = (message: Message): boolean =>
  message.type === "system" && message.subtype === "billed_calls";

/** The calls of a record, or of a boundary, as far as they can be used; `source` where one names none. */
export function readBilledCalls(calls: unknown, source: QuerySource): readonly BilledCall[] {
  return (Array.isArray(calls) ? calls : []).flatMap((call: unknown): readonly BilledCall[] => {
    if (!isFields(call) || !isFields(call["usage"])) return [];
    const { model, estimated } = call;
    return [
      {
        source: typeof call["source"] === "string" ? call["source"] : source,
        model: typeof model === "string" ? model : "",
        usage: call["usage"] as unknown as ResponseUsage,
        ...(estimated === "output" || estimated === "all" ? { estimated } : {}),
      },
    ];
  });
}
