import type { ApiFailure, CallOptions, ModelCall, ModelOutput, ModelProvider } from "@palimpsest/core";
import { setTimeout as sleep } from "node:timers/promises";

/** How often one response may break off after its first words. */
const MOST_BREAKS = 4;
/** Each later wait is twice as long. */
const FIRST_WAIT_MS = 500;

/** The provider, with responses that break off asked for again. */
export const unbroken = (provider: ModelProvider): ModelProvider => ({
  name: provider.name,
  capabilities: (model) => provider.capabilities(model),
  stream: (call, options = {}) => streamUnbroken(provider, { call, ...options }),
});

/**
 * A response that breaks off after its first words is asked for again: nothing of it was stored. What fails before
 * any word the provider tries again itself. `onRetry` says that what was told of the response is void.
 */
export async function* streamUnbroken(
  provider: ModelProvider,
  {
    call,
    firstWaitMs = FIRST_WAIT_MS,
    ...options
  }: CallOptions & { readonly call: ModelCall; readonly firstWaitMs?: number },
): AsyncGenerator<ModelOutput> {
  for (let attempt = 1; ; attempt += 1) {
    let hasBegun = false;
    let broken: ApiFailure | undefined;
    for await (const output of provider.stream(call, options)) {
      if (output.kind === "error" && hasBegun && output.failure.retryable && attempt <= MOST_BREAKS) {
        broken = output.failure;
        break;
      }
      hasBegun = true;
      yield output;
    }
    if (broken === undefined) return;
    const waitMs = firstWaitMs * 2 ** (attempt - 1);
    options.onRetry?.({ attempt, failure: broken, waitMs });
    // Where it is called off, the provider says so itself.
    await sleep(waitMs, undefined, options.signal === undefined ? {} : { signal: options.signal }).catch(
      () => {},
    );
  }
}
