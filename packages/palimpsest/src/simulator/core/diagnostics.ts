import type { ModelRequest } from "@palimpsest/core";
import { isFields, type Fields } from "../fields.js";
import type { MissContext } from "./explain-miss.js";
import { differenceFrom } from "./request-record.js";

/**
 * The API's own word on a cache miss, for requests that name the message before; undefined for others. Null: it
 * compared the two prompts and found that one continues the other, whatever became of the entry since.
 */
export function diagnose(request: ModelRequest, context: MissContext): Fields | null | undefined {
  const asked = request["diagnostics"];
  if (!isFields(asked)) return undefined;
  const id = asked["previous_message_id"];
  if (typeof id !== "string") return null;
  const previous = context.records.findLast(
    (record) => record.messageId === id && record.workspace === context.workspace,
  );
  if (previous === undefined) return { cache_miss_reason: { type: "previous_message_not_found" } };
  const missed = Math.max(0, previous.cachedTokens - context.reading.read);
  const difference = differenceFrom(previous, context);
  const because = (type: string): Fields => ({
    cache_miss_reason: { type, cache_missed_input_tokens: missed },
  });
  switch (difference.kind) {
    case "model":
      return because("model_changed");
    case "tools":
      return because("tools_changed");
    case "system":
      return because("system_changed");
    case "settings":
      return { cache_miss_reason: { type: "unavailable" } };
    case "messages":
      return because("messages_changed");
    case "none":
      return null;
  }
}
