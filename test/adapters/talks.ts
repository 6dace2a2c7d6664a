import Anthropic from "@anthropic-ai/sdk";
import { createAnthropic } from "@ai-sdk/anthropic";
import { ChatAnthropic } from "@langchain/anthropic";
import { generateText, jsonSchema, stepCountIs, tool, wrapLanguageModel, type ModelMessage } from "ai";
import {
  AIMessage,
  createAgent,
  createMiddleware,
  HumanMessage,
  tool as langChainTool,
  ToolMessage,
  type BaseMessage,
} from "langchain";
import * as aiSdk from "@palimpsest/core/ai-sdk";
import * as anthropicSdk from "@palimpsest/core/anthropic-sdk";
import * as langChain from "@palimpsest/core/langchain";

/** Where a talk takes place, and with what. */
export interface TalkPlace {
  readonly fetch: (url: unknown, init?: RequestInit) => Promise<Response>;
  readonly model: string;
  readonly system: string;
  readonly read: (input: unknown) => string;
}

/** Says something after a history, which is JSON, and gives the history then. */
type Say = (history: readonly unknown[], prompt: string) => Promise<readonly unknown[]>;

/** A framework with its adapter, made once. */
export type CreateTalk = (place: TalkPlace, options: aiSdk.AdapterOptions) => Say;

const schema = { type: "object" as const, properties: { path: { type: "string" as const } } };
const plain = <T>(value: T): T => JSON.parse(JSON.stringify(value)) as T;

const withAiSdk: CreateTalk = ({ fetch, model, system, read }, options) => {
  const claude = createAnthropic({ apiKey: "any", fetch })(model);
  const wrapped = wrapLanguageModel({ model: claude, middleware: aiSdk.palimpsestAiSdk(options) });
  return async (history, prompt) => {
    const messages: ModelMessage[] = [
      ...(plain(history) as ModelMessage[]),
      { role: "user", content: prompt },
    ];
    const { response } = await generateText({
      model: wrapped,
      system,
      messages,
      maxOutputTokens: 2000,
      maxRetries: 0,
      stopWhen: stepCountIs(100),
      tools: { Read: tool({ inputSchema: jsonSchema<{ path?: string }>(schema), execute: read }) },
    });
    return plain([...messages, ...response.messages]);
  };
};

/** As a checkpoint of the framework would bring them back. */
const fromPlain = (message: unknown): BaseMessage => {
  const { type, ...fields } = message as { readonly type: string; readonly content: string };
  if (type === "human") return new HumanMessage(fields);
  return type === "tool" ? new ToolMessage(fields as never) : new AIMessage(fields);
};

const toPlain = (message: BaseMessage): object => {
  const { type, content, id } = message;
  const { tool_calls, tool_call_id, name, status, response_metadata, usage_metadata } =
    message as ToolMessage & AIMessage;
  return { type, content, id, tool_calls, tool_call_id, name, status, response_metadata, usage_metadata };
};

const withLangChain: CreateTalk = ({ fetch, model, system, read }, options) => {
  const agent = createAgent({
    model: new ChatAnthropic({
      model,
      apiKey: "any",
      maxTokens: 2000,
      maxRetries: 0,
      clientOptions: { fetch },
    }),
    systemPrompt: system,
    tools: [langChainTool(read, { name: "Read", description: "Reads a file.", schema })],
    middleware: [createMiddleware(langChain.palimpsestLangChain(options))],
  });
  return async (history, prompt) => {
    const messages = [...history.map(fromPlain), new HumanMessage(prompt)];
    const state = await agent.invoke(
      { messages },
      { recursionLimit: 1000, configurable: { thread_id: "talk" } },
    );
    return plain(state.messages.map(toPlain));
  };
};

const withAnthropicSdk: CreateTalk = ({ fetch, model, system, read }, options) => {
  const client = new Anthropic({
    apiKey: "any",
    maxRetries: 0,
    fetch,
    middleware: [anthropicSdk.palimpsestAnthropic(options)],
  });
  return async (history, prompt) => {
    const messages = [...plain(history), { role: "user", content: prompt }] as Anthropic.MessageParam[];
    for (;;) {
      const { content } = await client.messages.create({
        model,
        max_tokens: 2000,
        system,
        messages,
        tools: [{ name: "Read", input_schema: schema }],
      });
      messages.push({ role: "assistant", content });
      const calls = content.filter((block) => block.type === "tool_use");
      if (calls.length === 0) return plain(messages);
      messages.push({
        role: "user",
        content: calls.map(({ id, input }) => ({
          type: "tool_result",
          tool_use_id: id,
          content: read(input),
        })),
      });
    }
  };
};

export const talks: Readonly<Record<string, CreateTalk>> = {
  "the AI SDK": withAiSdk,
  LangChain: withLangChain,
  "the official SDK": withAnthropicSdk,
};
