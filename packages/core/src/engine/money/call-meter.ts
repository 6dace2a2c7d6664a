import type { ApiFailure } from "../../messages/call/failure.js";
import type { ModelRequest } from "../../messages/call/request.js";
import type { ModelResponse, ResponseUsage } from "../../messages/call/response.js";
import type { CallOptions, ModelOutput } from "../ports/model-provider.js";

/** A request that went out and may be billed: answered, or cut off. */
export interface SentCall {
  readonly request: ModelRequest;
  /** The model that answered; as long as none did, the one that was asked. */
  readonly model: string;
  /** What was reported so far; absent where nothing was. */
  readonly usage?: ResponseUsage;
  /** Whether `usage` is the whole bill. */
  readonly isComplete: boolean;
  /** What the model had said by then. */
  readonly text: string;
}

/** Listens to one call with its retries, and knows at any moment what may be billed for it. */
export interface CallMeter {
  /** For the provider. */
  readonly onProgress: NonNullable<CallOptions["onProgress"]>;
  readonly onRetry: NonNullable<CallOptions["onRetry"]>;
  /** For each output of the stream. */
  see(output: ModelOutput): void;
  /** Every attempt so far; one that is still under way counts as cut off. */
  sent(): readonly SentCall[];
  /** Those of them that ended without a whole message. */
  cutOff(): readonly SentCall[];
}

interface OpenAttempt {
  message?: ModelResponse;
  usage?: ResponseUsage;
  text: string;
}

/** Follows one call by its progress, and says what is billed for it wherever it ends. */
export function createCallMeter(request: ModelRequest): CallMeter {
  const cut: SentCall[] = [];
  let answered: SentCall | undefined;
  let open: OpenAttempt | undefined;

  const asSent = ({ message, usage: whole, text }: OpenAttempt): SentCall => {
    const usage = whole ?? message?.usage;
    return {
      request,
      model: message?.model ?? request.model,
      ...(usage === undefined ? {} : { usage }),
      isComplete: whole !== undefined,
      text,
    };
  };
  /** An answer with an error in place of a response is free, and so is what never reached the server. */
  const isFree = (attempt: OpenAttempt, { status, isUnsent }: ApiFailure): boolean =>
    attempt.message === undefined && (status !== undefined || isUnsent === true);
  const close = (failure?: ApiFailure): void => {
    if (open !== undefined && (failure === undefined || !isFree(open, failure))) cut.push(asSent(open));
    open = undefined;
  };
  const begun = (): OpenAttempt => (open ??= { text: "" });
  const cutOff = (): readonly SentCall[] => [...cut, ...(open === undefined ? [] : [asSent(open)])];

  return {
    onProgress(progress) {
      if (progress.kind === "sent") {
        close();
        begun();
      } else if (progress.kind === "start") begun().message = progress.message;
      else begun().usage = progress.usage;
    },
    onRetry: ({ failure }) => close(failure),
    see(output) {
      if (output.kind === "start") begun().message = output.message;
      else if (output.kind === "text") begun().text += output.text;
      else if (output.kind === "thinking") begun().text += output.thinking;
      else if (output.kind === "tool-input") begun().text += output.json;
      else if (output.kind === "error") close(output.failure);
      else if (output.kind === "message") {
        const { model, usage } = output.message;
        answered = { request, model, usage, isComplete: true, text: open?.text ?? "" };
        open = undefined;
      }
    },
    cutOff,
    sent: () => [...cutOff(), ...(answered === undefined ? [] : [answered])],
  };
}
