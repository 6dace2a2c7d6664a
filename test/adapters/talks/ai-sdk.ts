import { createAnthropic } from "@ai-sdk/anthropic";
import { generateText, jsonSchema, stepCountIs, tool, wrapLanguageModel, type ModelMessage } from "ai";
import { palimpsestAiSdk } from "@palimpsest/core/ai-sdk";
import { plain, schema, type CreateTalk } from "./talk.js";

export const talk: CreateTalk = ({ fetch, model, system, read }, options) => {
  const claude = createAnthropic({ apiKey: "any", fetch })(model);
  const wrapped = wrapLanguageModel({ model: claude, middleware: palimpsestAiSdk(options) });
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
