import type { ResponseUsage } from "@palimpsest/core";
import { decodeChatUsage, startSse, stepSse } from "@palimpsest/core/protocols";
import { asFields } from "@palimpsest/core/engine";
import type { Endpoint } from "../receipt/exchange-record.js";

type Fields = Readonly<Record<string, unknown>>;

/** What an answer says of itself. */
export interface ReadAnswer {
  readonly model?: string;
  readonly usage?: ResponseUsage;
  /** Whether all figures have come: a stream says the last ones at its end. */
  readonly isWhole: boolean;
  /** The type of an error. */
  readonly error?: string;
}

/** Reads the text of an answer; a stream that was cut off as far as it came. Never throws. */
export function readAnswer(endpoint: Endpoint, text: string, isStream: boolean): ReadAnswer {
  if (!isStream) return stepOf(endpoint, { isWhole: false }, parsed(text), "");
  let answer: ReadAnswer = { isWhole: false };
  for (const { event, data } of stepSse(startSse(), text).events) {
    if (!isTelling(endpoint, event, data)) continue;
    answer = stepOf(endpoint, answer, parsed(data), event);
  }
  return answer;
}

/** Most events are pieces of content: they are not parsed. */
function isTelling(endpoint: Endpoint, event: string, data: string): boolean {
  if (endpoint === "chat") return data.includes('"usage"') || data.includes('"error"');
  if (endpoint === "responses") return !event.endsWith(".delta");
  if (event === "content_block_start") return data.includes('"fallback"');
  return event !== "content_block_delta" && event !== "content_block_stop" && event !== "ping";
}

function parsed(text: string): Fields {
  try {
    return asFields(JSON.parse(text));
  } catch {
    return {};
  }
}

/** The answer with what one event, or the whole body, says. */
function stepOf(endpoint: Endpoint, answer: ReadAnswer, event: Fields, name: string): ReadAnswer {
  const error = asFields(event["error"]);
  const failed = typeof error["type"] === "string" ? { ...answer, error: error["type"] } : answer;
  switch (endpoint) {
    case "messages":
      return messagesStep(failed, event, name);
    case "chat":
      return chatStep(failed, event);
    case "responses":
      return responsesStep(failed, event);
    default:
      return failed;
  }
}

function messagesStep(answer: ReadAnswer, event: Fields, name: string): ReadAnswer {
  const type = typeof event["type"] === "string" ? event["type"] : name;
  if (type === "message") return { ...answer, ...modelOf(event), ...usageOf(event), isWhole: true };
  if (type === "message_start") {
    const message = asFields(event["message"]);
    return { ...answer, ...modelOf(message), ...usageOf(message) };
  }
  // Another model goes on with the answer.
  if (type === "content_block_start")
    return { ...answer, ...modelOf(asFields(asFields(event["content_block"])["to"])) };
  if (type === "message_stop") return { ...answer, isWhole: answer.usage !== undefined };
  if (type !== "message_delta") return answer;
  return { ...answer, usage: merged(answer.usage, asFields(event["usage"])) };
}

/** The figures are of the whole answer each time; those that are not said stay. */
function merged(usage: ResponseUsage | undefined, later: Fields): ResponseUsage {
  const values = Object.entries(later).filter(([, value]) => value !== null && value !== undefined);
  return { input_tokens: 0, output_tokens: 0, ...usage, ...Object.fromEntries(values) };
}

function chatStep(answer: ReadAnswer, event: Fields): ReadAnswer {
  const { usage } = event;
  if (usage === null || usage === undefined) return { ...answer, ...modelOf(event) };
  return { ...answer, ...modelOf(event), usage: decodeChatUsage(usage), isWhole: true };
}

function responsesStep(answer: ReadAnswer, event: Fields): ReadAnswer {
  const response = event["object"] === "response" ? event : asFields(event["response"]);
  const usage = asFields(response["usage"]);
  const named = { ...answer, ...modelOf(response) };
  if (typeof usage["input_tokens"] !== "number") return named;
  // What is read from and written to the cache are parts of the input here; elsewhere the three add up.
  const translated = decodeChatUsage({
    prompt_tokens: usage["input_tokens"],
    completion_tokens: usage["output_tokens"],
    prompt_tokens_details: usage["input_tokens_details"],
    completion_tokens_details: usage["output_tokens_details"],
  });
  return { ...named, usage: translated, isWhole: true };
}

const modelOf = ({ model }: Fields): { readonly model?: string } =>
  typeof model === "string" && model !== "" ? { model } : {};

function usageOf({ usage }: Fields): { readonly usage?: ResponseUsage } {
  const fields = asFields(usage);
  return Object.keys(fields).length === 0 ? {} : { usage: merged(undefined, fields) };
}
