import { inOrder, type BackwardList } from "./backward-list.js";
import { isFields, isTooDeep } from "../messages/fields.js";
import type { WireEvent } from "./anthropic-messages/wire.js";

/** An event of a stream as it goes over the wire. */
export function formatSseEvent(event: WireEvent): string {
  return `event: ${event.type}\ndata: ${JSON.stringify(event)}\n\n`;
}

/** One server-sent event; `event` is "message" where the server named none. */
export interface SseEvent {
  readonly event: string;
  readonly data: string;
}

/** Where a reader of server-sent events stands. Never changed in place. */
export interface SseState {
  /** The pieces of the line that has not ended yet. */
  readonly line: BackwardList<string>;
  readonly event: string;
  /** The data lines of the event that has not ended yet. */
  readonly data: BackwardList<string>;
  /** The last character was a CR: a LF that follows belongs to it. */
  readonly afterReturn: boolean;
  /** Something has arrived, so that a byte order mark would be content. */
  readonly begun: boolean;
}

export interface SseStep {
  readonly state: SseState;
  readonly events: readonly SseEvent[];
}

/** The state before the first byte of a stream. */
export function startSse(): SseState {
  return { line: undefined, event: "", data: undefined, afterReturn: false, begun: false };
}

/**
 * Reads the next piece of decoded text, cut anywhere, as the HTML standard says: lines end with LF, CRLF or
 * CR, an event ends with an empty line, an event without data is none, and what the stream ends in the middle
 * of is dropped. Never throws.
 */
export function stepSse(state: SseState, chunk: string): SseStep {
  if (chunk === "") return { state, events: [] };
  const lines = unread(state, chunk).split(/\r\n|\r|\n/);
  const rest = lines.pop() ?? "";
  const events: SseEvent[] = [];
  let { line, event, data } = state;
  for (const ending of lines) {
    const whole = line === undefined ? ending : inOrder({ item: ending, before: line }).join("");
    line = undefined;
    if (whole === "") {
      if (data !== undefined)
        events.push({ event: event === "" ? "message" : event, data: inOrder(data).join("\n") });
      event = "";
      data = undefined;
    } else {
      const { name, value } = readField(whole);
      if (name === "event") event = value;
      else if (name === "data") data = { item: value, before: data };
    }
  }
  if (rest !== "") line = { item: rest, before: line };
  return { state: { line, event, data, afterReturn: chunk.endsWith("\r"), begun: true }, events };
}

/**
 * The value for `stepStream`: the parsed data. An event whose data says no type of its own, or is no JSON
 * object, has the name of the event for its type. Never throws.
 */
export function decodeSseEvent({ event, data }: SseEvent): unknown {
  let value: unknown;
  try {
    value = JSON.parse(data);
  } catch {
    value = undefined;
  }
  if (!isFields(value) || isTooDeep(value)) return { type: event };
  return typeof value["type"] === "string" ? value : { ...value, type: event };
}

/** The chunk without what belongs to the text before it. */
function unread(state: SseState, chunk: string): string {
  const isMark = !state.begun && chunk.startsWith("\uFEFF");
  const isSecondHalf = state.afterReturn && chunk.startsWith("\n");
  return isMark || isSecondHalf ? chunk.slice(1) : chunk;
}

/** A comment is a field without a name. */
function readField(line: string): { readonly name: string; readonly value: string } {
  const colon = line.indexOf(":");
  if (colon < 0) return { name: line, value: "" };
  const value = line.slice(colon + 1);
  return { name: line.slice(0, colon), value: value.startsWith(" ") ? value.slice(1) : value };
}
