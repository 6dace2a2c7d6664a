import { isFields } from "../../messages/fields.js";
import type { BreakReason } from "../events/break-reason.js";
import type { ProviderDiagnosis } from "../events/provider-diagnosis.js";

/** Reads the `diagnostics` of a response to a request that asked for them; undefined where nothing was said. */
export function readDiagnosis(diagnostics: unknown): ProviderDiagnosis | undefined {
  if (diagnostics === null) return { type: "none" };
  if (!isFields(diagnostics)) return undefined;
  const reason = diagnostics["cache_miss_reason"];
  if (reason === null) return { type: "pending" };
  if (!isFields(reason) || typeof reason["type"] !== "string") return undefined;
  const missed = reason["cache_missed_input_tokens"];
  return { type: reason["type"], ...(typeof missed === "number" ? { missedTokens: missed } : {}) };
}

/**
 * What the provider calls each of our reasons. It compares model, system prompt, tools and messages; for other
 * settings it says that messages changed, or that it cannot tell.
 */
const providerWords: Readonly<Record<BreakReason["kind"], readonly string[]>> = {
  "model-changed": ["model_changed"],
  "speed-changed": ["model_changed"],
  "tools-changed": ["tools_changed"],
  "system-changed": ["system_changed"],
  "markers-changed": ["none"],
  "betas-changed": ["messages_changed", "unavailable"],
  "effort-changed": ["messages_changed", "unavailable"],
  "thinking-changed": ["messages_changed", "unavailable"],
  "body-changed": ["messages_changed", "unavailable"],
  "edits-changed": ["messages_changed", "unavailable", "none"],
  "auto-mode-changed": ["messages_changed", "unavailable", "none"],
  "overage-changed": ["messages_changed", "unavailable", "none"],
  "facts-changed": ["messages_changed", "unavailable", "none"],
  "images-changed": ["messages_changed", "unavailable"],
  "citations-changed": ["messages_changed", "unavailable"],
  "messages-changed": ["messages_changed"],
  "outside-lookback": ["none"],
  expired: ["none"],
  "thinking-stripped": ["none", "messages_changed"],
  "server-side": ["none"],
};

/** Whether the provider says what we say; undefined where it could not tell. */
export function agreesWith(
  { type }: ProviderDiagnosis,
  reasons: readonly BreakReason[],
): boolean | undefined {
  if (reasons.some(({ kind }) => providerWords[kind].includes(type))) return true;
  return ["pending", "previous_message_not_found", "unavailable"].includes(type) ? undefined : false;
}
