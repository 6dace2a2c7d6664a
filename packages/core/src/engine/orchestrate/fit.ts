import type { ToolDefinition } from "../../messages/call/request.js";
import type { AssistantBlock, RequestMessage, UserBlock } from "../../messages/content.js";
import type { Message } from "../../messages/message.js";
import type { ContextMeterOptions } from "../measure/context-meter.js";
import type { ModelProvider } from "../ports/model-provider.js";
import type { ProviderCapabilities } from "../prompt/capabilities.js";
import type { Settings } from "../settings/settings.js";
import type { EngineStep } from "./conversation.js";
import { createConversation } from "./create-conversation.js";

/** A message as people write them for the Messages API: content may be a plain text. */
export interface LooseMessage {
  readonly role: "user" | "assistant";
  readonly content: string | readonly (UserBlock | AssistantBlock)[];
}

export interface FitOptions {
  readonly model: string;
  /** Writes summaries. Without one they are put together from the messages themselves. */
  readonly provider?: ModelProvider;
  /** What is sent along with the messages, for its size. */
  readonly system?: string;
  readonly tools?: readonly ToolDefinition[];
  /** Tokens that an answer may have. Default 8,192. */
  readonly maxTokens?: number;
  readonly settings?: Partial<Settings>;
  readonly capabilities?: ProviderCapabilities;
  readonly estimator?: ContextMeterOptions["estimator"];
  readonly signal?: AbortSignal;
}

export interface Fitted {
  /** What to send, and what to go on with: append to this list from now on. Valid for the Messages API. */
  readonly messages: readonly RequestMessage[];
  /** What had to be done; empty where everything fitted. */
  readonly steps: readonly EngineStep[];
  readonly tokens: number;
  /** Set where the messages do not fit and nothing could be done about it: one sentence. */
  readonly problem?: string;
}

/**
 * Makes a list of messages fit into a model's window, for people with a loop of their own. Call it before every
 * request and keep what it returns. Pure but for the provider: the same list gives the same result.
 */
export async function fit(messages: readonly LooseMessage[], options: FitOptions): Promise<Fitted> {
  const {
    model,
    provider,
    system,
    tools = [],
    maxTokens = 8192,
    settings,
    capabilities,
    estimator,
    signal,
  } = options;
  let uuids = 0;
  const conversation = createConversation(
    {
      model,
      maxTokens,
      sessionId: "fit",
      // No time passes here: what depends on pauses is for conversations that know when things were said.
      clock: { now: () => 0 },
      ids: { next: () => `fit-${(uuids += 1)}` },
      tools: () => tools.map((definition) => ({ definition })),
      ...(system === undefined ? {} : { system: { custom: system } }),
      ...(provider === undefined ? {} : { provider }),
      ...(settings === undefined ? {} : { settings }),
      ...(capabilities === undefined ? {} : { capabilities }),
      ...(estimator === undefined ? {} : { estimator }),
    },
    messages.map(asMessage),
  );
  const prepared = await conversation.prepare(signal === undefined ? {} : { signal });
  const { tokens } = conversation.size();
  if (prepared.kind === "request") {
    return { messages: prepared.built.params.messages, steps: prepared.steps, tokens };
  }
  return {
    messages: conversation.requestMessages(),
    steps: prepared.steps,
    tokens,
    problem: prepared.message,
  };
}

function asMessage({ role, content }: LooseMessage, index: number): Message {
  const base = {
    uuid: `given-${index}`,
    parentUuid: index === 0 ? null : `given-${index - 1}`,
    timestamp: new Date(0).toISOString(),
    sessionId: "fit",
  };
  if (role === "user") {
    return { ...base, type: "user", message: { role, content: content as string | readonly UserBlock[] } };
  }
  const blocks: readonly AssistantBlock[] =
    typeof content === "string" ? [{ type: "text", text: content }] : (content as readonly AssistantBlock[]);
  return {
    ...base,
    type: "assistant",
    message: { id: `given-${index}`, role, model: "unknown", content: blocks },
  };
}
