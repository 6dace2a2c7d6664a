// The Vercel AI SDK, with and without the middleware. The simulated API stands in for the real one.
import { createAnthropic } from "@ai-sdk/anthropic";
import { palimpsestAiSdk } from "@palimpsest/core/ai-sdk";
import { generateText, jsonSchema, stepCountIs, tool, wrapLanguageModel } from "ai";
import { compare, model, settings, system, task } from "./lab/simulated-audit.mjs";

await compare(async ({ fetch, read }, isWith) => {
  const claude = createAnthropic({ apiKey: "any", fetch })(model);
  const onStep = ({ text }) => console.log(`  ${text}`);
  await generateText({
    model: isWith
      ? wrapLanguageModel({ model: claude, middleware: palimpsestAiSdk({ settings, onStep }) })
      : claude,
    system,
    prompt: task,
    maxOutputTokens: 1000,
    stopWhen: stepCountIs(100),
    tools: {
      Read: tool({
        description: "Reads the next file.",
        inputSchema: jsonSchema({ type: "object", properties: {} }),
        execute: read,
      }),
    },
  });
});
