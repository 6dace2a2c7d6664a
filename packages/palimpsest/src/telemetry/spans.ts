import { SpanStatusCode, type Attributes, type Span, type Tracer } from "@opentelemetry/api";
import { names } from "./names.js";

/** A span around what `run` does; what it throws is on the span, and thrown on. */
export async function spanned<T>(
  tracer: Tracer,
  { name, attributes }: { readonly name: string; readonly attributes: Attributes },
  run: (span: Span) => Promise<T>,
): Promise<T> {
  return tracer.startActiveSpan(name, { attributes }, async (span) => {
    try {
      return await run(span);
    } catch (error) {
      failSpan(
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

export function failSpan(span: Span, type: string, message = ""): void {
  span.setAttribute(names.errorType, type);
  span.setStatus({ code: SpanStatusCode.ERROR, ...(message === "" ? {} : { message }) });
}
