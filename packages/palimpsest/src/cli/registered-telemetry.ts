import { setTimeout as wait } from "node:timers/promises";
import type { Telemetry } from "../telemetry/index.js";
import type { Terminal } from "./terminal.js";

/** Where every copy of `@opentelemetry/api` of this major version keeps what a program has registered. */
const REGISTERED = Symbol.for("opentelemetry.js.api.1");

/** Whether messages and answers are told too: the variable, and its values, are those of the GenAI conventions. */
const CONTENT_VARIABLE = "OTEL_INSTRUMENTATION_GENAI_CAPTURE_MESSAGE_CONTENT";
const CONTENT_VALUES: ReadonlySet<string> = new Set(["true", "span_only", "span_and_event"]);

/** How long the end of the program waits for what is still to be sent. */
const FLUSH_MS = 5000;

/** Whoever starts this program with an SDK wants to know what it does; without one nothing is loaded. */
const isSdkRegistered = (): boolean => {
  const registered = (globalThis as Record<symbol, unknown>)[REGISTERED];
  if (typeof registered !== "object" || registered === null) return false;
  return "trace" in registered || "metrics" in registered;
};

export async function registeredTelemetry(env: Terminal["env"]): Promise<Telemetry | undefined> {
  if (!isSdkRegistered()) return undefined;
  const { createTelemetry } = await import("../telemetry/index.js");
  return createTelemetry({
    captureContent: CONTENT_VALUES.has(env[CONTENT_VARIABLE]?.toLowerCase() ?? ""),
  });
}

/** What was measured is sent before the program ends. An SDK that cannot is not waited for. */
export async function flushTelemetry(): Promise<void> {
  if (!isSdkRegistered()) return;
  const { metrics, trace } = await import("@opentelemetry/api");
  const isOver = new AbortController();
  await Promise.race([
    Promise.allSettled([flush(trace.getTracerProvider()), flush(metrics.getMeterProvider())]),
    wait(FLUSH_MS, undefined, { signal: isOver.signal }).catch(() => undefined),
  ]);
  isOver.abort();
}

/** What is registered for spans only stands for the SDK's own; it may come from another copy of the package. */
async function flush(registered: unknown): Promise<void> {
  const { getDelegate } = registered as { readonly getDelegate?: unknown };
  const provider: unknown = typeof getDelegate === "function" ? getDelegate.call(registered) : registered;
  const { forceFlush } = provider as { readonly forceFlush?: unknown };
  if (typeof forceFlush === "function") await forceFlush.call(provider);
}
