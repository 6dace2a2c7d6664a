import type { Conversation, ModelProvider } from "@palimpsest/core";
import {
  createNoopMeter,
  metrics,
  ProxyTracerProvider,
  SpanKind,
  SpanStatusCode,
  trace,
  type Attributes,
  type Meter,
  type Span,
  type Tracer,
} from "@opentelemetry/api";
import { createInstruments } from "./instruments.js";
import { names } from "./names.js";
import { usageAttributes } from "./usage-attributes.js";

export interface TelemetryOptions {
  /** By default that of the SDK that the program has registered; without one nothing is recorded. */
  readonly tracer?: Tracer;
  readonly meter?: Meter;
  /** Of every span and measurement, such as the tenant. */
  readonly attributes?: Attributes;
  /** Messages and answers as attributes too. Off: nothing that was said leaves the process. */
  readonly captureContent?: boolean;
}

export interface Telemetry {
  /** The same conversation; what it prepares and compacts are spans, and what it tells is counted. */
  conversation(conversation: Conversation, about?: { readonly id?: string }): Conversation;
  /** The same provider; every call is a span, summaries and notes too. */
  provider(provider: ModelProvider, about?: { readonly conversationId?: string }): ModelProvider;
  /** A span around what a tool does. */
  tool<T>(call: { readonly name: string; readonly id?: string }, run: () => Promise<T>): Promise<T>;
}

const SCOPE = "palimpsest";

/** Spans and metrics for OpenTelemetry, in the names of its GenAI conventions. To be made once an SDK is registered: meters come from what is there then. */
export function createTelemetry(options: TelemetryOptions = {}): Telemetry {
  const { attributes: common = {}, captureContent = false } = options;
  const tracer = options.tracer ?? trace.getTracer(SCOPE);
  const meter = options.meter ?? metrics.getMeter(SCOPE);
  const instruments = createInstruments(meter, common);

  /** No SDK is registered (yet): then a span would be made for nobody. */
  const isIdle = (): boolean => {
    if (options.tracer !== undefined || meter !== createNoopMeter()) return false;
    const registered = trace.getTracerProvider();
    return registered instanceof ProxyTracerProvider && registered.getDelegateTracer(SCOPE) === undefined;
  };

  async function spanned<T>(
    name: string,
    attributes: Attributes,
    run: (span: Span) => Promise<T>,
  ): Promise<T> {
    return tracer.startActiveSpan(name, { attributes: { ...common, ...attributes } }, async (span) => {
      try {
        return await run(span);
      } catch (error) {
        fail(
          span,
          error instanceof Error ? error.name : "_OTHER",
          error instanceof Error ? error.message : "",
        );
        throw error;
      } finally {
        span.end();
      }
    });
  }

  return {
    conversation(conversation, { id } = {}) {
      const about: Attributes = id === undefined ? {} : { [names.conversation]: id };
      instruments.listen(conversation, about);
      let isCompacted = false;
      conversation.events.on("compact", () => (isCompacted = true));
      return new Proxy(conversation, {
        get(target, key) {
          if (key === "prepare" && !isIdle()) {
            return (given?: Parameters<Conversation["prepare"]>[0]) =>
              spanned("prepare", { ...about, [names.requestModel]: target.model }, async (span) => {
                const prepared = await target.prepare(given);
                span.setAttribute(names.compacted, isCompacted);
                span.setAttribute(
                  names.steps,
                  prepared.steps.map(({ tier }) => tier),
                );
                if (prepared.kind === "held") fail(span, prepared.reason, prepared.message);
                return prepared;
              });
          }
          if (key === "compact" && !isIdle()) {
            return (given?: Parameters<Conversation["compact"]>[0]) =>
              spanned("compact", { ...about, [names.requestModel]: target.model }, async (span) => {
                const outcome = await target.compact(given);
                span.setAttribute(names.compacted, isCompacted);
                if (outcome.kind === "failed") fail(span, outcome.reason, outcome.message);
                return outcome;
              });
          }
          const value: unknown = Reflect.get(target, key, target);
          return typeof value === "function" ? value.bind(target) : value;
        },
      });
    },

    provider(provider, { conversationId } = {}) {
      return {
        name: provider.name,
        capabilities: (model) => provider.capabilities(model),
        async *stream(call, callOptions) {
          if (isIdle()) {
            yield* provider.stream(call, callOptions);
            return;
          }
          const { model, max_tokens: maxTokens, messages } = call.request;
          const span = tracer.startSpan(`chat ${model}`, {
            kind: SpanKind.CLIENT,
            attributes: {
              ...common,
              [names.operation]: "chat",
              [names.provider]: provider.name,
              [names.requestModel]: model,
              [names.maxTokens]: maxTokens,
              ...(conversationId === undefined ? {} : { [names.conversation]: conversationId }),
              ...(captureContent ? { [names.inputMessages]: JSON.stringify(messages) } : {}),
            },
          });
          const began = performance.now();
          let errorType: string | undefined = "abandoned";
          try {
            for await (const output of provider.stream(call, callOptions)) {
              if (output.kind === "message") {
                errorType = undefined;
                const { message } = output;
                span.setAttributes({
                  [names.responseModel]: message.model,
                  [names.responseId]: message.id,
                  [names.finishReasons]: message.stop_reason === null ? [] : [message.stop_reason],
                  ...usageAttributes(message.model, message.usage),
                  ...(captureContent ? { [names.outputMessages]: JSON.stringify(message.content) } : {}),
                });
              } else if (output.kind === "error") {
                errorType = output.failure.kind;
                fail(span, errorType, captureContent ? output.failure.message : "");
              }
              yield output;
            }
          } finally {
            if (errorType === "abandoned") fail(span, errorType, "");
            instruments.called(performance.now() - began, {
              [names.operation]: "chat",
              [names.provider]: provider.name,
              [names.requestModel]: model,
              ...(errorType === undefined ? {} : { [names.errorType]: errorType }),
            });
            span.end();
          }
        },
      };
    },

    tool: ({ name, id }, run) =>
      spanned(
        `execute_tool ${name}`,
        {
          [names.operation]: "execute_tool",
          [names.toolName]: name,
          ...(id === undefined ? {} : { [names.toolCallId]: id }),
        },
        run,
      ),
  };
}

function fail(span: Span, type: string, message: string): void {
  span.setAttribute(names.errorType, type);
  span.setStatus({ code: SpanStatusCode.ERROR, ...(message === "" ? {} : { message }) });
}
