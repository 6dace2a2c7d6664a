import type { ApiFailure, CallOptions, ModelCall, ModelOutput, ModelProvider } from "@palimpsest/core";
import { createAnthropicProvider, type AnthropicProviderOptions } from "../anthropic.js";

export const KEY = "sk-ant-very-secret";
export const request = {
  model: "claude-opus-5",
  max_tokens: 1000,
  messages: [{ role: "user" as const, content: [{ type: "text" as const, text: "hello" }] }],
};

export const provide = (options: AnthropicProviderOptions): ModelProvider =>
  createAnthropicProvider({ apiKey: KEY, maxRetries: 2, baseMs: 1, maxMs: 5, ...options });

export async function collect(
  provider: ModelProvider,
  call: Partial<ModelCall> = {},
  options?: CallOptions,
): Promise<ModelOutput[]> {
  const outputs: ModelOutput[] = [];
  for await (const output of provider.stream({ request, ...call }, options)) outputs.push(output);
  return outputs;
}

export async function failureOf(provider: ModelProvider, call?: Partial<ModelCall>): Promise<ApiFailure> {
  const last = (await collect(provider, call)).at(-1);
  if (last?.kind !== "error") throw new Error("it did not fail");
  return last.failure;
}
