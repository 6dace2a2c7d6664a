import Anthropic from "@anthropic-ai/sdk";
import { palimpsestAnthropic } from "@palimpsest/core/anthropic-sdk";
import { plain, schema, type CreateTalk } from "./talk.js";

export const talk: CreateTalk = ({ fetch, model, system, read }, options) => {
  const client = new Anthropic({
    apiKey: "any",
    maxRetries: 0,
    fetch,
    middleware: [palimpsestAnthropic(options)],
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
