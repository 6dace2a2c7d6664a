import type { Model } from "../../../models/model.js";

/** The `thinking` that costs a summary least on this model; undefined where leaving it out is best. */
export function leastThinking(model: Model | undefined): Readonly<Record<string, unknown>> | undefined {
  const support = model?.capabilities.thinking;
  if (support === undefined) return undefined;
  if (support.disabled !== "no") return { type: "disabled" };
  return support.betweenTools ? { type: "between_tools" } : undefined;
}
