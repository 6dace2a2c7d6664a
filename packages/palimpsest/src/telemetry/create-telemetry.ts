import type { Conversation, ModelProvider, ResponseUsage } from "@palimpsest/core";
import {
  createNoopMeter,
  metrics,
  ProxyTracerProvider,
  SpanKind,
  trace,
  type Attributes,
  type Meter,
  type Span,
  type Tracer,
} from "@opentelemetry/api";
import { createInstruments } from "./instruments.js";
import { names } from "./names.js";
import { failSpan, spanned } from "./spans.js";
import { tracedProvider } from "./traced-provider.js";
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

/** A call to a model that somebody else made. */
export interface SeenCall {
  /** When it was made, in milliseconds. */
  readonly at: number;
  readonly milliseconds: number;
  readonly provider: string;
  /** Absent where nobody knows: nothing came back. */
  readonly billed?: { readonly model: string; readonly usage: ResponseUsage };
  readonly conversationId?: string;
  readonly errorType?: string;
  /** The cached prefix that it did not read, and what that cost. */
  readonly cacheBreak?: { readonly reason: string; readonly cost: number };
  /** Who pays for it. */
  readonly source: string;
}

export interface Telemetry {
  /** The same conversation; what it prepares and compacts are spans, and what it tells is counted. */
  conversation(conversation: Conversation, about?: { readonly id?: string }): Conversation;
  /** The same provider; every call is a span, summaries and notes too. */
  provider(provider: ModelProvider, about?: { readonly conversationId?: string }): ModelProvider;
  /** A span around what a tool does. */
  tool<T>(
    call: {
      readonly name: string;
      readonly id?: string;
      /** Whether what came of it is a failure, where a tool does not throw. */
      readonly hasFailed?: (result: T) => boolean;
    },
    run: () => Promise<T>,
  ): Promise<T>;
  /** A span around an answer to a prompt: its calls and tools are beneath it. */
  turn<T>(
    about: { readonly agent: string; readonly conversationId?: string },
    run: () => Promise<T>,
  ): Promise<T>;
  /** A span, and figures, for a call that is over. */
  seen(call: SeenCall): void;
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

  const around = <T>(name: string, attributes: Attributes, run: (span: Span) => Promise<T>): Promise<T> =>
    spanned(tracer, { name, attributes: { ...common, ...attributes } }, run);
  const ofConversation = (id: string | undefined): Attributes =>
    id === undefined ? {} : { [names.conversation]: id };

  return {
    conversation(conversation, { id } = {}) {
      const about = ofConversation(id);
      instruments.listen(conversation, about);
      let isCompacted = false;
      conversation.events.on("compact", () => (isCompacted = true));
      return new Proxy(conversation, {
        get(target, key) {
          if (key === "prepare" && !isIdle()) {
            return (given?: Parameters<Conversation["prepare"]>[0]) =>
              around("prepare", { ...about, [names.requestModel]: target.model }, async (span) => {
                const prepared = await target.prepare(given);
                span.setAttribute(names.compacted, isCompacted);
                span.setAttribute(
                  names.steps,
                  prepared.steps.map(({ tier }) => tier),
                );
                if (prepared.kind === "held") failSpan(span, prepared.reason, prepared.message);
                return prepared;
              });
          }
          if (key === "compact" && !isIdle()) {
            return (given?: Parameters<Conversation["compact"]>[0]) =>
              around("compact", { ...about, [names.requestModel]: target.model }, async (span) => {
                const outcome = await target.compact(given);
                span.setAttribute(names.compacted, isCompacted);
                if (outcome.kind === "failed") failSpan(span, outcome.reason, outcome.message);
                return outcome;
              });
          }
          const value: unknown = Reflect.get(target, key, target);
          return typeof value === "function" ? value.bind(target) : value;
        },
      });
    },

    provider: (provider, { conversationId } = {}) =>
      tracedProvider(provider, {
        tracer,
        instruments,
        isIdle,
        captureContent,
        attributes: { ...common, ...ofConversation(conversationId) },
      }),

    tool: ({ name, id, hasFailed }, run) =>
      around(
        `execute_tool ${name}`,
        {
          [names.operation]: "execute_tool",
          [names.toolName]: name,
          ...(id === undefined ? {} : { [names.toolCallId]: id }),
        },
        async (span) => {
          const result = await run();
          if (hasFailed?.(result) === true) failSpan(span, "tool_error");
          return result;
        },
      ),

    turn: ({ agent, conversationId }, run) =>
      around(
        `invoke_agent ${agent}`,
        {
          [names.operation]: "invoke_agent",
          [names.agentName]: agent,
          ...ofConversation(conversationId),
        },
        run,
      ),

    seen({ at, milliseconds, provider, billed, conversationId, errorType, cacheBreak, source }) {
      const model: Attributes = billed === undefined ? {} : { [names.requestModel]: billed.model };
      const about: Attributes = { [names.provider]: provider, [names.source]: source, ...model };
      const called = { ...about, [names.operation]: "chat" };
      const own = ofConversation(conversationId);
      const span = tracer.startSpan(billed === undefined ? "chat" : `chat ${billed.model}`, {
        kind: SpanKind.CLIENT,
        startTime: new Date(at),
        attributes: {
          ...common,
          ...called,
          ...own,
          ...(billed === undefined ? {} : usageAttributes(billed.model, billed.usage)),
        },
      });
      if (errorType !== undefined) failSpan(span, errorType);
      span.end(new Date(at + milliseconds));
      instruments.called(milliseconds, {
        ...called,
        ...(errorType === undefined ? {} : { [names.errorType]: errorType }),
      });
      if (billed !== undefined) instruments.billed(billed, { ...about, ...own });
      if (cacheBreak !== undefined) {
        instruments.broke(cacheBreak.cost, { ...about, ...own, [names.reason]: cacheBreak.reason });
      }
    },
  };
}
