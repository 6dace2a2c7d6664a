import {
  type ModelCall,
  type ModelProvider,
  type PlainFailure,
  type ProviderCapabilities,
  type StreamOutput,
} from "@palimpsest/core";
import { chatCapabilities } from "@palimpsest/core/engine";
import { encodeChatRequest, type EncodeChatRequestOptions } from "@palimpsest/core/protocols";
import { randomUUID } from "node:crypto";
import { baseUrlOf, type BaseUrl } from "./base-url.js";
import { readChatResponse } from "./chat-response.js";
import { presentable, presentableOutput, redirected } from "./failures.js";
import { carefulFetch, DEFAULT_MAX_RESPONSE_BYTES } from "./limit-response.js";
import {
  DEFAULT_IDLE_TIMEOUT_MS,
  streamWithRetries,
  type Attempt,
  type RetryPorts,
  type RetrySettings,
} from "./retry.js";
import { secretsIn } from "./secrets.js";

export interface OpenAiCompatibleProviderOptions
  extends Partial<RetrySettings>, Omit<EncodeChatRequestOptions, "stream">, BaseUrl {
  /** What stands before `/chat/completions`; a query it has is sent too. Needed, as this or as `baseURL`. */
  readonly baseUrl?: string;
  /** Sent as a bearer token. Servers on this machine need none. */
  readonly apiKey?: string;
  /** Sent with every request; one may take the place of the key. */
  readonly headers?: Readonly<Record<string, string>>;
  readonly fetch?: typeof fetch;
  /** How long the server may send nothing, not even a comment. Default 300,000; 0 for as long as it likes. */
  readonly idleTimeoutMs?: number;
  /** How long it may send signs of life and nothing of an answer. Default 1,800,000; 0 for as long as it likes. */
  readonly stallTimeoutMs?: number;
  /** Bytes of one response at most. Default 64 MiB. */
  readonly maxResponseBytes?: number;
  /** What differs from a server that caches by itself. */
  readonly capabilities?: Partial<ProviderCapabilities>;
  readonly ports?: Partial<RetryPorts>;
}

/**
 * Any server with the chat-completions protocol. Throws a `TypeError` for a base URL that cannot be one; no error
 * holds a key. Unless it is told, `max_completion_tokens` is sent to OpenAI and `max_tokens` to everyone else.
 */
export function createOpenAiCompatibleProvider(options: OpenAiCompatibleProviderOptions): ModelProvider {
  const { idleTimeoutMs = DEFAULT_IDLE_TIMEOUT_MS, stallTimeoutMs, capabilities, ports = {} } = options;
  const { maxResponseBytes = DEFAULT_MAX_RESPONSE_BYTES } = options;
  const send = carefulFetch(options.fetch ?? fetch);
  const endpoint = endpointOf(baseUrlOf(options) ?? "");
  const encoding = encodingFor(endpoint, options);

  return {
    name: "openai-compatible",
    capabilities: () => ({ ...chatCapabilities, ...capabilities }),
    stream(call, callOptions = {}) {
      const responseId = `chat-${randomUUID()}`;

      async function* attempt(
        signal: AbortSignal,
        alive: () => void,
        sent: () => void,
      ): AsyncGenerator<StreamOutput> {
        const prepared = prepare(call, { options, encoding });
        if ("kind" in prepared) return yield { kind: "error", failure: prepared };
        const secrets = secretsIn({ url: endpoint, headers: prepared.headers });
        sent();
        const response = await send(endpoint, { method: "POST", signal, ...prepared });
        if (isRedirect(response)) {
          const failure = redirected(response.status, response.headers);
          return yield { kind: "error", failure: presentable(failure, secrets) };
        }
        const { model } = call.request;
        for await (const output of readChatResponse(response, {
          responseId,
          model,
          alive,
          maxBytes: maxResponseBytes,
        })) {
          yield presentableOutput(output, secrets);
        }
      }

      return streamWithRetries(attempt satisfies Attempt, {
        call: callOptions,
        settings: options,
        ports,
        idleTimeoutMs,
        address: endpoint,
        ...(stallTimeoutMs === undefined ? {} : { stallTimeoutMs }),
      });
    },
  };
}

function endpointOf(baseUrl: string): URL {
  const url = URL.canParse(baseUrl) ? new URL(baseUrl) : undefined;
  if (url === undefined || (url.protocol !== "http:" && url.protocol !== "https:")) {
    throw new TypeError("the base URL has to be a whole address that begins with https:// or http://");
  }
  if (url.username !== "" || url.password !== "") {
    throw new TypeError("the base URL must not hold a user or a password: pass an apiKey, or headers");
  }
  url.pathname = `${url.pathname.replace(/(?<!\/)\/+$/, "")}/chat/completions`;
  url.hash = "";
  return url;
}

function encodingFor({ hostname }: URL, options: EncodeChatRequestOptions): EncodeChatRequestOptions {
  const isOpenAi = hostname === "api.openai.com" || hostname.endsWith(".openai.azure.com");
  return {
    ...options,
    maxTokensField: options.maxTokensField ?? (isOpenAi ? "max_completion_tokens" : "max_tokens"),
    stream: true,
  };
}

interface Preparation {
  readonly options: OpenAiCompatibleProviderOptions;
  readonly encoding: EncodeChatRequestOptions;
}

/** What is sent, or why nothing can be. What was wrong is not repeated: it may be a key. */
function prepare(
  { request, headers: callHeaders = {} }: ModelCall,
  { options, encoding }: Preparation,
): { readonly body: string; readonly headers: Headers } | PlainFailure {
  const { apiKey = "", headers: ownHeaders = {} } = options;
  try {
    const { body, headers: protocolHeaders } = encodeChatRequest(request, encoding);
    const headers = new Headers(protocolHeaders);
    if (apiKey.trim() !== "") headers.set("authorization", `Bearer ${apiKey.trim()}`);
    for (const [name, value] of [...Object.entries(ownHeaders), ...Object.entries(callHeaders)]) {
      headers.set(name, value);
    }
    return { body, headers };
  } catch {
    return unsendable;
  }
}

const unsendable: PlainFailure = {
  kind: "invalid-request",
  message:
    "the request cannot be sent: its body is not JSON, or a key or header holds characters that a header cannot hold",
  retryable: false,
};

const isRedirect = ({ status, type }: Response): boolean =>
  type === "opaqueredirect" || (status >= 300 && status < 400);
