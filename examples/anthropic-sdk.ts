// The official SDK's own loop, with and without the adapter. The simulated API stands in for the real one.
import Anthropic from "@anthropic-ai/sdk";
import { palimpsestAnthropic, type AdapterStep } from "@palimpsest/core/anthropic-sdk";
import { compare, model, settings, system, task } from "./lab/simulated-audit.js";

const adapter = palimpsestAnthropic({
  settings,
  onStep: ({ sessionId, text }: AdapterStep) => console.log(`  ${sessionId}: ${text}`),
});

await compare(async ({ fetch, read }, isWith) => {
  const client = new Anthropic({ apiKey: "any", fetch, middleware: isWith ? [adapter] : [] });
  await client.beta.messages.toolRunner({
    model,
    max_tokens: 1000,
    system,
    thread: false, // the messages stay here, where the adapter sees them
    messages: [{ role: "user", content: task }],
    tools: [
      {
        type: "custom",
        name: "Read",
        description: "Reads the next file.",
        input_schema: { type: "object", properties: {} },
        parse: (input: unknown) => input,
        run: read,
      },
    ],
  });
});
