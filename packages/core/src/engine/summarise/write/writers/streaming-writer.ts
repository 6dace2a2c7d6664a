import type { ModelRequest, ToolDefinition } from "../../../../messages/call/request.js";
import { sendable } from "../../../../messages/call/sendable-request.js";
import type { AssistantBlock, CompactionBlock, RequestMessage } from "../../../../messages/content.js";
import type { Message } from "../../../../messages/message.js";
import { normalise } from "../../../../messages/normalise/normaliser.js";
import { findModel } from "../../../../models/table.js";
import type { ModelProvider } from "../../../ports/model-provider.js";
import { isThinkingBlock } from "../../../../messages/predicates.js";
import { askModel, type AskOptions, type ModelAnswer } from "../ask-model.js";
import { leastThinking } from "../least-thinking.js";
import { preprocess } from "../preprocess.js";
import { SUMMARY_SYSTEM_PROMPT } from "../prompt.js";

export interface StreamingSummary {
  readonly provider: ModelProvider;
  readonly model: string;
  /** What is to be summarised, with what a retry put at its head. */
  readonly messages: readonly Message[];
  readonly prompt: string;
  readonly maxTokens: number;
  /** Further fields of the body that say who asks, and where it is to be computed. */
  readonly account?: Readonly<Record<string, unknown>>;
  /** Told what is sent, before it is. */
  readonly onRequest?: ((request: ModelRequest) => void) | undefined;
}

/** Asks any model, without the conversation's cache: a short system prompt, no thinking, no pictures. */
export function askStreaming(summary: StreamingSummary, options: AskOptions): Promise<ModelAnswer> {
  const { provider, onRequest } = summary;
  const request = streamingRequest(summary);
  onRequest?.(request);
  return askModel(provider, { request: sendable(request) }, options);
}

function streamingRequest({ model, messages, prompt, maxTokens, account }: StreamingSummary): ModelRequest {
  const known = findModel(model);
  const { messages: normalised } = normalise(preprocess(messages));
  const history = withoutCompactionBlocks(withoutThinking(normalised));
  const tools = declarations(history);
  const thinking = leastThinking(known);
  return {
    ...account,
    model,
    max_tokens: Math.min(maxTokens, known?.maxOutputTokens ?? maxTokens),
    ...(thinking === undefined ? {} : { thinking }),
    ...(tools.length === 0 ? {} : { tools }),
    system: [{ type: "text", text: SUMMARY_SYSTEM_PROMPT }],
    messages: withPrompt(history, prompt),
  };
}

function withoutThinking(messages: readonly RequestMessage[]): readonly RequestMessage[] {
  return messages.flatMap((message): readonly RequestMessage[] => {
    if (message.role !== "assistant" || !message.content.some(isThinkingBlock)) return [message];
    const content = message.content.filter((block) => !isThinkingBlock(block));
    return content.length === 0 ? [] : [{ ...message, content }];
  });
}

/** A provider takes its own compaction blocks only where they are switched on: their words go before the message. */
function withoutCompactionBlocks(messages: readonly RequestMessage[]): readonly RequestMessage[] {
  const list: RequestMessage[] = [];
  for (const message of messages) {
    if (message.role !== "assistant" || !message.content.some(isCompactionBlock)) {
      addMerged(list, message);
      continue;
    }
    const words = message.content.filter(isCompactionBlock).flatMap(({ content }) => content?.trim() || []);
    const text = `A summary of what came before:\n\n${words.join("\n\n")}`;
    if (words.length > 0) addMerged(list, { role: "user", content: [{ type: "text", text }] });
    const content = message.content.filter((block) => !isCompactionBlock(block));
    if (content.length > 0) addMerged(list, { ...message, content });
  }
  return list;
}

const isCompactionBlock = (block: AssistantBlock): block is CompactionBlock => block.type === "compaction";

/** Two messages of the person in a row are one. */
function addMerged(list: RequestMessage[], message: RequestMessage): void {
  const last = list.at(-1);
  if (last?.role !== "user" || message.role !== "user") list.push(message);
  else list[list.length - 1] = { ...last, content: [...last.content, ...message.content] };
}

/** Tool blocks in the history need declarations; whoever calls one is refused. */
function declarations(messages: readonly RequestMessage[]): readonly ToolDefinition[] {
  const names = new Set(
    messages.flatMap(({ content }) =>
      content.flatMap((block) => (block.type === "tool_use" ? [block.name] : [])),
    ),
  );
  return [...names].toSorted().map((name) => ({ name, input_schema: { type: "object" } }));
}

function withPrompt(messages: readonly RequestMessage[], prompt: string): readonly RequestMessage[] {
  const asked = { type: "text" as const, text: prompt };
  const last = messages.at(-1);
  if (last?.role !== "user") return [...messages, { role: "user", content: [asked] }];
  return [...messages.slice(0, -1), { role: "user", content: [...last.content, asked] }];
}
