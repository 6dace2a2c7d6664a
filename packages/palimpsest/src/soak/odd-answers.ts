import { createUserMessage, type Conversation, type ModelCall } from "@palimpsest/core";
import type { EmbeddedProvider } from "../providers/embedded.js";

/** The window of random lives. */
export const LIFE_WINDOW = 24_000;

/** Something is said while a response is on its way. */
export async function overtake(
  conversation: Conversation,
  provider: EmbeddedProvider,
  choice: number,
): Promise<string> {
  const prepared = await conversation.prepare();
  if (prepared.kind === "held") return "held";
  await conversation.append(createUserMessage(conversation.origin(), { content: `Meanwhile ${choice}.` }));
  if (choice % 3 === 0)
    await conversation.append(createUserMessage(conversation.origin(), { content: `More ${choice}.` }));
  for await (const answer of provider.stream(prepared.call)) {
    if (answer.kind === "message")
      await conversation.observe(prepared, { kind: "response", response: answer.message });
    if (answer.kind === "error")
      await conversation.observe(prepared, { kind: "failure", failure: answer.failure });
  }
  return "overtaken";
}

/** The API calls a request too long, and says how long it was. */
export async function refuse(
  conversation: Conversation,
  provider: EmbeddedProvider,
  choice: number,
): Promise<string> {
  const prepared = await conversation.prepare();
  if (prepared.kind === "held") return "held";
  const actualTokens = await sizeOf(provider, prepared.call);
  const failure = {
    kind: "context-overflow",
    message: "prompt is too long",
    retryable: false,
    ...(choice % 3 === 0 ? {} : { actualTokens }),
    ...(choice % 7 === 0 ? { maximumTokens: LIFE_WINDOW } : {}),
  } as const;
  return `refused ${(await conversation.observe(prepared, { kind: "failure", failure })).kind}`;
}

/** As the API counts it: a refusal never states anything else. */
async function sizeOf(provider: EmbeddedProvider, call: ModelCall): Promise<number> {
  for await (const output of provider.stream(call)) {
    if (output.kind === "message") {
      const { usage } = output.message;
      const cached = (usage.cache_read_input_tokens ?? 0) + (usage.cache_creation_input_tokens ?? 0);
      return usage.input_tokens + cached;
    }
    if (output.kind === "error" && output.failure.kind === "context-overflow")
      return output.failure.actualTokens ?? LIFE_WINDOW;
  }
  return LIFE_WINDOW;
}
