/** The audit with LangChain's agent. */
import { ChatAnthropic } from "@langchain/anthropic";
import { palimpsestLangChain } from "@palimpsest/core/langchain";
import { createAgent, createMiddleware, tool } from "langchain";
import { model, onStep, prompt, settings, system, tools, url } from "./tools.mjs";

const agent = createAgent({
  model: new ChatAnthropic({ model, apiKey: "any", anthropicApiUrl: url, maxTokens: 8192 }),
  systemPrompt: system,
  tools: tools.map(({ name, description, schema, run }) => tool(run, { name, description, schema })),
  middleware: [createMiddleware(palimpsestLangChain({ settings, onStep }))],
});
await agent.invoke({ messages: [{ role: "user", content: prompt }] }, { recursionLimit: 10_000 });
