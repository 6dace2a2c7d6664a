import type { CacheBreak } from "../../simulator/breaks/break-finder.js";
import type { RequestRecord } from "../../simulator/http/request-log.js";

/** What can be asserted, and what it is. */
export const figureMeanings = {
  requests: "calls for a message that arrived",
  cacheHit: "the share of all input tokens that was read from the cache",
  kept: "the share of what an earlier request had cached that was read by the one that went on with it",
  breaks: "requests that did not read what was cached for them",
  expired: "those of them where the time of the cache was over",
  refused: "calls answered with a 4xx that --faults did not ask for",
  invalid: "those of them that the API finds invalid (400)",
  errors: "calls answered with any error, faults included",
  cost: "dollars",
  inputTokens: "tokens of all prompts",
  readTokens: "those of them that were read from the cache",
  writtenTokens: "those of them that were written to it",
  freshTokens: "those of them that were neither",
  lostTokens: "those that were cached before and not read",
  outputTokens: "tokens of all answers",
} as const;

export type FigureName = keyof typeof figureMeanings;
/** Null: there was nothing to measure it by. */
export type Figures = Readonly<Record<FigureName, number | null>>;

export const figureNames = Object.keys(figureMeanings) as readonly FigureName[];

/** A refusal that the report names. */
export interface Refused {
  readonly request: number;
  readonly status: number;
  readonly type: string;
  readonly message: string;
}

export interface FigureMeter {
  /** Gives its number, from 1; undefined for what is not a call for a message. */
  count(record: RequestRecord): number | undefined;
  /** The first of them, as far as they are kept. */
  readonly refusals: readonly Refused[];
  /** How many requests were too short for the model to cache anything of them. */
  readonly shortPrompts: number;
  figures(breaks: readonly CacheBreak[]): Figures;
}

const MOST_REFUSALS = 100;

/** Sums up every call for a message; what else is asked of the API (models, counting) is left out. */
export function createFigureMeter(): FigureMeter {
  const sums = { requests: 0, refused: 0, invalid: 0, errors: 0, cost: 0, shortPrompts: 0 };
  const tokens = { input: 0, read: 0, written: 0, fresh: 0, output: 0 };
  const refusals: Refused[] = [];
  return {
    refusals,
    get shortPrompts() {
      return sums.shortPrompts;
    },
    count({ method, path, status, error, faults, verdict }) {
      if (method !== "POST" || path.endsWith("/count_tokens")) return undefined;
      sums.requests += 1;
      if (status >= 400) sums.errors += 1;
      if (status >= 400 && status < 500 && faults.length === 0) {
        sums.refused += 1;
        if (status === 400) sums.invalid += 1;
        const { type, message } = error ?? { type: "error", message: "" };
        if (refusals.length < MOST_REFUSALS) refusals.push({ request: sums.requests, status, type, message });
      }
      if (verdict === null) return sums.requests;
      const written = verdict.cacheWrite5m + verdict.cacheWrite1h;
      tokens.input += verdict.input + verdict.cacheRead + written;
      tokens.read += verdict.cacheRead;
      tokens.written += written;
      tokens.fresh += verdict.input;
      tokens.output += verdict.output;
      sums.cost += verdict.cost;
      if (verdict.misses.some(({ reason }) => reason === "below-minimum")) sums.shortPrompts += 1;
      return sums.requests;
    },
    figures(breaks) {
      const lost = breaks.reduce((total, { tokens: count }) => total + count, 0);
      const { requests, refused, invalid, errors, cost } = sums;
      return {
        requests,
        cacheHit: tokens.input === 0 ? null : tokens.read / tokens.input,
        kept: tokens.read + lost === 0 ? null : tokens.read / (tokens.read + lost),
        breaks: breaks.length,
        expired: breaks.filter(({ reason }) => reason === "expired").length,
        refused,
        invalid,
        errors,
        cost,
        inputTokens: tokens.input,
        readTokens: tokens.read,
        writtenTokens: tokens.written,
        freshTokens: tokens.fresh,
        lostTokens: lost,
        outputTokens: tokens.output,
      };
    },
  };
}
