// The official SDK's own loop, with and without the middleware. The simulated API stands in for the real one.
import Anthropic from "@anthropic-ai/sdk";
import { palimpsestAnthropic } from "@palimpsest/core/anthropic-sdk";
import { compare, model, settings, system, task } from "./lab/simulated-audit.mjs";

await compare(async ({ fetch, read }, isWith) => {
  const onStep = ({ text }) => console.log(`  ${text}`);
  const client = new Anthropic({
    apiKey: "any",
    fetch,
    middleware: isWith ? [palimpsestAnthropic({ settings, onStep })] : [],
  });
  await client.beta.messages.toolRunner({
    model,
    max_tokens: 1000,
    system,
    thread: false, // the messages stay here, where the middleware sees them
    messages: [{ role: "user", content: task }],
    tools: [
      {
        name: "Read",
        description: "Reads the next file.",
        input_schema: { type: "object", properties: {} },
        parse: (input) => input,
        run: read,
      },
    ],
  });
});
