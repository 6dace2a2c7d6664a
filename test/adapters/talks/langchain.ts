import { ChatAnthropic } from "@langchain/anthropic";
import {
  AIMessage,
  createAgent,
  createMiddleware,
  HumanMessage,
  tool,
  ToolMessage,
  type BaseMessage,
} from "langchain";
import { palimpsestLangChain } from "@palimpsest/core/langchain";
import { plain, schema, type CreateTalk } from "./talk.js";

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

export const talk: CreateTalk = ({ fetch, model, system, read }, options) => {
  const agent = createAgent({
    model: new ChatAnthropic({
      model,
      apiKey: "any",
      maxTokens: 2000,
      maxRetries: 0,
      clientOptions: { fetch },
    }),
    systemPrompt: system,
    tools: [tool(read, { name: "Read", description: "Reads a file.", schema })],
    middleware: [createMiddleware(palimpsestLangChain(options))],
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
