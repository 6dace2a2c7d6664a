import type { ApiFailure } from "../../messages/call/failure.js";
import type { ModelResponse } from "../../messages/call/response.js";
import type { CallOptions, ModelCall, ModelProvider } from "../ports/model-provider.js";
import { Aborted, untilAborted } from "./until-aborted.js";

export type ModelAnswer =
  | { readonly kind: "answer"; readonly response: ModelResponse }
  | { readonly kind: "failure"; readonly failure: ApiFailure };

export interface AskOptions {
  readonly signal?: AbortSignal | undefined;
  /** Told of each piece of text as it arrives. */
  readonly onText?: ((text: string) => void) | undefined;
  /** Told before each wait where the provider tries again. */
  readonly onRetry?: CallOptions["onRetry"] | undefined;
}

/** One call, awaited to its end or until the signal says so, whether or not the provider heeds it. Never throws. */
export async function askModel(
  provider: ModelProvider,
  call: ModelCall,
  options: AskOptions = {},
): Promise<ModelAnswer> {
  try {
    return await untilAborted(readAnswer(provider, call, options), options.signal);
  } catch (error) {
    return { kind: "failure", failure: error instanceof Aborted ? calledOff : unexpected(error) };
  }
}

async function readAnswer(
  provider: ModelProvider,
  call: ModelCall,
  { signal, onText, onRetry }: AskOptions,
): Promise<ModelAnswer> {
  let last: ModelAnswer | undefined;
  const options: CallOptions = {
    ...(signal === undefined ? {} : { signal }),
    ...(onRetry === undefined ? {} : { onRetry }),
  };
  for await (const output of provider.stream(call, options)) {
    if (signal?.aborted === true) break;
    if (output.kind === "text") onText?.(output.text);
    else if (output.kind === "message") last = { kind: "answer", response: output.message };
    else if (output.kind === "error") last = { kind: "failure", failure: output.failure };
  }
  return last ?? { kind: "failure", failure: unexpected("the answer never came") };
}

const calledOff: ApiFailure = { kind: "aborted", message: "called off", retryable: false };

const unexpected = (error: unknown): ApiFailure => ({
  kind: "api",
  message: error instanceof Error ? error.message : String(error),
  retryable: false,
});
