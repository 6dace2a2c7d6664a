/** The audit with the official SDK's tool runner. */
import Anthropic from "@anthropic-ai/sdk";
import { palimpsestAnthropic } from "@palimpsest/core/anthropic-sdk";
import { model, onStep, prompt, settings, system, tools, url } from "./tools.mjs";

const client = new Anthropic({
  apiKey: "any",
  baseURL: url,
  middleware: [palimpsestAnthropic({ settings, onStep })],
});
await client.beta.messages.toolRunner({
  model,
  max_tokens: 8192,
  system,
  thread: false,
  messages: [{ role: "user", content: prompt }],
  tools: tools.map(({ name, description, schema, run }) => ({
    name,
    description,
    input_schema: schema,
    parse: (input) => input,
    run,
  })),
});
