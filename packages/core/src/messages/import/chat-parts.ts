import { isFields, type Fields } from "../fields.js";

/** What a message, or a piece of one, brings of a call. What it does not say is undefined. */
export interface CallPart {
  readonly index: number | undefined;
  readonly id: string | undefined;
  readonly name: string | undefined;
  /** JSON, or a piece of it. */
  readonly json: string;
}

/** What a message brings, whole or as the delta of a stream. */
export interface MessageParts {
  readonly thinking: string;
  readonly text: string;
  /** Part of the text says why the model refuses. */
  readonly isRefusal: boolean;
  readonly calls: readonly CallPart[];
}

export interface PartsFault {
  readonly path: string;
  readonly expected: string;
}

export const isFault = (value: MessageParts | PartsFault): value is PartsFault => "expected" in value;

/** Reads a `message` or a `delta`: both have the same fields. Never throws. */
export function readParts(message: Fields): MessageParts | PartsFault {
  const content = readContent(message["content"]);
  if (content === undefined) return { path: "content", expected: "a string or a list of parts" };
  const calls = readCalls(message);
  if (!Array.isArray(calls)) return calls;
  const refusal = textOf(message["refusal"]);
  return {
    thinking: (textOf(message["reasoning_content"]) || textOf(message["reasoning"])) + content.thinking,
    text: content.text + refusal,
    isRefusal: refusal !== "" || content.isRefusal,
    calls,
  };
}

type Content = Omit<MessageParts, "calls">;

function readContent(content: unknown): Content | undefined {
  if (content === undefined || content === null) return { thinking: "", text: "", isRefusal: false };
  if (typeof content === "string") return { thinking: "", text: content, isRefusal: false };
  if (!Array.isArray(content)) return undefined;
  const parts = content.filter(isFields);
  const refusal = parts.map((part) => textOf(part["refusal"])).join("");
  return {
    thinking: parts.map(({ thinking }) => textOf(thinking) || textIn(thinking)).join(""),
    text: textIn(parts) + refusal,
    isRefusal: refusal !== "",
  };
}

/** Of a list of parts. Mistral has such a list also for the thinking of one part. */
function textIn(parts: unknown): string {
  if (!Array.isArray(parts)) return "";
  return parts.map((part: unknown) => (isFields(part) ? textOf(part["text"]) : "")).join("");
}

function readCalls(message: Fields): CallPart[] | PartsFault {
  const { tool_calls, function_call } = message;
  if (tool_calls !== undefined && tool_calls !== null && !Array.isArray(tool_calls)) {
    return { path: "tool_calls", expected: "a list" };
  }
  const calls: CallPart[] = [];
  for (const [position, call] of (tool_calls ?? []).entries()) {
    const path = `tool_calls.${position}`;
    if (!isFields(call)) return { path, expected: "an object" };
    const part = readCall(call, call["function"]);
    if (part === undefined)
      return { path: `${path}.function`, expected: "an object with a name and arguments" };
    calls.push(part);
  }
  // The form that calls had before there could be several.
  if (isFields(function_call)) {
    const part = readCall({}, function_call);
    if (part === undefined) return { path: "function_call", expected: "an object with a name and arguments" };
    calls.push(part);
  }
  return calls;
}

function readCall(call: Fields, called: unknown): CallPart | undefined {
  const { index, id } = call;
  const inner = called ?? {};
  if (!isFields(inner)) return undefined;
  const json = argumentsText(inner["arguments"]);
  if (json === undefined) return undefined;
  return {
    index: typeof index === "number" && Number.isSafeInteger(index) && index >= 0 ? index : undefined,
    id: typeof id === "number" ? String(id) : textOf(id) || undefined,
    name: textOf(inner["name"]) || undefined,
    json,
  };
}

/** Some servers give the object itself. */
function argumentsText(value: unknown): string | undefined {
  if (value === undefined || value === null) return "";
  if (typeof value === "string") return value;
  if (!isFields(value)) return undefined;
  try {
    return JSON.stringify(value);
  } catch {
    // Too deep.
    return undefined;
  }
}

const textOf = (value: unknown): string => (typeof value === "string" ? value : "");
