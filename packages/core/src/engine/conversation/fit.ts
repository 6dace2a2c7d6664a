import type { ToolDefinition } from "../../messages/call/request.js";
import type { AssistantBlock, RequestMessage, UserBlock } from "../../messages/content.js";
import { createCompactBoundary, type MessageOrigin } from "../../messages/construct.js";
import { asText } from "../../messages/fields.js";
import type { Message } from "../../messages/message.js";
import type { Estimator } from "../ports/estimator.js";
import type { ModelProvider } from "../ports/model-provider.js";
import type { OverflowStore } from "../ports/overflow-store.js";
import type { ProviderCapabilities } from "../ports/capabilities.js";
import type { Settings } from "../settings/settings.js";
import { readQuotedTexts } from "../summarise/people/read-quoted-texts.js";
import { isSummaryText } from "../summarise/shape/summary-message.js";
import type { EngineStep } from "./conversation-api.js";
import { compaction } from "./compaction-stage.js";
import { createConversation } from "./conversation.js";

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
  readonly estimator?: Estimator;
  /** Where texts go that are too long for the window; without it their middle is left out. */
  readonly overflow?: OverflowStore;
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
    overflow,
    signal,
  } = options;
  let uuids = 0;
  const conversation = createConversation(
    {
      model,
      maxTokens,
      sessionId: "fit",
      compaction,
      // No time passes here: what depends on pauses is for conversations that know when things were said.
      clock: { now: () => 0 },
      ids: { next: () => `fit-${(uuids += 1)}` },
      tools: () => tools.map((definition) => ({ definition })),
      ...(system === undefined ? {} : { system: { custom: system } }),
      ...(provider === undefined ? {} : { provider }),
      // There is nobody here whom notes could serve later.
      settings: { ...settings, notes: false },
      ...(capabilities === undefined ? {} : { capabilities }),
      ...(estimator === undefined ? {} : { estimator }),
      ...(overflow === undefined ? {} : { overflow }),
    },
    messages.flatMap(asMessages),
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

/** A list that was fitted before begins with a summary of ours: what it quotes is carried on as people's words. */
function asMessages(given: LooseMessage, index: number): readonly Message[] {
  const { role, content } = given;
  if (role !== "user" && role !== "assistant") {
    throw new TypeError(
      `fit: message ${index} is of role ${JSON.stringify(role)}; there are user and assistant`,
    );
  }
  if (typeof content !== "string" && !Array.isArray(content)) {
    throw new TypeError(`fit: the content of message ${index} is neither a text nor a list of blocks`);
  }
  if (role !== "user") return [asMessage(given, `given-${index}`)];
  const blocks: Blocks = typeof content === "string" ? [{ type: "text", text: content }] : content;
  const at = blocks.findIndex((block) => block?.type === "text" && isSummaryText(asText(block.text)));
  const summary = blocks[at];
  const part = (of: Blocks, name: string): readonly Message[] =>
    byText(of).map((parts, place) => asMessage({ role, content: parts }, `given-${index}${name}-${place}`));
  if (summary?.type !== "text") return part(blocks, "");
  const humanMessages = readQuotedTexts(summary.text).map((text, place) => ({
    uuid: `given-${index}-said-${place}`,
    text,
  }));
  return [
    ...part(blocks.slice(0, at), "-before"),
    createCompactBoundary(
      { ...origin, ids: { next: () => `given-${index}-boundary` } },
      { trigger: "auto", preTokens: 0, humanMessages },
    ),
    ...part([summary], "-summary").map((message) => ({ ...message, isCompactSummary: true })),
    ...part(blocks.slice(at + 1), "-after"),
  ];
}

type Blocks = readonly (UserBlock | AssistantBlock)[];

/**
 * One message for each text: what was said in several messages came back as one with several texts from the call
 * before, and what is quoted of each is bounded by itself. Sent, they are one message again.
 */
function byText(blocks: Blocks): readonly Blocks[] {
  const parts: (UserBlock | AssistantBlock)[][] = [];
  let texts = 0;
  for (const block of blocks) {
    const isText = block?.type === "text";
    if (parts.length === 0 || (isText && texts > 0)) parts.push([]);
    parts.at(-1)?.push(block);
    if (isText) texts += 1;
  }
  return parts;
}

const origin: Omit<MessageOrigin, "ids"> = { clock: { now: () => 0 }, sessionId: "fit", parentUuid: null };

function asMessage({ role, content }: LooseMessage, uuid: string): Message {
  const base = {
    uuid,
    parentUuid: null,
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
    message: { id: uuid, role, model: "unknown", content: blocks },
  };
}
