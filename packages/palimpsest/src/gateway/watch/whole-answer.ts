import type { ModelResponse } from "@palimpsest/core";
import {
  decodeResponse,
  decodeSseEvent,
  startSse,
  startStream,
  stepSse,
  stepStream,
  type StreamState,
} from "@palimpsest/core/protocols";
import { textOf } from "./decompress.js";
import type { Exchange } from "./exchange.js";

/** The answer of an exchange as one message; undefined where it did not come to its end, or is none. May throw. */
export function wholeAnswer({ answer, answerBody }: Exchange): ModelResponse | undefined {
  if (answer === undefined || answerBody === undefined) return undefined;
  const text = textOf(answerBody, answer.headers["content-encoding"] ?? "");
  const isStream = (answer.headers["content-type"] ?? "").toLowerCase().startsWith("text/event-stream");
  if (!isStream) {
    const decoded = decodeResponse(JSON.parse(text));
    return decoded.kind === "message" ? decoded.message : undefined;
  }
  let state: StreamState = startStream();
  for (const event of stepSse(startSse(), text).events) {
    const step = stepStream(state, decodeSseEvent(event));
    ({ state } = step);
    for (const output of step.outputs) if (output.kind === "message") return output.message;
  }
  return undefined;
}
