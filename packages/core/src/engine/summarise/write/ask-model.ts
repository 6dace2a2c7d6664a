import { errorText } from "../../../messages/error-text.js";
import type { ApiFailure } from "../../../messages/call/failure.js";
import type { ModelResponse } from "../../../messages/call/response.js";
import { createCallMeter, type CallMeter, type SentCall } from "../../money/call-meter.js";
import type { CallOptions, ModelCall, ModelProvider } from "../../ports/model-provider.js";
import { Aborted, untilAborted } from "../../ports/until-aborted.js";

type Ending =
  | { readonly kind: "answer"; readonly response: ModelResponse }
  | { readonly kind: "failure"; readonly failure: ApiFailure };

export type ModelAnswer = Ending & {
  /** Every attempt that may be billed, whatever came of it. */
  readonly sent: readonly SentCall[];
};

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
  const meter = createCallMeter(call.request);
  try {
    const answer = await untilAborted(readAnswer(provider, { call, meter }, options), options.signal);
    return { ...answer, sent: meter.sent() };
  } catch (error) {
    const failure = error instanceof Aborted ? calledOff : unexpected(error);
    return { kind: "failure", failure, sent: meter.sent() };
  }
}

async function readAnswer(
  provider: ModelProvider,
  { call, meter }: { readonly call: ModelCall; readonly meter: CallMeter },
  { signal, onText, onRetry }: AskOptions,
): Promise<Ending> {
  let last: Ending | undefined;
  const options: CallOptions = {
    onProgress: meter.onProgress,
    onRetry(retry) {
      meter.onRetry(retry);
      onRetry?.(retry);
    },
    ...(signal === undefined ? {} : { signal }),
  };
  for await (const output of provider.stream(call, options)) {
    meter.see(output);
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
  message: errorText(error),
  retryable: false,
});
