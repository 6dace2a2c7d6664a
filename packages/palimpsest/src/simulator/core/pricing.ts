import type { Model, ModelRequest } from "@palimpsest/core";

/** What one call is billed for. */
export interface BilledTokens {
  readonly input: number;
  readonly cacheRead: number;
  readonly cacheWrite5m: number;
  readonly cacheWrite1h: number;
  readonly output: number;
}

const PER_MILLION = 1_000_000;

/** Dollars; a longer prompt may have prices of its own. */
export function priceOf(model: Model, tokens: BilledTokens): number {
  const prompt = tokens.input + tokens.cacheRead + tokens.cacheWrite5m + tokens.cacheWrite1h;
  const isLong = model.longPrompt !== undefined && prompt > model.longPrompt.above;
  const prices = isLong ? model.longPrompt.prices : model.prices;
  return (
    (tokens.input * prices.input +
      tokens.cacheRead * prices.cacheRead +
      tokens.cacheWrite5m * prices.cacheWrite5m +
      tokens.cacheWrite1h * prices.cacheWrite1h +
      tokens.output * prices.output) /
    PER_MILLION
  );
}

/** What inference in one country costs more. */
export const geoFactor = (request: ModelRequest): number => (request["inference_geo"] === "us" ? 1.1 : 1);
