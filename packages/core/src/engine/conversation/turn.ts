import type { ApiFailure } from "../../messages/call/failure.js";
import type { ModelResponse } from "../../messages/call/response.js";
import type { ToolUseBlock } from "../../messages/content.js";
import { createCallMeter } from "../money/call-meter.js";
import type { CallOptions, ModelProvider } from "../ports/model-provider.js";
import type {
  Conversation,
  EngineStep,
  Held,
  Observed,
  Outcome,
  PreparedRequest,
  TurnEvent,
} from "./conversation-api.js";
import { telling } from "./telling.js";
import { untilAnswered } from "./until-answered.js";

export interface TurnOptions {
  readonly provider: ModelProvider;
  readonly signal?: AbortSignal | undefined;
}

type Accepted = Extract<Observed, { readonly kind: "accepted" }>;
type Failed = Extract<Observed, { readonly kind: "failed" }>;

/** How one request with its answer ended. `steps`: all that the engine did on the way. */
export type TurnEnd =
  | (Accepted & {
      readonly response: ModelResponse;
      readonly calls: readonly ToolUseBlock[];
      /** The call in whose middle the answer reached its limit of tokens: what there is of its input is not what was meant. */
      readonly cutOff: ToolUseBlock | undefined;
      readonly steps: readonly EngineStep[];
    })
  | Held
  | (Failed & { readonly steps: readonly EngineStep[] });

/**
 * One request with its answer: prepares, streams, observes, and again where the API called it too long and there is
 * room now. Yields what happens; what was called off ends as `held` or `failed` with `aborted`. What is cut off on the way
 * is charged, also where whoever listens walks away.
 */
export async function* takeTurn(
  conversation: Pick<Conversation, "prepare" | "observe" | "charge">,
  { provider, signal }: TurnOptions,
): AsyncGenerator<TurnEvent, TurnEnd> {
  const cancel = signal === undefined ? {} : { signal };
  const steps: EngineStep[] = [];
  const end = yield* untilAnswered({
    async prepare() {
      const prepared = await conversation.prepare(cancel);
      steps.push(...prepared.steps);
      return prepared;
    },
    send: (prepared: PreparedRequest) => send(conversation, prepared, { provider, signal }),
    async observe(prepared, outcome) {
      const observed = await conversation.observe(prepared, outcome, cancel);
      if (observed.kind === "retry") steps.push(observed.step);
      if (observed.kind !== "accepted" || outcome.kind !== "response")
        return observed as Exclude<Observed, Accepted>;
      const { response } = outcome;
      // As they are stored: their inputs may have been fitted to their tools.
      const { content } = observed.message.message;
      const calls = content.filter((block): block is ToolUseBlock => block.type === "tool_use");
      const last = content.at(-1);
      const cutOff = response.stop_reason === "max_tokens" && last?.type === "tool_use" ? last : undefined;
      return { ...observed, response, calls, cutOff };
    },
  });
  return { ...end, steps };
}

/** Web-standard, and in every runtime that this project supports. */
declare const AbortController: new () => { readonly signal: AbortSignal; abort(): void };

async function* send(
  conversation: Pick<Conversation, "charge">,
  { call }: PreparedRequest,
  { provider, signal }: TurnOptions,
): AsyncGenerator<TurnEvent, Outcome> {
  const left = new AbortController();
  const leave = (): void => left.abort();
  if (signal?.aborted === true) leave();
  signal?.addEventListener("abort", leave, { once: true });
  const meter = createCallMeter(call.request);
  let isOver = false;
  let isLeft = false;
  let charged = 0;
  const charge = async (): Promise<void> => {
    const due = (isLeft ? meter.sent() : meter.cutOff()).slice(charged);
    charged += due.length;
    if (due.length > 0) await conversation.charge(...due);
  };
  try {
    const outcome = yield* telling(async (tell: (event: TurnEvent) => void): Promise<Outcome> => {
      const onRetry: NonNullable<CallOptions["onRetry"]> = (retry) => {
        meter.onRetry(retry);
        tell({ kind: "retry", ...retry });
      };
      try {
        const { onProgress } = meter;
        for await (const output of provider.stream(call, { signal: left.signal, onRetry, onProgress })) {
          meter.see(output);
          if (output.kind === "message") return { kind: "response", response: output.message };
          if (output.kind === "error") return { kind: "failure", failure: output.failure };
          tell(output);
        }
        return { kind: "failure", failure: left.signal.aborted ? calledOff : noAnswer };
      } finally {
        isOver = true;
        await charge();
      }
    });
    // Whoever observes it pays it.
    isOver = false;
    return outcome;
  } finally {
    // Whoever stops listening does not want the rest either.
    leave();
    signal?.removeEventListener("abort", leave);
    isLeft = true;
    if (isOver) await charge();
  }
}

const calledOff: ApiFailure = { kind: "aborted", message: "", retryable: false };
/** Of a provider that does not keep to its port. */
const noAnswer: ApiFailure = { kind: "api", message: "the stream ended without an answer", retryable: false };
