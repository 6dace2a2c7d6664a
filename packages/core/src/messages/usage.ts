import { isFields, type Fields } from "./fields.js";

/**
 * The figures of a usage that describe the context: where a response took several calls, those of the last one
 * that sampled the message (`fallback_message` takes the place of `message` where another model served it). A
 * `compaction` iteration says nothing of the size.
 */
export function sampledFigures(usage: object): Fields {
  const figures = usage as Fields;
  const iterations = Array.isArray(figures["iterations"]) ? figures["iterations"].filter(isFields) : [];
  return iterations.findLast(({ type }) => type === "message" || type === "fallback_message") ?? figures;
}
