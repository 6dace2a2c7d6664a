import type { ModelResponse } from "../../../../messages/call/response.js";
import type { RequestMessage } from "../../../../messages/content.js";
import type { ModelProvider } from "../../../ports/model-provider.js";
import { buildFork } from "../../../prompt/fork.js";
import type { BuiltRequest, CacheSafeParams } from "../../../prompt/request-builder.js";
import { askModel, type AskOptions, type ModelAnswer } from "../ask-model.js";

export interface ForkSummary {
  readonly provider: ModelProvider;
  /** Of the last answered request of the conversation. */
  readonly params: CacheSafeParams;
  /** The conversation, or its beginning, and after it the request for a summary. */
  readonly messages: readonly RequestMessage[];
  readonly now: number;
  readonly maxTokens: number;
  /** Told what is sent, before it is; what it gives is told of the answer. */
  readonly onRequest?: ((built: BuiltRequest) => ((response: ModelResponse) => void) | void) | undefined;
}

/**
 * Asks the conversation's own model on the conversation's own cache: everything in the cache key is as it was
 * last sent, one user message follows, and nothing is written. What the caller set for its own answers is left out.
 */
export async function askFork(summary: ForkSummary, options: AskOptions): Promise<ModelAnswer> {
  const { provider, params, messages, now, maxTokens, onRequest } = summary;
  const built = buildFork(params, {
    source: "compact",
    prefix: messages,
    messages: [],
    now,
    maxTokens,
    answer: "text",
  });
  const tell = onRequest?.(built);
  const answer = await askModel(provider, { request: built.request, betas: built.betas }, options);
  if (answer.kind === "answer") tell?.(answer.response);
  return answer;
}
