import { encodeError, encodeStream, errorStatus, formatSseEvent } from "@palimpsest/core/protocols";
import type { Outcome } from "../outcome.js";
import type { Delivery } from "../player.js";
import type { Shipment } from "./deliver.js";
import type { Refusal } from "./refusal.js";
import type { RequestRecord } from "./request-log.js";

/** What the API says: an outcome of the simulator, an error of its own, or some JSON. */
export type Answer = Refusal | { readonly kind: "json"; readonly body: unknown } | Outcome;

/** An answer as HTTP says it. */
export interface Given {
  readonly status: number;
  readonly content: Shipment["content"];
  readonly headers: Readonly<Record<string, string>>;
  readonly error: RequestRecord["error"];
}

interface Giving {
  readonly delivery: Delivery;
  readonly isStream: boolean;
  readonly requestId: string;
}

/** An error that would end a stream is the whole answer where nothing is streamed. */
export function giveAnswer(answer: Answer, { delivery, isStream, requestId }: Giving): Given {
  if (answer.kind === "refusal" || answer.kind === "error") {
    const { status, type, message, errorCode } = answer;
    const body = encodeError({ type, message, requestId, ...(errorCode === undefined ? {} : { errorCode }) });
    return {
      status,
      content: { kind: "whole", text: JSON.stringify(body) },
      headers: answer.kind === "refusal" ? (answer.headers ?? {}) : {},
      error: { type, message },
    };
  }
  if (answer.kind !== "message") return whole(answer.body);
  const { errorAfterEvents } = delivery;
  if (isStream) {
    const events = encodeStream(answer.message).map(formatSseEvent);
    if (errorAfterEvents === undefined) return streamed({ kind: "stream", events });
    const { type, message } = errorAfterEvents;
    const text = formatSseEvent({ type: "error", error: { type, message } });
    return streamed({ kind: "stream", events, error: { events: errorAfterEvents.events, text } });
  }
  if (errorAfterEvents === undefined) return whole(answer.message);
  const { type, message } = errorAfterEvents;
  const refusal: Refusal = { kind: "refusal", status: errorStatus(type), type, message };
  return giveAnswer(refusal, { delivery, isStream, requestId });
}

const whole = (body: unknown): Given => ({
  status: 200,
  content: { kind: "whole", text: JSON.stringify(body) },
  headers: {},
  error: null,
});

const streamed = (content: Shipment["content"]): Given => ({
  status: 200,
  content,
  headers: {},
  error: null,
});
