/** The official SDK's own loop. */
import Anthropic from "@anthropic-ai/sdk";
import { palimpsestAnthropic } from "@palimpsest/core/anthropic-sdk";
import { model, readSchema, system, verdictSchema } from "./lab.mjs";

export function createClient({ lab, options }) {
  const middleware = [palimpsestAnthropic(options)];
  const client = new Anthropic({ apiKey: "any", maxRetries: 0, fetch: lab.fetch, middleware });
  return async ({ history = [], text, isStreamed, isStructured = false, signal, onText = () => {} }) => {
    const runner = client.beta.messages.toolRunner(
      {
        model,
        max_tokens: 1000,
        system,
        thread: false,
        stream: isStreamed,
        messages: [...history, { role: "user", content: text }],
        tools: [{ name: "Read", input_schema: readSchema, parse: (input) => input, run: lab.read }],
        ...(isStructured
          ? { output_config: { format: { type: "json_schema", schema: verdictSchema } } }
          : {}),
      },
      { signal },
    );
    if (isStreamed) {
      for await (const stream of runner) {
        stream.on("text", onText);
        await stream.finalMessage();
      }
    }
    const last = await runner.runUntilDone();
    const said = last.content.map((block) => (block.type === "text" ? block.text : "")).join("");
    const { messages } = runner.params;
    const isHeld = messages.at(-1)?.role === "assistant";
    return {
      text: said,
      object: isStructured ? JSON.parse(said) : undefined,
      history: isHeld ? messages : [...messages, { role: "assistant", content: last.content }],
    };
  };
}

export const systemMessage = (content) => ({ role: "system", content });
