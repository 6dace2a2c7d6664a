import type { Delivery } from "../player.js";
import { pause } from "./pause.js";
import type { Journey } from "./request-log.js";

/** A response that is ready to travel. */
export interface Shipment {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  /** The events of a stream, or one whole body. */
  readonly content: StreamContent | WholeContent;
  readonly delivery: Delivery;
  /** The client's: aborted when it goes away. */
  readonly signal: AbortSignal;
  /** Told once how it went; not at all if nobody reads the response. */
  readonly arrived: (journey: Journey) => void;
}

interface StreamContent {
  readonly kind: "stream";
  /** Formatted events, in their order. */
  readonly events: readonly string[];
  /** The formatted `error` event that ends the stream after so many events. */
  readonly error?: { readonly events: number; readonly text: string };
}

interface WholeContent {
  readonly kind: "whole";
  readonly text: string;
}

/** Why a body ends in the middle. */
export class ConnectionCut extends Error {
  constructor() {
    super("the simulator cut the connection, as it was told to");
    this.name = "ConnectionCut";
  }
}

/** Events that follow each other without a wait travel together, up to this many characters. */
const CHUNK_CHARACTERS = 16_384;
const encoder = new TextEncoder();

/**
 * Makes the response, once its delay is over. A connection that is cut before the response begins is a network
 * error (`Response.error()`, its `type` is "error"); one that is cut later is a body that fails with
 * `ConnectionCut`. A body fails with the signal's reason when the client goes away.
 */
export async function deliver(shipment: Shipment): Promise<Response> {
  const { status, headers, content, delivery, signal, arrived } = shipment;
  if (!(await pause(delivery.delayMs ?? 0, signal))) {
    arrived("aborted");
    return Response.error();
  }
  if (delivery.cutAfterEvents !== undefined && delivery.cutAfterEvents <= 0) {
    arrived("cut");
    return Response.error();
  }
  if (content.kind === "stream") {
    return new Response(createStream(planStream(content, delivery), shipment), { status, headers });
  }
  const length = String(Buffer.byteLength(content.text));
  if (delivery.cutAfterEvents === undefined) {
    arrived("complete");
    return new Response(content.text, { status, headers: { ...headers, "content-length": length } });
  }
  const half = content.text.slice(0, Math.floor(content.text.length / 2));
  const plan: StreamPlan = { chunks: [half], pauseMs: 0, ending: "cut" };
  return new Response(createStream(plan, shipment), {
    status,
    headers: { ...headers, "content-length": length },
  });
}

interface StreamPlan {
  readonly chunks: readonly string[];
  /** Between two chunks. */
  readonly pauseMs: number;
  readonly ending: "complete" | "cut" | "error-event";
}

function planStream({ events, error }: StreamContent, delivery: Delivery): StreamPlan {
  const cutAfter = delivery.cutAfterEvents ?? Number.POSITIVE_INFINITY;
  const errorAfter = error?.events ?? Number.POSITIVE_INFINITY;
  const last = Math.min(cutAfter, errorAfter);
  const reached = last <= events.length;
  const isError = reached && error !== undefined && errorAfter <= cutAfter;
  const sent = [...(reached ? events.slice(0, Math.max(0, last)) : events), ...(isError ? [error.text] : [])];
  const pauseMs = delivery.eventDelayMs ?? 0;
  return {
    chunks: pauseMs > 0 ? sent : together(sent),
    pauseMs,
    ending: isError ? "error-event" : reached ? "cut" : "complete",
  };
}

function together(events: readonly string[]): readonly string[] {
  const chunks: string[] = [];
  let chunk = "";
  for (const event of events) {
    if (chunk !== "" && chunk.length + event.length > CHUNK_CHARACTERS) {
      chunks.push(chunk);
      chunk = "";
    }
    chunk += event;
  }
  return chunk === "" ? chunks : [...chunks, chunk];
}

/** Makes a chunk only when it is asked for one: a response that nobody reads holds no timer. */
function createStream(
  { chunks, pauseMs, ending }: StreamPlan,
  { signal, arrived }: Shipment,
): ReadableStream<Uint8Array> {
  const gone = new AbortController();
  let next = 0;
  let isOver = false;
  const finish = (journey: Journey): void => {
    if (isOver) return;
    isOver = true;
    signal.removeEventListener("abort", onAbort);
    gone.abort();
    arrived(journey);
  };
  let fail: (reason: unknown) => void = () => {};
  const onAbort = (): void => {
    finish("aborted");
    fail(signal.reason);
  };
  return new ReadableStream<Uint8Array>(
    {
      start(controller) {
        fail = (reason) => controller.error(reason);
        if (signal.aborted) onAbort();
        else signal.addEventListener("abort", onAbort);
      },
      async pull(controller) {
        if (next > 0 && next < chunks.length && !(await pause(pauseMs, gone.signal))) return;
        const chunk = chunks[next];
        next += 1;
        if (chunk !== undefined) {
          controller.enqueue(encoder.encode(chunk));
          return;
        }
        finish(ending);
        if (ending === "cut") controller.error(new ConnectionCut());
        else controller.close();
      },
      cancel() {
        finish("aborted");
      },
    },
    { highWaterMark: 0 },
  );
}
