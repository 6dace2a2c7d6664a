// What a person has who wants spans: an SDK that is registered before the command starts (`node --import`). What it exports
// goes to a file, one JSON document a line.
import { metrics, context, ROOT_CONTEXT, trace } from "@opentelemetry/api";
import {
  AggregationTemporality,
  MeterProvider,
  PeriodicExportingMetricReader,
} from "@opentelemetry/sdk-metrics";
import { BasicTracerProvider, BatchSpanProcessor } from "@opentelemetry/sdk-trace-base";
import { AsyncLocalStorage } from "node:async_hooks";
import { appendFileSync } from "node:fs";

const file = process.env.OTEL_TEST_FILE;
const write = (kind, value) =>
  appendFileSync(file, `${JSON.stringify({ kind, pid: process.pid, ...value })}\n`);
const done = (tell) => tell({ code: 0 });

const storage = new AsyncLocalStorage();
context.setGlobalContextManager({
  active: () => storage.getStore() ?? ROOT_CONTEXT,
  with: (active, run, self, ...given) => storage.run(active, () => run.call(self, ...given)),
  bind: (_active, target) => target,
  enable() {
    return this;
  },
  disable() {
    return this;
  },
});

const exporter = {
  export(spans, tell) {
    for (const span of spans) {
      const { name, attributes, status, startTime, endTime } = span;
      const { spanId, traceId } = span.spanContext();
      const parent = span.parentSpanContext?.spanId;
      write("span", { name, attributes, status, spanId, traceId, parent, startTime, endTime });
    }
    done(tell);
  },
  shutdown: async () => {},
};
// Nothing is sent before somebody asks for it.
const processor = new BatchSpanProcessor(exporter, { scheduledDelayMillis: 3_600_000 });
trace.setGlobalTracerProvider(new BasicTracerProvider({ spanProcessors: [processor] }));

const measured = {
  export(resource, tell) {
    for (const { metrics: list } of resource.scopeMetrics)
      for (const { descriptor, dataPoints } of list)
        for (const { value, attributes } of dataPoints)
          write("metric", { name: descriptor.name, value, attributes });
    done(tell);
  },
  selectAggregationTemporality: () => AggregationTemporality.DELTA,
  forceFlush: async () => {},
  shutdown: async () => {},
};
const reader = new PeriodicExportingMetricReader({ exporter: measured, exportIntervalMillis: 3_600_000 });
metrics.setGlobalMeterProvider(new MeterProvider({ readers: [reader] }));
