// A LangChain agent, with and without the adapter. The simulated API stands in for the real one.
import { ChatAnthropic } from "@langchain/anthropic";
import { palimpsestLangChain, type AdapterStep } from "@palimpsest/core/langchain";
import { createAgent, createMiddleware, tool } from "langchain";
import { compare, model, settings, system, task } from "./lab/simulated-audit.js";

const adapter = createMiddleware(
  palimpsestLangChain({
    settings,
    onStep: ({ threadId, text }: AdapterStep) => console.log(`  ${threadId}: ${text}`),
  }),
);

await compare(async ({ fetch, read }, isWith) => {
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
    middleware: isWith ? [adapter] : [],
  });
  await agent.invoke(
    { messages: [{ role: "user", content: task }] },
    { recursionLimit: 500, configurable: { thread_id: "audit-1" } },
  );
});
