import { asFields } from "@palimpsest/core/engine";
import type { Endpoint, ExchangeRecord } from "../receipt/exchange-record.js";
import { textOf } from "./decompress.js";
import type { Exchange } from "./exchange.js";
import { readAnswer, type ReadAnswer } from "./read-answer.js";
import { quotaIn } from "./read-headers.js";

/** What an exchange was and what it has used. Whatever its bodies hold, this does not throw. */
export function readExchange(exchange: Exchange): ExchangeRecord {
  const { at, milliseconds, tenant, end, isIdentical, isSubscription, answer } = exchange;
  const endpoint = endpointOf(exchange);
  const { read, unread } = readWhatWasUsed(exchange, endpoint);
  const quota = answer === undefined ? undefined : quotaIn(answer.headers);
  const model = read.model ?? (read.usage === undefined ? undefined : requestedModel(exchange));
  return {
    at,
    milliseconds,
    tenant,
    endpoint,
    end,
    isIdentical,
    isSubscription,
    ...(answer === undefined ? {} : { status: answer.status }),
    ...(read.usage === undefined || endpoint === "count-tokens"
      ? {}
      : {
          call: {
            model: model ?? "unknown",
            usage: read.usage,
            ...(read.isWhole ? {} : { estimated: "output" as const }),
          },
        }),
    ...(read.error === undefined ? {} : { error: read.error }),
    ...(unread === undefined ? {} : { unread }),
    ...(quota === undefined ? {} : { quota }),
  };
}

/** What the path of a request is for; only what is posted to it is billed. */
export function endpointOf({
  protocol,
  method,
  path,
}: Pick<Exchange, "protocol" | "method" | "path">): Endpoint {
  if (method !== "POST") return "other";
  const place = path.replace(/\?.*$/s, "").replace(/\/+$/, "");
  if (protocol === "openai") {
    if (place.endsWith("/chat/completions")) return "chat";
    return place.endsWith("/responses") ? "responses" : "other";
  }
  if (place.endsWith("/messages/count_tokens")) return "count-tokens";
  return place.endsWith("/messages") ? "messages" : "other";
}

interface Read {
  readonly read: ReadAnswer;
  readonly unread?: string;
}

const nothing: ReadAnswer = { isWhole: false };

function readWhatWasUsed({ answer, answerBody, end }: Exchange, endpoint: Endpoint): Read {
  if (answer === undefined || endpoint === "other") return { read: nothing };
  if (answerBody === undefined) return { read: nothing, unread: "the answer is larger than is kept" };
  let text: string;
  try {
    text = textOf(answerBody, answer.headers["content-encoding"] ?? "");
  } catch (error) {
    return { read: nothing, unread: error instanceof Error ? error.message : String(error) };
  }
  const isStream = (answer.headers["content-type"] ?? "").toLowerCase().startsWith("text/event-stream");
  const read = readAnswer(endpoint, text, isStream);
  const isMissing = answer.status < 300 && endpoint !== "count-tokens" && read.usage === undefined;
  if (!isMissing || read.error !== undefined) return { read };
  return { read, unread: end === "complete" ? "the answer says no usage" : "it ended before its usage came" };
}

/** The model that was asked for, where the answer names none. */
function requestedModel({ requestBody, headers }: Exchange): string | undefined {
  if (requestBody === undefined) return undefined;
  try {
    const { model } = asFields(JSON.parse(textOf(requestBody, headers["content-encoding"] ?? "")));
    return typeof model === "string" ? model : undefined;
  } catch {
    return undefined;
  }
}
