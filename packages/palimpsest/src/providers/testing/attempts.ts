import type { ApiFailure, ModelOutput, ModelResponse, StreamOutput } from "@palimpsest/core";
import { streamWithRetries, type Attempt, type RetryOptions } from "../retry.js";

export const message: ModelResponse = {
  id: "msg_1",
  type: "message",
  role: "assistant",
  model: "m",
  content: [{ type: "text", text: "hi" }],
  stop_reason: "end_turn",
  stop_sequence: null,
  usage: { input_tokens: 1, output_tokens: 1 },
};
export const start: StreamOutput = { kind: "start", message: { ...message, content: [] } };
export const blockStart: StreamOutput = { kind: "block-start", index: 0, block: { type: "text", text: "" } };
export const text: StreamOutput = { kind: "text", index: 0, text: "hi" };
export const block: StreamOutput = { kind: "block", index: 0, block: { type: "text", text: "hi" } };
export const whole: readonly StreamOutput[] = [start, blockStart, text, block, { kind: "message", message }];

export const failing = (failure: Partial<ApiFailure> = {}): StreamOutput => ({
  kind: "error",
  failure: { kind: "overloaded", message: "Overloaded", retryable: true, ...failure } as ApiFailure,
});

/** One list of outputs for each attempt; an `Error` in it is thrown. */
export function attempts(...plays: readonly (readonly (StreamOutput | Error)[])[]) {
  const signals: AbortSignal[] = [];
  const attempt: Attempt = async function* (signal) {
    signals.push(signal);
    for (const output of plays[signals.length - 1] ?? [new Error("no more attempts")]) {
      if (output instanceof Error) throw output;
      yield output;
    }
  };
  return { attempt, signals };
}

/** Sleeps without time, and writes down for how long. */
export function simulatedPorts(random: () => number = () => 0) {
  const waits: number[] = [];
  const sleep = async (ms: number): Promise<void> => {
    waits.push(ms);
  };
  return { waits, ports: { sleep, random } };
}

export async function collect(stream: AsyncIterable<ModelOutput>): Promise<ModelOutput[]> {
  const outputs: ModelOutput[] = [];
  for await (const output of stream) outputs.push(output);
  return outputs;
}

export const run = (attempt: Attempt, options: RetryOptions = {}): Promise<ModelOutput[]> =>
  collect(streamWithRetries(attempt, { ...simulatedPorts(), ...options }));

export const failureIn = (outputs: readonly ModelOutput[]): ApiFailure | undefined => {
  const last = outputs.at(-1);
  return last?.kind === "error" ? last.failure : undefined;
};

/** Yields what it is given, then nothing, whatever its signal says. */
export const stuck = (...outputs: readonly StreamOutput[]): { attempt: Attempt; signals: AbortSignal[] } => {
  const signals: AbortSignal[] = [];
  return {
    signals,
    attempt: async function* (signal) {
      signals.push(signal);
      yield* outputs;
      await new Promise(() => {});
    },
  };
};
