// Spans for OpenTelemetry: what was prepared, what was asked, what it cost. Here they go to the console.
import { createConversation } from "@palimpsest/core";
import { compaction } from "@palimpsest/core/compaction";
import { BasicTracerProvider, ConsoleSpanExporter, SimpleSpanProcessor } from "@opentelemetry/sdk-trace-base";
import { createEmbeddedProvider } from "palimpsest/providers";
import { createTelemetry } from "palimpsest/telemetry";
import assert from "node:assert/strict";

const tracers = new BasicTracerProvider({
  spanProcessors: [new SimpleSpanProcessor(new ConsoleSpanExporter())],
});
const telemetry = createTelemetry({
  tracer: tracers.getTracer("my-host"),
  attributes: { "host.name": "example" },
});

const provider = telemetry.provider(createEmbeddedProvider(), { conversationId: "42" });
const conversation = telemetry.conversation(
  createConversation({ model: "claude-haiku-4-5", maxTokens: 1000, compaction, provider }),
  { id: "42" },
);
const { text } = await conversation.ask("Say hello.");
const files = await telemetry.tool({ name: "list" }, async () => ["a.txt"]);
assert.ok(text.length > 0 && files.length === 1);
