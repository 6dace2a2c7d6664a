import { createConversation, createEventEmitter, type Conversation } from "@palimpsest/core";
import { compaction } from "@palimpsest/core/compaction";
import { SpanStatusCode } from "@opentelemetry/api";
import {
  AggregationTemporality,
  InMemoryMetricExporter,
  MeterProvider,
  PeriodicExportingMetricReader,
} from "@opentelemetry/sdk-metrics";
import {
  BasicTracerProvider,
  InMemorySpanExporter,
  SimpleSpanProcessor,
} from "@opentelemetry/sdk-trace-base";
import { describe, expect, it } from "vitest";
import { createEmbeddedProvider } from "../providers/index.js";
import { createTelemetry, type TelemetryOptions } from "./index.js";

function stage(given: TelemetryOptions = {}) {
  const spans = new InMemorySpanExporter();
  const tracers = new BasicTracerProvider({ spanProcessors: [new SimpleSpanProcessor(spans)] });
  const measured = new InMemoryMetricExporter(AggregationTemporality.CUMULATIVE);
  const reader = new PeriodicExportingMetricReader({ exporter: measured, exportIntervalMillis: 1e6 });
  const meters = new MeterProvider({ readers: [reader] });
  const telemetry = createTelemetry({
    tracer: tracers.getTracer("test"),
    meter: meters.getMeter("test"),
    attributes: { "palimpsest.tenant": "acme" },
    ...given,
  });
  const metrics = async () => {
    await meters.forceFlush();
    const points = measured
      .getMetrics()
      .at(-1)
      ?.scopeMetrics.flatMap((scope) => scope.metrics);
    return new Map((points ?? []).map((metric) => [metric.descriptor.name, metric.dataPoints]));
  };
  return { telemetry, spans: () => spans.getFinishedSpans(), metrics };
}

async function talk(given: TelemetryOptions, turns: number) {
  const made = stage(given);
  const provider = made.telemetry.provider(createEmbeddedProvider(), { conversationId: "c-1" });
  const conversation: Conversation = made.telemetry.conversation(
    createConversation({
      model: "claude-haiku-4-5",
      maxTokens: 1000,
      compaction,
      provider,
      settings: { window: 30_000, reserve: 4000, autoCompactBuffer: 2000 },
      events: createEventEmitter(),
    }),
    { id: "c-1" },
  );
  const answers = [];
  for (let turn = 0; turn < turns; turn += 1) {
    answers.push(await conversation.ask(`the secret word is marmalade ${"think of it. ".repeat(600)}`));
  }
  return { ...made, conversation, answers };
}

describe("telemetry", () => {
  it("calls are spans in the names of the conventions, and their figures are those of the account", async () => {
    const { spans, metrics, conversation } = await talk({}, 25);
    const calls = spans().filter(({ name }) => name === "chat claude-haiku-4-5");
    const billed = conversation.account().lines.reduce((total, { dollars }) => total + dollars, 0);
    expect(calls.length).toBeGreaterThan(25);
    for (const { attributes } of calls) {
      expect(attributes).toMatchObject({
        "gen_ai.operation.name": "chat",
        "gen_ai.request.model": "claude-haiku-4-5",
        "gen_ai.conversation.id": "c-1",
        "palimpsest.tenant": "acme",
      });
      const [all, read, written] = [
        "gen_ai.usage.input_tokens",
        "gen_ai.usage.cache_read.input_tokens",
        "gen_ai.usage.cache_creation.input_tokens",
      ].map((name) => Number(attributes[name]));
      expect(all).toBeGreaterThanOrEqual((read ?? 0) + (written ?? 0));
    }
    const sum = calls.reduce((total, { attributes }) => total + Number(attributes["palimpsest.cost.usd"]), 0);
    expect(sum).toBeCloseTo(billed, 6);
    const counted = await metrics();
    const cost = (counted.get("palimpsest.cost") ?? []).reduce(
      (total, { value }) => total + Number(value),
      0,
    );
    expect(cost).toBeCloseTo(sum, 6);
    expect(counted.get("palimpsest.compactions")?.length).toBeGreaterThan(0);
    expect(counted.get("gen_ai.client.operation.duration")?.length).toBeGreaterThan(0);
    const kinds = (counted.get("gen_ai.client.token.usage") ?? []).map(
      ({ attributes }) => attributes["gen_ai.token.type"],
    );
    expect(new Set(kinds)).toEqual(new Set(["input", "cache_read", "cache_creation", "output"]));
  });

  it("nothing that was said leaves the process unless it is asked for", async () => {
    const quiet = await talk({}, 2);
    expect(JSON.stringify(quiet.spans().map(({ attributes, status }) => [attributes, status]))).not.toContain(
      "marmalade",
    );
    const telling = await talk({ captureContent: true }, 2);
    expect(JSON.stringify(telling.spans().map(({ attributes }) => attributes))).toContain("marmalade");
  });

  it("prepare and compact are spans, and say what was done", async () => {
    const { conversation, spans } = await talk({}, 6);
    await conversation.append({ role: "user", content: "go on" });
    const prepared = await conversation.prepare();
    expect(prepared.kind).toBe("request");
    expect(await conversation.compact()).toMatchObject({ kind: "compacted" });
    const named = spans().map(({ name }) => name);
    expect(named).toContain("prepare");
    expect(named).toContain("compact");
    expect(spans().find(({ name }) => name === "compact")?.attributes["gen_ai.conversation.compacted"]).toBe(
      true,
    );
  });

  it("tools are spans, and what they throw is on them and thrown on", async () => {
    const { telemetry, spans } = stage();
    expect(await telemetry.tool({ name: "Read", id: "t1" }, async () => 7)).toBe(7);
    await expect(
      telemetry.tool({ name: "Read" }, async () => Promise.reject(new TypeError("no"))),
    ).rejects.toThrow("no");
    const [good, bad] = spans();
    expect(good?.attributes).toMatchObject({ "gen_ai.tool.name": "Read", "gen_ai.tool.call.id": "t1" });
    expect(bad?.status.code).toBe(SpanStatusCode.ERROR);
    expect(bad?.attributes["error.type"]).toBe("TypeError");
  });

  it("a call that fails or is left is told as such", async () => {
    const { telemetry, spans } = stage();
    const provider = telemetry.provider(createEmbeddedProvider());
    const request = {
      model: "claude-haiku-4-5",
      max_tokens: 10,
      messages: [{ role: "user", content: "hi" }],
    } as const;
    for await (const output of provider.stream({ request: { ...request, max_tokens: -1 } as never }))
      void output;
    for await (const output of provider.stream({ request: request as never })) {
      void output;
      break;
    }
    const [failed, left] = spans();
    expect(failed?.attributes["error.type"]).toBe("invalid-request");
    expect(left?.attributes["error.type"]).toBe("abandoned");
  });

  it("a turn is a span above what happens in it, and says whose conversation it is", async () => {
    const { telemetry, spans } = stage();
    await telemetry.turn({ agent: "support", conversationId: "c-9" }, () =>
      telemetry.tool({ name: "Read", hasFailed: (text) => text === "bad" }, async () => "bad"),
    );
    const [tool, turn] = spans();
    expect(turn).toMatchObject({
      name: "invoke_agent support",
      attributes: { "gen_ai.operation.name": "invoke_agent", "gen_ai.conversation.id": "c-9" },
    });
    expect(tool?.attributes["error.type"]).toBe("tool_error");
  });

  it("a call that somebody else made is told with its own times, figures, failure and break", async () => {
    const { telemetry, spans, metrics } = stage();
    const usage = { input_tokens: 10, output_tokens: 5, cache_read_input_tokens: 100 };
    const seen = { at: 1_700_000_000_000, milliseconds: 1500, provider: "anthropic", source: "api-key" };
    telemetry.seen({
      ...seen,
      billed: { model: "claude-haiku-4-5", usage },
      conversationId: "c-1",
      cacheBreak: { reason: "tools", cost: 0.25 },
    });
    telemetry.seen({ ...seen, errorType: "overloaded_error" });
    const [good, bad] = spans();
    expect(good).toMatchObject({
      name: "chat claude-haiku-4-5",
      startTime: [1_700_000_000, 0],
      attributes: { "gen_ai.usage.input_tokens": 110, "palimpsest.source": "api-key" },
    });
    expect(good?.duration).toEqual([1, 500_000_000]);
    expect(bad).toMatchObject({ name: "chat", attributes: { "error.type": "overloaded_error" } });
    const counted = await metrics();
    expect(counted.get("palimpsest.cache_breaks.cost")?.[0]).toMatchObject({
      value: 0.25,
      attributes: { "palimpsest.reason": "tools" },
    });
    expect(counted.get("palimpsest.cost")).toHaveLength(1);
    expect(counted.get("gen_ai.client.operation.duration")).toHaveLength(2);
  });
});
