import type { ContentBlock } from "../content.js";
import { asText, isFields, type Fields } from "../fields.js";

/** Thinking of other models has no signature: normalising leaves it out. */
export function reasoningBlock(part: Fields): ContentBlock {
  const options = part["providerOptions"] ?? part["providerMetadata"];
  const own = isFields(options) ? options["anthropic"] : undefined;
  const { signature, redactedData } = isFields(own) ? own : {};
  if (typeof redactedData === "string") return { type: "redacted_thinking", data: redactedData };
  return { type: "thinking", thinking: asText(part["text"]), signature: asText(signature) };
}
