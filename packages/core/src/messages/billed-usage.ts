import type { ResponseUsage, UsageIteration } from "./call/response.js";

type Figures = ResponseUsage | UsageIteration;

/** What a response is billed for; figures that the server left out count as 0. */
export interface BilledUsage {
  readonly input_tokens: number;
  readonly output_tokens: number;
  readonly cache_read_input_tokens: number;
  readonly cache_creation_input_tokens: number;
  /** Adds up to `cache_creation_input_tokens`. */
  readonly cache_creation: {
    readonly ephemeral_5m_input_tokens: number;
    readonly ephemeral_1h_input_tokens: number;
  };
}

/** The top-level figures leave out compactions: where there are iterations, their sum is what is billed. */
export function billedUsage(usage: ResponseUsage): BilledUsage {
  return billedIterations(usage).reduce(addFigures);
}

/** One element for each prompt that was read: prices go by the length of each. At least one. */
export function billedIterations(usage: ResponseUsage): readonly BilledUsage[] {
  const iterations = iterationsOf(usage);
  return (iterations.length > 0 ? iterations : [usage]).map(billedFigures);
}

function billedFigures(figures: Figures): BilledUsage {
  const { fiveMinutes, oneHour } = cacheWrites(figures);
  return {
    input_tokens: figure(figures.input_tokens),
    output_tokens: figure(figures.output_tokens),
    cache_read_input_tokens: figure(figures.cache_read_input_tokens),
    cache_creation_input_tokens: fiveMinutes + oneHour,
    cache_creation: { ephemeral_5m_input_tokens: fiveMinutes, ephemeral_1h_input_tokens: oneHour },
  };
}

/** Writes without a split by lifetime have the default one, five minutes. */
function cacheWrites(figures: Figures): { readonly fiveMinutes: number; readonly oneHour: number } {
  const total = figure(figures.cache_creation_input_tokens);
  const split = figures.cache_creation;
  const oneHour = figure(split?.ephemeral_1h_input_tokens);
  return { oneHour, fiveMinutes: Math.max(figure(split?.ephemeral_5m_input_tokens), total - oneHour) };
}

function addFigures(left: BilledUsage, right: BilledUsage): BilledUsage {
  return {
    input_tokens: left.input_tokens + right.input_tokens,
    output_tokens: left.output_tokens + right.output_tokens,
    cache_read_input_tokens: left.cache_read_input_tokens + right.cache_read_input_tokens,
    cache_creation_input_tokens: left.cache_creation_input_tokens + right.cache_creation_input_tokens,
    cache_creation: {
      ephemeral_5m_input_tokens:
        left.cache_creation.ephemeral_5m_input_tokens + right.cache_creation.ephemeral_5m_input_tokens,
      ephemeral_1h_input_tokens:
        left.cache_creation.ephemeral_1h_input_tokens + right.cache_creation.ephemeral_1h_input_tokens,
    },
  };
}

function iterationsOf(usage: ResponseUsage): readonly UsageIteration[] {
  const { iterations } = usage;
  return Array.isArray(iterations) ? iterations.filter((iteration) => iteration) : [];
}

/** A figure of somebody else's: 0 where it is none. */
export const figure = (value: unknown): number =>
  typeof value === "number" && Number.isFinite(value) ? Math.max(0, value) : 0;
