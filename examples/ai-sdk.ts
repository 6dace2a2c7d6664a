// The Vercel AI SDK, with and without the adapter. The simulated API stands in for the real one.
import { createAnthropic } from "@ai-sdk/anthropic";
import { palimpsestAiSdk, type AdapterStep } from "@palimpsest/core/ai-sdk";
import { generateText, jsonSchema, stepCountIs, tool, wrapLanguageModel } from "ai";
import { compare, model, settings, system, task } from "./lab/simulated-audit.js";

const adapter = palimpsestAiSdk({
  settings,
  // Keeps conversations apart that begin alike: told from what the call was given.
  threadOf: ({ providerOptions }) => String(providerOptions?.["app"]?.["chat"]),
  onStep: ({ threadId, text }: AdapterStep) => console.log(`  ${threadId}: ${text}`),
});

await compare(async ({ fetch, read }, isWith) => {
  const claude = createAnthropic({ apiKey: "any", fetch })(model);
  await generateText({
    model: isWith ? wrapLanguageModel({ model: claude, middleware: adapter }) : claude,
    system,
    prompt: task,
    maxOutputTokens: 1000,
    stopWhen: stepCountIs(100),
    providerOptions: { app: { chat: "audit-1" } },
    tools: {
      Read: tool({
        description: "Reads the next file.",
        inputSchema: jsonSchema({ type: "object", properties: {} }),
        execute: read,
      }),
    },
  });
});
