import type { ModelRequest, ToolDefinition } from "../messages/call/request.js";
import type { ModelResponse } from "../messages/call/response.js";
import type { AssistantBlock, CacheControl, UserBlock } from "../messages/content.js";
import { asText, isFields, type Fields } from "../messages/fields.js";
import { readAnthropicMessage } from "../messages/import/from-anthropic.js";
import { ImportError } from "../messages/import/imported.js";
import { accountFields, forkFields } from "../engine/prompt/fork-parameters.js";
import { decodeResponse } from "../protocols/anthropic-messages/response.js";
import { endStream, startStream, stepStream } from "../protocols/anthropic-messages/stream-decoder.js";
import type { StreamOutput } from "../messages/call/stream.js";
import { systemGiven, withSystemMessages } from "./anthropic-sdk/system-messages.js";
import { capabilitiesFor, DEFAULT_MAX_TOKENS, type AdapterOptions } from "./adapter-options.js";
import { FailureError } from "./failure-of.js";
import { checkAdapterOptions } from "./check-adapter-options.js";
import { createThreads, sendTurn, type Turn } from "./threads.js";
import type { GivenMessage, TurnInput } from "./turn-input.js";

export type { AdapterOptions } from "./adapter-options.js";
export type { AdapterStep } from "./adapter-telling.js";

/** A request of the SDK, as far as it is looked at. */
export interface SdkRequest {
  readonly url: string;
  readonly body?: unknown;
  readonly signal?: unknown;
}

/** A response of the SDK, as far as it is looked at. */
export interface SdkResponse {
  readonly ok: boolean;
  readonly status: number;
  readonly headers?: unknown;
}

/** What the SDK hands to a middleware beside the request. */
export interface SdkContext<Response> {
  /** Leaves the response readable. Of a streamed one: its events, read apart from the client's own. */
  readonly parse: (response: Response) => Promise<unknown>;
}

/** A middleware of the official SDK: `new Anthropic({ middleware: [palimpsestAnthropic()] })`. */
export type SdkMiddleware = <Request extends SdkRequest, Response extends SdkResponse>(
  request: Request,
  next: (request: Request) => Promise<Response>,
  context: SdkContext<Response>,
) => Promise<Response>;

/**
 * Keeps every conversation that goes through a client within its window and in the cache, whoever holds the loop:
 * `messages.create`, `messages.stream`, or the tool runner with `thread: false`. The caller's own list of messages
 * is never changed. Requests other than those for a message pass as they are, and so do threads that the server holds.
 */
export function palimpsestAnthropic(options: AdapterOptions = {}): SdkMiddleware {
  checkAdapterOptions("palimpsestAnthropic", options);
  const threads = createThreads(options);
  return async (request, next, context) => {
    const body = readBody(request);
    const messages = body === undefined ? undefined : messagesOf(body);
    if (body === undefined || messages === undefined) return next(request);
    const isStream = body["stream"] === true;
    const sendBody = (fields: Fields) => next({ ...request, body: JSON.stringify(fields) });
    const input: TurnInput = {
      ...describe(body),
      messages,
      capabilities: options.capabilities ?? capabilitiesFor(true),
      signal: isSignal(request.signal) ? request.signal : undefined,
      async ask(summary) {
        const response = await sendBody({ ...sharedFields(body, summary), stream: isStream });
        const parsed = await context.parse(response);
        if (!response.ok) throw new RefusedError(response, parsed);
        return readResponse(parsed);
      },
    };
    try {
      return await sendTurn(threads, input, async (turn) => {
        const response = await sendBody(withTurn(body, turn));
        if (!response.ok) throw new RefusedError(response, await context.parse(response));
        // A stream is read beside the client, which must not wait for it; the next request does.
        const answer = observe(turn, context.parse(response));
        if (isStream) turn.waitFor(answer);
        return { result: response, isCutOff: !isStream && (await answer) };
      });
    } catch (error) {
      // The client reads what the API said, as if nobody stood between.
      if (error instanceof RefusedError) return error.response as Awaited<ReturnType<typeof next>>;
      throw error;
    }
  };
}

/** @deprecated Call it `palimpsestAnthropic`: two other adapters have a function of this name. @alias */
export const palimpsestMiddleware = palimpsestAnthropic;

/** What cannot be read as an answer is the client's to complain about. */
async function observe(turn: Turn, parsed: Promise<unknown>): Promise<boolean> {
  try {
    return await turn.answered(await readResponse(await parsed));
  } catch {
    // The next request brings what the client has made of it.
    return false;
  }
}

/** An answer that is an error: for the loop that makes room, never for the caller. */
class RefusedError extends Error {
  readonly response: unknown;
  readonly status: number;
  readonly headers: unknown;
  readonly error: unknown;
  constructor(response: SdkResponse, body: unknown) {
    super("the API refused a request");
    this.response = response;
    this.status = response.status;
    this.headers = response.headers;
    this.error = body;
  }
}

/** The body of a request for a message; undefined for any other. */
function readBody({ url, body }: SdkRequest): Fields | undefined {
  if (!/\/v1\/messages(?:\?|$)/.test(url) || typeof body !== "string") return undefined;
  let parsed: unknown;
  try {
    parsed = JSON.parse(body);
  } catch {
    return undefined;
  }
  if (!isFields(parsed) || !Array.isArray(parsed["messages"]) || parsed["messages"].length === 0)
    return undefined;
  const isHeldByServer = isFields(parsed["thread"]) || typeof parsed["thread"] === "string";
  return isHeldByServer ? undefined : parsed;
}

function describe(body: Fields) {
  const { system, tools, max_tokens: maxTokens, thinking, tool_choice: choice } = body;
  const { output_config: config, output_format: format } = body;
  return {
    thinking: isFields(thinking) ? thinking : undefined,
    toolChoice: isFields(choice) ? choice : undefined,
    format: (isFields(config) ? config["format"] : undefined) ?? format ?? undefined,
    model: asText(body["model"]),
    maxTokens: typeof maxTokens === "number" ? maxTokens : DEFAULT_MAX_TOKENS,
    system: textsOf(system).join("\n"),
    tools: (Array.isArray(tools) ? tools.filter(isFields) : []).map((tool): ToolDefinition => ({
      ...tool,
      name: asText(tool["name"]),
    })),
  };
}

const textsOf = (content: unknown): readonly string[] => {
  if (typeof content === "string") return [content];
  return Array.isArray(content)
    ? content.flatMap((block) => (isFields(block) ? [asText(block["text"])] : []))
    : [];
};

/** Undefined where they are not messages: the API says it best. */
function messagesOf(body: Fields): readonly GivenMessage[] | undefined {
  try {
    return (body["messages"] as readonly unknown[]).map(givenOf);
  } catch (error) {
    if (error instanceof ImportError) return undefined;
    throw error;
  }
}

/** Our markers take the place of the caller's. */
function givenOf(message: unknown, index: number): GivenMessage {
  if (isFields(message) && message["role"] === "system") return systemGiven(message);
  const { role, blocks } = readAnthropicMessage(message, index);
  const content: unknown[] = blocks.map(({ block }) => (isFields(block) ? withoutMarker(block) : block));
  if (role === "assistant") return { role, content: content as AssistantBlock[] };
  return { role: "user", content: content as UserBlock[] };
}

const withoutMarker = ({ cache_control: _marker, ...rest }: Fields): Fields => rest;

/** The caller's request with our messages, and our markers in place of its own. */
function withTurn(body: Fields, { request }: Turn): Fields {
  const { cache_control: _automatic, ...fields } = body;
  return {
    ...fields,
    ...(body["tools"] === undefined ? {} : { tools: markLast(body["tools"], markerOf(request.tools)) }),
    ...(body["system"] === undefined ? {} : { system: markLast(body["system"], markerOf(request.system)) }),
    messages: withSystemMessages(request.messages),
  };
}

const markerOf = (list: ModelRequest["system"] | ModelRequest["tools"]): CacheControl | undefined =>
  typeof list === "string"
    ? undefined
    : (list?.findLast(({ cache_control }) => cache_control)?.cache_control ?? undefined);

function markLast(given: unknown, marker: CacheControl | undefined): unknown {
  if (typeof given === "string") {
    return given.trim() === "" || marker === undefined
      ? given
      : [{ type: "text", text: given, cache_control: marker }];
  }
  if (!Array.isArray(given)) return given;
  const last = given.findLastIndex((item) => isFields(item) && item["defer_loading"] !== true);
  return given.map((item: unknown, index) => {
    if (!isFields(item)) return item;
    const bare = withoutMarker(item);
    return index === last && marker !== undefined ? { ...bare, cache_control: marker } : bare;
  });
}

/**
 * A summary on the conversation's own cache has the caller's fields, but for those that say what the caller's answers
 * look like; any other has only those that say who asks.
 */
function sharedFields(body: Fields, summary: ModelRequest): Fields {
  const isFork = textsOf(summary.system).join("\n") === textsOf(body["system"]).join("\n");
  if (!isFork) return { ...accountFields(body), ...summary, messages: withSystemMessages(summary.messages) };
  const turn = { request: summary } as Turn;
  const { tool_choice: choice, max_tokens } = summary;
  const shared = ["model", "system", "tools", "thinking", "context_management", "messages"].flatMap((name) =>
    body[name] === undefined ? [] : [[name, body[name]] as const],
  );
  return {
    ...forkFields(body),
    ...withTurn(Object.fromEntries(shared), turn),
    ...(choice === undefined ? {} : { tool_choice: choice }),
    max_tokens,
  };
}

async function readResponse(parsed: unknown): Promise<ModelResponse> {
  if (isFields(parsed) && Symbol.asyncIterator in parsed) {
    let state = startStream();
    let last: StreamOutput | undefined;
    for await (const event of parsed as unknown as AsyncIterable<unknown>) {
      const step = stepStream(state, event);
      state = step.state;
      last = step.outputs.at(-1) ?? last;
    }
    last = endStream(state).at(-1) ?? last;
    if (last?.kind === "message") return last.message;
    if (last?.kind === "error") throw new FailureError(last.failure);
    throw new Error("the stream ended without a message");
  }
  const decoded = decodeResponse(parsed);
  if (decoded.kind === "message") return decoded.message;
  throw new Error("the answer must be a message");
}

const isSignal = (value: unknown): value is AbortSignal =>
  isFields(value) && typeof value["aborted"] === "boolean";
