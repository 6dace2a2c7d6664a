import { isFields, type Fields } from "../../messages/fields.js";

export interface ChatErrorFacts {
  readonly type: string | undefined;
  /** As text, also where the server has a number. */
  readonly code: string | undefined;
  /** Empty where the body has none. */
  readonly message: string;
  /** The message, and what a router quotes of the server after it. */
  readonly texts: string;
  readonly requestId: string | undefined;
  /** The status that the error itself names: the only one there is in a stream. */
  readonly status: number | undefined;
  /** llama.cpp: tokens of the prompt, and of the context. */
  readonly promptTokens: number | undefined;
  readonly contextTokens: number | undefined;
}

/** Whether a body, or a chunk of a stream, is an error. */
export function holdsError(body: unknown): boolean {
  const value = firstOf(body);
  if (!isFields(value)) return false;
  const { error, object } = value;
  return object === "error" || isFields(error) || (typeof error === "string" && error !== "");
}

/**
 * What an error body says: `{error: {…}}`, its inner part alone, a text in its place, a list around it (Gemini),
 * the `detail` of a framework, or text. Never throws.
 */
export function readChatError(body: unknown): ChatErrorFacts {
  const value = firstOf(typeof body === "string" ? (parsed(body) ?? body) : body);
  if (!isFields(value)) {
    const text = textOf(value) || textOf(body);
    return { ...NOTHING, message: text, texts: text.slice(0, LONGEST_TEXT) };
  }
  const error = isFields(value["error"]) ? value["error"] : value;
  const message = messageOf(error) || textOf(value["error"]) || messageOf(value);
  const code = codeOf(error["code"]) ?? codeOf(value["code"]);
  return {
    type: filled(error["type"]) ?? filled(error["status"]) ?? filled(value["error_type"]),
    code,
    message,
    texts: [message, quoted(error["metadata"])].join("\n").slice(0, LONGEST_TEXT),
    requestId: filled(value["request_id"]) ?? filled(error["request_id"]),
    status:
      statusOf(code) ?? statusOf(codeOf(error["http_status_code"])) ?? statusOf(codeOf(error["status"])),
    promptTokens: count(error["n_prompt_tokens"]),
    contextTokens: count(error["n_ctx"]),
  };
}

/** More than any server writes; what echoes a prompt is not read to its end. */
const LONGEST_TEXT = 20_000;

const NOTHING = {
  type: undefined,
  code: undefined,
  requestId: undefined,
  status: undefined,
  promptTokens: undefined,
  contextTokens: undefined,
};

const firstOf = (value: unknown): unknown => (Array.isArray(value) ? value[0] : value);

function messageOf(value: Fields): string {
  return textOf(value["message"]) || detailOf(value["detail"]) || textOf(value["error_message"]);
}

/** A sentence, or a list of what is wrong where. */
function detailOf(detail: unknown): string {
  if (!Array.isArray(detail)) return textOf(detail);
  return detail
    .map((item: unknown) => (isFields(item) ? textOf(item["msg"]) : ""))
    .filter((text) => text !== "")
    .join("; ");
}

/** OpenRouter: the answer of the server after it, as it came. */
function quoted(metadata: unknown): string {
  return isFields(metadata) ? textOf(metadata["raw"]) : "";
}

function codeOf(value: unknown): string | undefined {
  return typeof value === "number" ? String(value) : filled(value);
}

function statusOf(code: string | undefined): number | undefined {
  return code !== undefined && /^[45]\d\d$/.test(code) ? Number(code) : undefined;
}

const textOf = (value: unknown): string => (typeof value === "string" ? value : "");

const filled = (value: unknown): string | undefined => textOf(value) || undefined;

function count(value: unknown): number | undefined {
  return typeof value === "number" && Number.isSafeInteger(value) && value >= 0 ? value : undefined;
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
