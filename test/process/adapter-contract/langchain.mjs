import { ChatAnthropic } from "@langchain/anthropic";
import { createAgent, createMiddleware, providerStrategy, SystemMessage, tool } from "langchain";
import { palimpsestLangChain } from "@palimpsest/core/langchain";
import { model, readSchema, system, verdictSchema } from "./lab.mjs";

export function createClient({ lab, options }) {
  const middleware = [createMiddleware(palimpsestLangChain(options))];
  const agentFor = (isStreamed, isStructured) =>
    createAgent({
      model: new ChatAnthropic({
        model,
        apiKey: "any",
        maxTokens: 1000,
        maxRetries: 0,
        streaming: isStreamed,
        clientOptions: { fetch: lab.fetch },
      }),
      systemPrompt: system,
      tools: [tool(lab.read, { name: "Read", description: "Reads a file.", schema: readSchema })],
      middleware,
      ...(isStructured ? { responseFormat: providerStrategy(verdictSchema) } : {}),
    });
  return async ({ history = [], text, isStreamed, isStructured = false, signal, onText = () => {} }) => {
    const agent = agentFor(isStreamed, isStructured);
    const input = { messages: [...history, { role: "user", content: text }] };
    const config = { recursionLimit: 1000, ...(signal === undefined ? {} : { signal }) };
    if (!isStreamed) return answer(await agent.invoke(input, config));
    let state;
    for await (const [mode, chunk] of await agent.stream(input, {
      ...config,
      streamMode: ["values", "messages"],
    })) {
      if (mode === "values") state = chunk;
      else if (chunk[0].type === "ai" && chunk[0].text !== "") onText(chunk[0].text);
    }
    return answer(state);
  };

  function answer({ messages, structuredResponse }) {
    return { text: messages.at(-1).text, object: structuredResponse, history: messages };
  }
}

export const systemMessage = (content) => new SystemMessage(content);
