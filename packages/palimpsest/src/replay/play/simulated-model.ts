import type { ApiFailure, ModelCall, ModelProvider, ModelResponse } from "@palimpsest/core";
import { decodeError, encodeError } from "@palimpsest/core/protocols";
import { messagesCapabilities } from "../../providers/messages-capabilities.js";
import { createSimulator } from "../../simulator/core/create-simulator.js";
import type { Verdict } from "../../simulator/outcome.js";
import type { Answer, Player, PlayerPrompt } from "../../simulator/player.js";
import { withSummaries } from "../../simulator/players/summaries-player.js";
import type { SummaryWriter } from "../summaries/summary-writer.js";
import type { TokenCounter } from "../../simulator/tokens/bpe-counter.js";

/** The median of summaries that were written in real conversations. */
const SUMMARY_CHARACTERS = 12_000;

export type SimulatedOutcome =
  | {
      readonly kind: "response";
      readonly response: ModelResponse;
      readonly verdict: Verdict;
      /** The messages as the model saw them: after edits on the API's side. */
      readonly seen: PlayerPrompt["messages"];
    }
  | { readonly kind: "failure"; readonly failure: ApiFailure };

/** The simulated API with one conversation's recorded responses in the mouth of its model. */
export interface SimulatedModel {
  /** Gives this answer to the next request of the conversation; it may depend on what the model sees. */
  send(call: ModelCall, answer: Answer | ((seen: PlayerPrompt["messages"]) => Answer)): SimulatedOutcome;
  /** For calls beside the conversation: they are answered as a hasty model would. */
  readonly provider: ModelProvider;
  /** Moves the clock to a time; never back. */
  reach(time: number): void;
  readonly now: () => number;
  /** Milliseconds that went into simulating so far. */
  readonly spentMs: () => number;
}

export interface SimulatedModelOptions {
  readonly startTime: number;
  readonly window: number;
  readonly counter: TokenCounter;
  /** About how long summaries get. */
  readonly summaryCharacters?: number | undefined;
  /** Who answers calls beside the conversation, where it is not the simulator's player. */
  readonly summaries?: SummaryWriter | undefined;
  /** Told of every call beside the conversation. */
  readonly onSideCall: (verdict: Verdict) => void;
}

const API_VERSION = "2026-10-21";
const NOT_ASKED: Answer = { content: [{ type: "text", text: "Nothing was recorded for this." }] };

export function createSimulatedModel(options: SimulatedModelOptions): SimulatedModel {
  const { startTime, window, counter, onSideCall, summaryCharacters = SUMMARY_CHARACTERS } = options;
  let answer: ((messages: PlayerPrompt["messages"]) => Answer) | undefined;
  let seen: PlayerPrompt["messages"] = [];
  let spent = 0;
  const silent: Player = {
    answer: (_prompt, memory) => ({ answer: NOT_ASKED, memory }),
  };
  const summaries = withSummaries(silent, { characters: summaryCharacters });
  const simulator = createSimulator({
    startTime,
    window,
    counter,
    player: {
      answer(prompt, memory) {
        seen = prompt.messages;
        // What people ask for in a recording must never be taken for a policy's wish for a summary.
        return answer === undefined
          ? summaries.answer(prompt, memory)
          : { answer: answer(prompt.messages), memory };
      },
    },
  });

  const call = ({ request, betas = [] }: ModelCall): SimulatedOutcome => {
    const started = performance.now();
    const outcome = simulator.call({
      endpoint: "messages",
      body: request,
      workspace: "replay",
      betas,
      apiVersion: API_VERSION,
    });
    spent += performance.now() - started;
    if (outcome.kind === "message") {
      return { kind: "response", response: outcome.message, verdict: outcome.verdict, seen };
    }
    if (outcome.kind !== "error") throw new TypeError("a message was asked for");
    const { status, type, message, errorCode } = outcome;
    const body = encodeError({
      type,
      message,
      requestId: "req_replay",
      ...(errorCode === undefined ? {} : { errorCode }),
    });
    return { kind: "failure", failure: decodeError({ status, body, now: simulator.now() }) };
  };

  /** Nobody is asked for what the simulator would refuse. */
  const fits = ({ request, betas = [] }: ModelCall): boolean => {
    if (options.summaries === undefined) return false;
    const counted = simulator.call({
      endpoint: "count_tokens",
      body: request,
      workspace: "replay",
      betas,
      apiVersion: API_VERSION,
    });
    return counted.kind === "count" && Number(counted.body.input_tokens) < window;
  };

  return {
    send(modelCall, given) {
      answer = typeof given === "function" ? given : () => given;
      const outcome = call(modelCall);
      answer = undefined;
      return outcome;
    },
    provider: {
      name: "simulated",
      capabilities: (model) => messagesCapabilities(model),
      async *stream(modelCall) {
        const written = fits(modelCall) ? await options.summaries?.answer(modelCall) : undefined;
        if (written !== undefined && "failure" in written) {
          yield { kind: "error", failure: written.failure };
          return;
        }
        answer = written === undefined ? undefined : () => written;
        const outcome = call(modelCall);
        answer = undefined;
        if (outcome.kind === "failure") yield { kind: "error", failure: outcome.failure };
        else {
          onSideCall(outcome.verdict);
          yield { kind: "message", message: outcome.response };
        }
      },
    },
    reach: (time) => simulator.advance(time - simulator.now()),
    now: () => simulator.now(),
    spentMs: () => spent,
  };
}
