import type { ModelProvider } from "@palimpsest/core";
import { SpanKind, type Attributes, type Tracer } from "@opentelemetry/api";
import type { Instruments } from "./instruments.js";
import { names } from "./names.js";
import { failSpan } from "./spans.js";
import { usageAttributes } from "./usage-attributes.js";

export interface TracedProviderParts {
  readonly tracer: Tracer;
  readonly instruments: Instruments;
  readonly isIdle: () => boolean;
  readonly captureContent: boolean;
  /** Of every span. */
  readonly attributes: Attributes;
}

/** The same provider; every call is a span. */
export function tracedProvider(
  provider: ModelProvider,
  { tracer, instruments, isIdle, captureContent, attributes }: TracedProviderParts,
): ModelProvider {
  return {
    name: provider.name,
    capabilities: (model) => provider.capabilities(model),
    async *stream(call, callOptions) {
      if (isIdle()) {
        yield* provider.stream(call, callOptions);
        return;
      }
      const { model, max_tokens: maxTokens, messages } = call.request;
      const about = {
        [names.operation]: "chat",
        [names.provider]: provider.name,
        [names.requestModel]: model,
      };
      const span = tracer.startSpan(`chat ${model}`, {
        kind: SpanKind.CLIENT,
        attributes: {
          ...attributes,
          ...about,
          [names.maxTokens]: maxTokens,
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
            failSpan(span, errorType, captureContent ? output.failure.message : "");
          }
          yield output;
        }
      } finally {
        if (errorType === "abandoned") failSpan(span, errorType);
        instruments.called(performance.now() - began, {
          ...about,
          ...(errorType === undefined ? {} : { [names.errorType]: errorType }),
        });
        span.end();
      }
    },
  };
}
