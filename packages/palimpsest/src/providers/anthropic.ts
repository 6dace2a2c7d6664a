import type * as AnthropicSdk from "@anthropic-ai/sdk";
import type { ApiFailure, ModelProvider, ProviderCapabilities, StreamOutput } from "@palimpsest/core";
import { baseUrlOf, type BaseUrl } from "./base-url.js";
import { keyMissing, refused, sdkFailure } from "./anthropic-failure.js";
import { presentable, presentableOutput } from "./failures.js";
import { LONGEST_TIMER } from "./interruptible.js";
import { carefulFetch, DEFAULT_MAX_RESPONSE_BYTES } from "./limit-response.js";
import { loadAnthropicSdk } from "./load-anthropic-sdk.js";
import { badHeader, canBeSent, encodeMessagesCall, encodeMessagesPieces } from "./messages-call.js";
import { messagesCapabilities, wantsLongCache } from "./messages-capabilities.js";
import { readMessagesResponse } from "./messages-response.js";
import { DEFAULT_IDLE_TIMEOUT_MS, streamWithRetries, type RetryPorts, type RetrySettings } from "./retry.js";
import { createPieceEncoder, PiecedBody, sendsPieces, type RequestPieces } from "./request-pieces.js";
import { isCloudClient, type SdkClient } from "./sdk-client.js";
import { secretsIn } from "./secrets.js";

export interface AnthropicProviderOptions extends Partial<RetrySettings>, BaseUrl {
  /**
   * At most one of the two. Without them the SDK looks where it always does: the variables `ANTHROPIC_API_KEY`
   * and `ANTHROPIC_AUTH_TOKEN`, then the profiles of this machine.
   */
  readonly apiKey?: string;
  readonly authToken?: string;
  /** Default: the variable `ANTHROPIC_BASE_URL`, else the API itself. */
  readonly baseUrl?: string;
  /**
   * A client of the official SDK that is used as it is, for Bedrock, Vertex or settings of its own; then no key, address, header or
   * `fetch` is given here.
   */
  readonly client?: SdkClient;
  /**
   * On Bedrock and Vertex: lifetimes of an hour are offered too. Default: whether `ENABLE_PROMPT_CACHING_1H` or
   * `ENABLE_PROMPT_CACHING_1H_BEDROCK` is 1.
   */
  readonly longCache?: boolean;
  readonly fetch?: typeof fetch;
  /** Sent with every request. */
  readonly headers?: Readonly<Record<string, string>>;
  /** How long the server may send nothing, not even a ping. Default 300,000; 0 for as long as it likes. */
  readonly idleTimeoutMs?: number;
  /** How long it may send signs of life and nothing of an answer. Default 1,800,000; 0 for as long as it likes. */
  readonly stallTimeoutMs?: number;
  /** Bytes of one response at most. Default 64 MiB. */
  readonly maxResponseBytes?: number;
  /** What differs from what is known of the Messages API and the model. */
  readonly capabilities?: Partial<ProviderCapabilities>;
  readonly ports?: Partial<RetryPorts>;
  /** Told the headers of every response, before its answer. */
  readonly onHeaders?: (headers: Headers) => void;
}

interface Connection {
  /** Undefined where the client was given: nobody knows of which copy of the SDK it is. */
  readonly sdk: typeof AnthropicSdk | undefined;
  readonly client: SdkClient;
}

/** The Messages API through the official SDK: it authenticates and sends. Retries and decoding are our own. */
export function createAnthropicProvider(options: AnthropicProviderOptions = {}): ModelProvider {
  const { idleTimeoutMs = DEFAULT_IDLE_TIMEOUT_MS, stallTimeoutMs, capabilities, ports = {} } = options;
  const { maxResponseBytes = DEFAULT_MAX_RESPONSE_BYTES } = options;
  const baseUrl = baseUrlOf(options);
  const problem = problemOf(options);
  const timeout = headTimeout(idleTimeoutMs);
  const facts = {
    isCloud: options.client !== undefined && isCloudClient(options.client),
    hasLongCache: options.longCache ?? wantsLongCache(process.env),
  };
  const encodePieces = sendsPieces(options.fetch) ? createPieceEncoder() : undefined;
  let connection: Promise<Connection> | undefined;
  // Not before the first call: loading the SDK takes a tenth of a second.
  const connect = async (): Promise<Connection> => {
    connection ??= openConnection(options);
    try {
      return await connection;
    } catch (error) {
      connection = undefined;
      throw error;
    }
  };

  return {
    name: "anthropic",
    capabilities: (model) => messagesCapabilities(model, { ...facts, differences: capabilities }),
    stream(call, callOptions = {}) {
      const encoded =
        encodePieces === undefined ? encodeMessagesCall(call) : encodeMessagesPieces(call, encodePieces);

      async function* attempt(
        signal: AbortSignal,
        alive: () => void,
        sent: () => void,
      ): AsyncGenerator<StreamOutput> {
        if (encoded.kind === "failure") return yield { kind: "error", failure: encoded.failure };
        if (problem !== undefined) return yield { kind: "error", failure: problem };
        const { headers } = encoded;
        const body = options.client === undefined ? bytesOf(encoded.body) : encoded.body;
        const { sdk, client } = await connect();
        if (!URL.canParse(client.baseURL)) return yield { kind: "error", failure: noBaseUrl };
        const secrets: string[] = [];
        // What the SDK found by itself is known only where it is sent.
        const watchSecrets: AnthropicSdk.Middleware = async (request, next) => {
          secrets.push(...secretsIn(request));
          sent();
          return next(request);
        };
        let response: Response;
        try {
          response = await client
            .post("/v1/messages", {
              body: body as string,
              headers: { ...headers },
              signal,
              timeout,
              maxRetries: 0,
              middleware: [watchSecrets],
            })
            .asResponse();
        } catch (error) {
          return yield {
            kind: "error",
            failure: presentable(sdkFailure(error, sdk, client.baseURL), secrets),
          };
        }
        options.onHeaders?.(response.headers);
        for await (const output of readMessagesResponse(response, { alive, maxBytes: maxResponseBytes })) {
          yield presentableOutput(output, secrets);
        }
      }

      return streamWithRetries(attempt, {
        call: callOptions,
        settings: options,
        ports,
        idleTimeoutMs,
        ...(baseUrl === undefined ? {} : { address: baseUrl }),
        ...(stallTimeoutMs === undefined ? {} : { stallTimeoutMs }),
      });
    },
  };
}

/** A text would be gone through twice more on its way: once for lone surrogates, once to encode it. */
const bytesOf = (body: string | RequestPieces): Uint8Array =>
  typeof body === "string" ? Buffer.from(body) : new PiecedBody(body);

async function openConnection(options: AnthropicProviderOptions): Promise<Connection> {
  if (options.client !== undefined) return { sdk: undefined, client: options.client };
  const { apiKey, authToken, headers } = options;
  const baseUrl = baseUrlOf(options);
  const sdk = await loadAnthropicSdk();
  const client = new sdk.Anthropic({
    ...(apiKey === undefined ? {} : { apiKey }),
    ...(authToken === undefined ? {} : { authToken }),
    ...(baseUrl === undefined ? {} : { baseURL: baseUrl }),
    fetch: carefulFetch(options.fetch ?? fetch),
    ...(headers === undefined ? {} : { defaultHeaders: headers }),
    maxRetries: 0,
    logLevel: "off",
  });
  return { sdk, client };
}

const noBaseUrl = refused(
  "invalid-request",
  "the base URL is none: it has to begin with https:// or http://",
);

/** Why a call cannot be made at all; in the words of people, and without what was wrong. */
function problemOf(options: AnthropicProviderOptions): ApiFailure | undefined {
  const { apiKey, authToken, headers = {}, client } = options;
  const own = (["apiKey", "authToken", "baseUrl", "baseURL", "headers", "fetch"] as const).find(
    (name) => options[name] !== undefined,
  );
  if (client !== undefined && own !== undefined) {
    return refused("invalid-request", `a client of the SDK has its own ${own}: pass one or the other`);
  }
  if (apiKey !== undefined && authToken !== undefined) {
    return refused("authentication", "pass an apiKey or an authToken, not both");
  }
  if ((apiKey ?? authToken)?.trim() === "") return keyMissing;
  return canBeSent(headers) ? undefined : badHeader;
}

/** The SDK's own limit comes after ours, which counts from the last byte. */
const headTimeout = (idleTimeoutMs: number): number =>
  idleTimeoutMs > 0 && idleTimeoutMs < LONGEST_TIMER - 1000 ? Math.ceil(idleTimeoutMs) + 1000 : LONGEST_TIMER;
