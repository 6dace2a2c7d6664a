import type { CallOptions, ModelOutput } from "../../engine/ports/model-provider.js";
import type { ApiFailure } from "../../messages/call/failure.js";
import type { ToolDefinition } from "../../messages/call/request.js";
import { sendable, type SendableRequest } from "../../messages/call/sendable-request.js";
import type { ModelResponse } from "../../messages/call/response.js";
import type { RequestMessage } from "../../messages/content.js";
import { check } from "../check.js";
import type {
  CreateProviderHarness,
  ModelProviderCase,
  ProviderHarness,
  ScriptedTurn,
} from "./model-provider-case.js";
import { checkOutputs } from "./outputs.js";

export interface ScriptedCase {
  readonly name: string;
  readonly script: readonly ScriptedTurn[];
  readonly run: (harness: ProviderHarness) => Promise<void>;
}

/** A case whose harness is closed whatever happens. */
export const scripted = ({ name, script, run }: ScriptedCase): ModelProviderCase => ({
  name,
  async run(create: CreateProviderHarness) {
    const harness = await create(script);
    try {
      await run(harness);
    } finally {
      await harness.close();
    }
  },
});

export const question = (text: string): RequestMessage => ({
  role: "user",
  content: [{ type: "text", text }],
});

const tools: readonly ToolDefinition[] = ["read", "write"].map((name) => ({
  name,
  description: `The tool ${name}.`,
  input_schema: { type: "object", properties: {} },
}));

export const requestFor = (
  { model }: ProviderHarness,
  messages: readonly RequestMessage[] = [question("hello")],
): SendableRequest => sendable({ model, max_tokens: 8000, tools, messages });

export interface Streamed {
  readonly outputs: readonly ModelOutput[];
  readonly retries: readonly Retry[];
}

export type Retry = Parameters<NonNullable<CallOptions["onRetry"]>>[0];

interface StreamOptions {
  readonly messages?: readonly RequestMessage[];
  readonly signal?: AbortSignal;
  readonly onOutput?: (output: ModelOutput) => void;
}

/** Reads a stream to its end, and checks what holds for every stream. */
export async function streamed(harness: ProviderHarness, options: StreamOptions = {}): Promise<Streamed> {
  const { messages, signal, onOutput } = options;
  const outputs: ModelOutput[] = [];
  const retries: Retry[] = [];
  const call = { request: requestFor(harness, messages) };
  const callOptions: CallOptions = {
    onRetry: (retry) => retries.push(retry),
    ...(signal === undefined ? {} : { signal }),
  };
  try {
    for await (const output of harness.provider.stream(call, callOptions)) {
      outputs.push(output);
      onOutput?.(output);
    }
  } catch (error) {
    throw new Error(`the stream threw: ${String(error)}`, { cause: error });
  }
  checkOutputs(outputs);
  return { outputs, retries };
}

/** The message that a stream ended with. */
export function messageOf({ outputs }: Streamed): ModelResponse {
  const last = outputs.at(-1);
  check(
    last?.kind === "message",
    `expected a message at the end, got ${last?.kind === "error" ? shown(last.failure) : "something else"}`,
  );
  return last.message;
}

/** The failure that a stream ended with. */
export function failureOf({ outputs }: Streamed): ApiFailure {
  const last = outputs.at(-1);
  check(last?.kind === "error", "expected an error at the end, got a message");
  const { failure } = last;
  check(failure.message.trim() !== "", "the failure has no message for a person");
  return failure;
}

export const textOf = ({ content }: ModelResponse): string =>
  content.map((block) => (block.type === "text" ? block.text : "")).join("");

/** What was streamed as text. */
export const textIn = ({ outputs }: Streamed): string =>
  outputs.map((output) => (output.kind === "text" ? output.text : "")).join("");

export function checkRequests(harness: ProviderHarness, expected: number): void {
  const actual = harness.requests();
  check(actual === expected, `expected ${expected} requests, the server got ${actual}`);
}

export const shown = ({ kind, message }: ApiFailure): string => `a failure "${kind}" (${message})`;

/** The few standard functions that every runtime has and the core's own types do not know. */
const runtime = globalThis as unknown as {
  readonly AbortController: new () => { readonly signal: AbortSignal; abort(): void };
  readonly setTimeout: (callback: () => void, milliseconds: number) => unknown;
};

export const abortController = (): { readonly signal: AbortSignal; abort(): void } =>
  new runtime.AbortController();

const pause = (milliseconds: number): Promise<void> =>
  new Promise((resolve) => {
    runtime.setTimeout(resolve, milliseconds);
  });

/** Waits until it holds, for five seconds at most. */
export async function until(condition: () => boolean, what: string): Promise<void> {
  for (let tries = 0; tries < 1000 && !condition(); tries += 1) await pause(5);
  check(condition(), `${what}: did not happen`);
}
