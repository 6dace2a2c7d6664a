import type { ResponseUsage } from "../../messages/call/response.js";
import { isFields } from "../../messages/fields.js";
import { findModel } from "../../models/table.js";
import { priceCall, type CallPrice } from "./price-call.js";

export interface Priced extends CallPrice {
  readonly kind: "priced";
  /** As the table of models has it. */
  readonly model: string;
}

export interface Unpriced {
  readonly kind: "unpriced";
  readonly model: string;
  /** One sentence: why nobody can say it. */
  readonly message: string;
}

/**
 * What a call cost and what it would have cost without a prompt cache, by the usage that the API reported for it. Never
 * throws: a model that has no row in the table of models, and a usage without figures, have no price, and it says so.
 */
export function priceOf(model: string, usage: ResponseUsage): Priced | Unpriced {
  const isReported = isFields(usage) && [usage["input_tokens"], usage["output_tokens"]].some(isCount);
  const price = isReported ? priceCall({ model, usage }) : undefined;
  if (price !== undefined) return { kind: "priced", model: findModel(model)?.id ?? model, ...price };
  const message = isReported
    ? `No prices are known for the model ${JSON.stringify(model)}.`
    : "The usage must be what the Messages API reports, with input_tokens and output_tokens.";
  return { kind: "unpriced", model, message };
}

const isCount = (value: unknown): boolean =>
  typeof value === "number" && value >= 0 && Number.isFinite(value);
