/** The official SDK in a loop of one's own: `messages.create` and `messages.stream`. */
import Anthropic from "@anthropic-ai/sdk";
import { palimpsestAnthropic } from "@palimpsest/core/anthropic-sdk";
import { model, readSchema, system, verdictSchema } from "./lab.mjs";

export function createClient({ lab, options }) {
  const middleware = [palimpsestAnthropic(options)];
  const client = new Anthropic({ apiKey: "any", maxRetries: 0, fetch: lab.fetch, middleware });
  return async ({ history = [], text, isStreamed, isStructured = false, signal, onText = () => {} }) => {
    const messages = [...history, { role: "user", content: text }];
    for (;;) {
      const request = {
        model,
        max_tokens: 1000,
        system,
        messages,
        tools: [{ name: "Read", input_schema: readSchema }],
        ...(isStructured
          ? { output_config: { format: { type: "json_schema", schema: verdictSchema } } }
          : {}),
      };
      const response = isStreamed
        ? await client.messages.stream(request, { signal }).on("text", onText).finalMessage()
        : await client.messages.create(request, { signal });
      messages.push({ role: "assistant", content: response.content });
      const calls = response.content.filter(({ type }) => type === "tool_use");
      if (calls.length === 0) {
        const said = response.content.map((block) => (block.type === "text" ? block.text : "")).join("");
        return { text: said, object: isStructured ? JSON.parse(said) : undefined, history: messages };
      }
      messages.push({
        role: "user",
        content: calls.map(({ id }) => ({ type: "tool_result", tool_use_id: id, content: lab.read() })),
      });
    }
  };
}

export const systemMessage = (content) => ({ role: "system", content });
