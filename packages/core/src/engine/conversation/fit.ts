import type { ToolDefinition } from "../../messages/call/request.js";
import { sendableMessages, type SendableMessage } from "../../messages/call/sendable-request.js";
import type { UserBlock } from "../../messages/content.js";
import { createCompactBoundary, type MessageOrigin } from "../../messages/construct.js";
import { asText, isFields } from "../../messages/fields.js";
import { messagesFromAnthropic, type AnthropicMessage } from "../../messages/import/from-anthropic.js";
import type { ImportedMessages } from "../../messages/import/imported.js";
import type { Message, UserMessage } from "../../messages/message.js";
import type { Estimator } from "../ports/estimator.js";
import type { ModelProvider } from "../ports/model-provider.js";
import type { OverflowStore } from "../ports/overflow-store.js";
import type { ProviderCapabilities } from "../ports/capabilities.js";
import type { GivenSettings } from "../settings/settings.js";
import { readQuotedTexts } from "../summarise/people/read-quoted-texts.js";
import { isSummaryText } from "../summarise/shape/summary-message.js";
import { checkModel, demand, hasFunction, systemText } from "./check-options.js";
import type { EngineStep } from "./conversation-api.js";
import { compaction } from "./compaction-stage.js";
import { createConversation } from "./conversation.js";
import { keepMarkers } from "./keep-markers.js";

export interface FitOptions {
  readonly model: string;
  /** Writes summaries. Without one they are put together from the messages themselves. */
  readonly provider?: ModelProvider;
  /** What is sent along with the messages, for its size. */
  readonly system?: string | readonly { readonly type: "text"; readonly text: string }[];
  readonly tools?: readonly ToolDefinition[];
  /** Tokens that an answer may have. Default 8,192. */
  readonly maxTokens?: number;
  readonly settings?: GivenSettings;
  readonly capabilities?: ProviderCapabilities;
  readonly estimator?: Estimator;
  /** Where texts go that are too long for the window; without it their middle is left out. */
  readonly overflow?: OverflowStore;
  readonly signal?: AbortSignal;
}

export interface Fitted {
  /** What to send, and what to go on with: append to this list from now on. Valid for the Messages API. */
  readonly messages: SendableMessage[];
  /** What to send as the system prompt: `options.system`, then what the list itself said as the system. */
  readonly system?: string;
  /** What had to be done; empty where everything fitted. */
  readonly steps: readonly EngineStep[];
  readonly tokens: number;
  /** Set where the messages do not fit and nothing could be done about it: one sentence. */
  readonly problem?: string;
}

/**
 * Makes a list of messages fit into a model's window, for people with a loop of their own. Call it before every
 * request and keep what it returns. Takes messages of the Messages API, and what `@palimpsest/core/import` has made of
 * any other list. Pure but for the provider: the same list gives the same result.
 */
export async function fit(
  given: readonly AnthropicMessage[] | ImportedMessages,
  options: FitOptions,
): Promise<Fitted> {
  checkFit(given, options);
  const {
    model,
    provider,
    tools = [],
    maxTokens = 8192,
    settings,
    capabilities,
    estimator,
    overflow,
    signal,
  } = options;
  const imported = "messages" in given ? given : messagesFromAnthropic(given, createOrigin("given"));
  const system = [systemText(options.system) ?? "", imported.system]
    .filter((text) => text !== "")
    .join("\n\n");
  const origin = createOrigin("fit");
  const conversation = createConversation(
    {
      model,
      maxTokens,
      sessionId: "fit",
      compaction,
      // No time passes here: what depends on pauses is for conversations that know when things were said.
      clock: origin.clock,
      ids: origin.ids,
      tools: () => tools.map((definition) => ({ definition })),
      ...(system === "" ? {} : { system: { custom: system } }),
      ...(provider === undefined ? {} : { provider }),
      // There is nobody here whom notes could serve later.
      settings: { ...settings, notes: false },
      ...(capabilities === undefined ? {} : { capabilities }),
      ...(estimator === undefined ? {} : { estimator }),
      ...(overflow === undefined ? {} : { overflow }),
    },
    imported.messages.flatMap(carryOn),
  );
  const prepared = await conversation.prepare(signal === undefined ? {} : { signal });
  const { tokens } = conversation.size();
  const { steps } = prepared;
  const head = system === "" ? {} : { system };
  const isRequest = prepared.kind === "request";
  const fitted = isRequest ? prepared.built.params.messages : conversation.requestMessages();
  const messages = keepMarkers("messages" in given ? [] : given, sendableMessages(fitted));
  return { messages, ...head, steps, tokens, ...(isRequest ? {} : { problem: prepared.message }) };
}

/** Held by the types: an option that is missing here, or is none, does not compile. */
const known: Readonly<Record<keyof FitOptions, true>> = {
  model: true,
  provider: true,
  system: true,
  tools: true,
  maxTokens: true,
  settings: true,
  capabilities: true,
  estimator: true,
  overflow: true,
  signal: true,
};

/** Throws what is wrong with a call, in one sentence. */
function checkFit(given: unknown, options: FitOptions): void {
  demand(
    Array.isArray(given) || (isFields(given) && Array.isArray(given["messages"])),
    "fit: first comes a list of messages, or what an importer has made of one",
  );
  demand(isFields(options), "fit: the options must be an object, with the `model` at least");
  const unknown = Object.keys(options).find((name) => !Object.hasOwn(known, name));
  demand(unknown === undefined, `fit: there is no option \`${unknown}\``);
  const { model, maxTokens = 1, system, tools = [], provider } = options;
  checkModel("fit", model, maxTokens);
  demand(
    system === undefined || systemText(system) !== undefined,
    "fit: `system` must be a text or a list of text blocks",
  );
  demand(
    Array.isArray(tools) && tools.every((tool) => isFields(tool) && typeof tool["name"] === "string"),
    "fit: `tools` must be a list of definitions, each with its `name`",
  );
  demand(provider === undefined || hasFunction(provider, "stream"), "fit: `provider` needs `stream()`");
}

const createOrigin = (name: string): MessageOrigin => {
  let made = 0;
  return {
    clock: { now: () => 0 },
    ids: { next: () => `${name}-${(made += 1)}` },
    sessionId: "fit",
    parentUuid: null,
  };
};

/**
 * A list that was fitted before begins with a summary of ours: what it quotes is carried on as people's words. What
 * was said in several messages came back as one with several texts: each is a message again, because what is quoted
 * of each is bounded by itself. Sent, they are one message.
 */
function carryOn(message: Message): readonly Message[] {
  if (message.type !== "user") return [message];
  const { content } = message.message;
  const blocks = typeof content === "string" ? [{ type: "text", text: content } as const] : content;
  const at = blocks.findIndex((block) => block?.type === "text" && isSummaryText(asText(block.text)));
  const summary = blocks[at];
  const part = (of: readonly UserBlock[], name: string): readonly UserMessage[] =>
    byText(of).map((parts, place) => ({
      ...message,
      uuid: `${message.uuid}${name}-${place}`,
      message: { role: "user", content: parts },
    }));
  if (summary?.type !== "text") return part(blocks, "");
  const { uuid, sessionId } = message;
  const humanMessages = readQuotedTexts(summary.text).map((text, place) => ({
    uuid: `${uuid}-said-${place}`,
    text,
  }));
  const origin = {
    clock: { now: () => 0 },
    ids: { next: () => `${uuid}-boundary` },
    sessionId,
    parentUuid: null,
  };
  return [
    ...part(blocks.slice(0, at), "-before"),
    createCompactBoundary(origin, { trigger: "auto", preTokens: 0, humanMessages }),
    ...part([summary], "-summary").map((one) => ({ ...one, isCompactSummary: true })),
    ...part(blocks.slice(at + 1), "-after"),
  ];
}

/** One part for each text, with what stands after it. */
function byText(blocks: readonly UserBlock[]): readonly (readonly UserBlock[])[] {
  const parts: UserBlock[][] = [];
  let texts = 0;
  for (const block of blocks) {
    const isText = block?.type === "text";
    if (parts.length === 0 || (isText && texts > 0)) parts.push([]);
    parts.at(-1)?.push(block);
    if (isText) texts += 1;
  }
  return parts;
}
