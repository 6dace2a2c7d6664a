import type { ApiFailure } from "../messages/call/failure.js";
import type { ModelRequest } from "../messages/call/request.js";
import type { ModelResponse } from "../messages/call/response.js";
import type { AssistantMessage } from "../messages/message.js";
import type { Observed, Outcome, PreparedRequest } from "../engine/conversation/conversation-api.js";
import type { AdapterOptions } from "./adapter-options.js";
import { tellStep } from "./adapter-telling.js";
import type { Thread } from "./thread.js";

/** One request of a conversation. Say what became of it; what nobody answers is forgotten at the next one. */
export interface Turn {
  readonly request: ModelRequest;
  /** Whether it was cut off because the window was full, and there is room now: begin again where that is possible. */
  answered(response: ModelResponse): Promise<boolean>;
  /** Whether there is room now: begin again with the same input and send that. */
  refused(failure: ApiFailure): Promise<boolean>;
  /** The next request of the conversation waits for this, which must settle. */
  waitFor(answer: Promise<unknown>): void;
}

interface TurnParts {
  readonly thread: Thread;
  readonly open: object;
  readonly prepared: PreparedRequest;
  readonly cancel: { readonly signal?: AbortSignal };
  readonly onStep: AdapterOptions["onStep"];
  /** Told of an answer once the conversation has taken it in. */
  readonly onAnswer: (message: AssistantMessage) => Promise<void>;
}

export function createTurn({ thread, open, prepared, cancel, onStep, onAnswer }: TurnParts): Turn {
  const { conversation } = thread;
  /** The conversation may have gone on without this request: then its answer comes too late. */
  const isCurrent = (): boolean => thread.open === open;
  const waitFor = (answer: Promise<unknown>): void => {
    const settle = (): void => {
      if (thread.pending === settled) thread.pending = undefined;
      if (isCurrent()) thread.open = undefined;
    };
    const settled = answer.then(settle, settle);
    thread.pending = settled;
  };
  const observe = async (outcome: Outcome): Promise<Observed["kind"]> => {
    const observed = await conversation.observe(prepared, outcome, cancel);
    if (observed.kind === "retry") tellStep(onStep, thread, observed.step);
    if (observed.kind === "accepted" && observed.message.message.content.length > 0) {
      await onAnswer(observed.message);
    }
    return observed.kind;
  };
  const settleWith = async (outcome: Outcome): Promise<Observed["kind"] | undefined> => {
    if (!isCurrent()) return undefined;
    const observing = observe(outcome);
    waitFor(observing);
    const kind = await observing;
    await thread.pending;
    return kind;
  };
  return {
    request: prepared.call.request,
    answered: async (response) => (await settleWith({ kind: "response", response })) === "retry",
    refused: async (failure) => (await settleWith({ kind: "failure", failure })) === "retry",
    waitFor,
  };
}
