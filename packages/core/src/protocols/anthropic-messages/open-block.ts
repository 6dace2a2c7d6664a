import type { ClosedBlock } from "../../messages/call/stream.js";
import type { AssistantBlock } from "../../messages/content.js";
import { inOrder, type BackwardList } from "../backward-list.js";
import { isFields, isTooDeep, type Fields } from "../../messages/fields.js";
import type { WireDelta } from "./wire.js";

/** A block between its start and its stop. */
export interface OpenBlock {
  readonly start: AssistantBlock;
  readonly deltas: BackwardList<WireDelta>;
}

/**
 * Reads a delta: `unknown` for a kind that this version does not know, `malformed` for a known kind without
 * its payload.
 */
export function readDelta(value: unknown): WireDelta | "unknown" | "malformed" {
  if (!isFields(value) || typeof value["type"] !== "string") return "malformed";
  const isKnown = Object.hasOwn(payloads, value["type"]);
  if (!isKnown) return "unknown";
  const delta = value as unknown as WireDelta;
  return payloads[delta.type](value) ? delta : "malformed";
}

const payloads: Readonly<Record<WireDelta["type"], (delta: Fields) => boolean>> = {
  text_delta: (delta) => typeof delta["text"] === "string",
  thinking_delta: (delta) => typeof delta["thinking"] === "string",
  signature_delta: (delta) => typeof delta["signature"] === "string",
  input_json_delta: (delta) => typeof delta["partial_json"] === "string",
  citations_delta: (delta) => delta["citation"] !== undefined,
  compaction_delta: (delta) =>
    isTextOrNull(delta["content"]) &&
    (delta["encrypted_content"] === undefined || isTextOrNull(delta["encrypted_content"])),
};

function isTextOrNull(value: unknown): boolean {
  return value === null || typeof value === "string";
}

/** Whether the block has what the delta continues. By fields, so that kinds nobody here knows can stream too. */
export function accepts(block: AssistantBlock, delta: WireDelta): boolean {
  const fields = block as unknown as Fields;
  switch (delta.type) {
    case "text_delta":
    case "citations_delta":
      return typeof fields["text"] === "string";
    case "thinking_delta":
      return typeof fields["thinking"] === "string";
    case "signature_delta":
      return typeof fields["thinking"] === "string" || typeof fields["signature"] === "string";
    case "input_json_delta":
      return fields["input"] !== undefined || isCall(block);
    case "compaction_delta":
      return block.type === "compaction";
  }
}

/** The start with all deltas applied; the start itself where there were none that change it. */
export function closeBlock({ start, deltas }: OpenBlock): ClosedBlock {
  if (deltas === undefined) return { block: start };
  const fields = start as unknown as Fields;
  const gathered = gather(inOrder(deltas));
  const input = gathered.json.join("");
  const call = input.trim() === "" ? undefined : parseInput(input, start);
  const block = {
    ...fields,
    ...(gathered.text.length > 0 ? { text: stringOf(fields["text"]) + gathered.text.join("") } : {}),
    ...(gathered.thinking.length > 0
      ? { thinking: stringOf(fields["thinking"]) + gathered.thinking.join("") }
      : {}),
    ...(gathered.citations.length > 0
      ? { citations: [...listOf(fields["citations"]), ...gathered.citations] }
      : {}),
    ...gathered.final,
    ...(call === undefined ? {} : { input: call.input }),
  } as unknown as AssistantBlock;
  return call?.malformedInput === undefined ? { block } : { block, malformedInput: call.malformedInput };
}

interface Gathered {
  readonly text: string[];
  readonly thinking: string[];
  readonly json: string[];
  readonly citations: unknown[];
  /** Fields of which a delta brings the final value: the last one counts. */
  final: Fields;
}

function gather(deltas: readonly WireDelta[]): Gathered {
  const gathered: Gathered = { text: [], thinking: [], json: [], citations: [], final: {} };
  for (const delta of deltas) {
    if (delta.type === "text_delta") gathered.text.push(delta.text);
    else if (delta.type === "thinking_delta") gathered.thinking.push(delta.thinking);
    else if (delta.type === "input_json_delta") gathered.json.push(delta.partial_json);
    else if (delta.type === "citations_delta") gathered.citations.push(delta.citation);
    else if (delta.type === "signature_delta") gathered.final = { signature: delta.signature };
    else gathered.final = compactionFields(delta);
  }
  return gathered;
}

function compactionFields(delta: Extract<WireDelta, { type: "compaction_delta" }>): Fields {
  const { content, encrypted_content } = delta;
  return encrypted_content === undefined ? { content } : { content, encrypted_content };
}

/** An answer that was cut off ends in the middle of its JSON: the block stays, its input is given as text. */
function parseInput(
  json: string,
  start: AssistantBlock,
): { readonly input: unknown; readonly malformedInput?: string } {
  try {
    const input: unknown = JSON.parse(json);
    // A call that the client carries out has an object for its input; one of the server may have anything.
    if ((start.type !== "tool_use" || isFields(input)) && !isTooDeep(input)) return { input };
  } catch {
    // Reported below.
  }
  return { input: {}, malformedInput: json };
}

function isCall({ type }: AssistantBlock): boolean {
  return type === "tool_use" || type === "server_tool_use" || type === "mcp_tool_use";
}

function listOf(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [];
}

function stringOf(value: unknown): string {
  return typeof value === "string" ? value : "";
}
