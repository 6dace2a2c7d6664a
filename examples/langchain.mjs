// A LangChain agent, with and without the middleware. The simulated API stands in for the real one.
import { ChatAnthropic } from "@langchain/anthropic";
import { palimpsestLangChain } from "@palimpsest/core/langchain";
import { createAgent, createMiddleware, tool } from "langchain";
import { compare, model, settings, system, task } from "./lab/simulated-audit.mjs";

await compare(async ({ fetch, read }, isWith) => {
  const onStep = ({ text }) => console.log(`  ${text}`);
  const agent = createAgent({
    model: new ChatAnthropic({ model, apiKey: "any", maxTokens: 2000, clientOptions: { fetch } }),
    systemPrompt: system,
    tools: [
      tool(read, {
        name: "Read",
        description: "Reads the next file.",
        schema: { type: "object", properties: {} },
      }),
    ],
    middleware: isWith ? [createMiddleware(palimpsestLangChain({ settings, onStep }))] : [],
  });
  await agent.invoke({ messages: [{ role: "user", content: task }] }, { recursionLimit: 500 });
});
