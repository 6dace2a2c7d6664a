import { findModel, type ApiFailure, type ModelProvider, type ModelResponse } from "@palimpsest/core";
import { sendable } from "@palimpsest/core/protocols";
import { priceOf } from "../../simulator/core/pricing.js";
import type { TokenCounter } from "../../simulator/tokens/bpe-counter.js";
import { billedTokens } from "../measures/recorded-bill.js";
import { createSharedCounter } from "../../simulator/tokens/shared-counter.js";
import { answerIn, createAnswerStore, type AnswerStore } from "./answer-store.js";
import { expectedCost, providerRequest, requestDigest } from "./provider-request.js";
import type { SummaryWriter } from "./summary-writer.js";

/** What asking a real model would cost, as far as a replay with the simulator's summaries tells. */
export interface SummaryPlan extends SummaryWriter {
  /** Answers that are not kept yet, and about what they would cost. */
  readonly calls: () => number;
  readonly dollars: () => number;
}

/** Answers what is kept, and counts what is not. */
export function planSummaries(folder: string, counter: TokenCounter = createSharedCounter()): SummaryPlan {
  const store = createAnswerStore(folder);
  const asked = new Set<string>();
  let dollars = 0;
  return {
    calls: () => asked.size,
    dollars: () => dollars,
    async answer(call) {
      const request = providerRequest(call);
      const digest = requestDigest(request);
      const content = await store.read(digest);
      if (content !== undefined) return { content };
      if (!asked.has(digest)) dollars += expectedCost(request, counter);
      asked.add(digest);
      return undefined;
    },
  };
}

export interface ProviderSummariesOptions {
  readonly provider: ModelProvider;
  /** Where answers are kept. */
  readonly folder: string;
  /** Dollars that may be spent in all. */
  readonly maxCost?: number;
  readonly counter?: TokenCounter;
}

/** What a real model was asked for. */
export interface ProviderSummaries extends SummaryWriter {
  readonly figures: () => SummaryFigures;
  /** Why it can no longer be asked, in one sentence. */
  readonly problem: () => string | undefined;
}

export interface SummaryFigures {
  /** Calls to the model, and what they cost by its own usage. */
  readonly asked: number;
  readonly dollars: number;
  /** Answers that were kept from before. */
  readonly kept: number;
}

/** Asks a real model, once for each request, and keeps its answers. After a failure it asks no more. */
export function createProviderSummaries(options: ProviderSummariesOptions): ProviderSummaries {
  const { provider, folder, maxCost = Infinity, counter = createSharedCounter() } = options;
  const store: AnswerStore = createAnswerStore(folder);
  let figures: SummaryFigures = { asked: 0, dollars: 0, kept: 0 };
  let problem: string | undefined;
  const stop = (why: string): Error => {
    problem ??= why;
    return new Error(problem);
  };
  return {
    figures: () => figures,
    problem: () => problem,
    async answer(call) {
      if (problem !== undefined) throw new Error(problem);
      const request = providerRequest(call);
      const digest = requestDigest(request);
      const known = await store.read(digest);
      if (known !== undefined) {
        figures = { ...figures, kept: figures.kept + 1 };
        return { content: known };
      }
      const expected = expectedCost(request, counter);
      if (figures.dollars + expected > maxCost) {
        throw stop(
          `the next summary would cost about $${expected.toFixed(2)}, and $${figures.dollars.toFixed(2)} of $${maxCost.toFixed(2)} are spent: allow more with --max-cost`,
        );
      }
      const outcome = await answerOf(provider, request);
      if ("failure" in outcome) {
        if (outcome.failure.kind === "context-overflow") return outcome;
        throw stop(`the provider did not write a summary: ${outcome.failure.message}`);
      }
      const { response } = outcome;
      figures = {
        ...figures,
        asked: figures.asked + 1,
        dollars: figures.dollars + costOf(response, request.model),
      };
      const content = answerIn(response.content);
      if (content.length > 0) await store.write(digest, content);
      return { content };
    },
  };
}

async function answerOf(
  provider: ModelProvider,
  request: ReturnType<typeof providerRequest>,
): Promise<{ readonly response: ModelResponse } | { readonly failure: ApiFailure }> {
  let response: ModelResponse | undefined;
  for await (const output of provider.stream({ request: sendable(request) })) {
    if (output.kind === "error") return { failure: output.failure };
    if (output.kind === "message") response = output.message;
  }
  if (response === undefined) throw new Error("the provider sent no answer");
  return { response };
}

function costOf({ model, usage }: ModelResponse, asked: string): number {
  const known = findModel(model) ?? findModel(asked);
  return known === undefined ? 0 : priceOf(known, billedTokens(usage));
}
