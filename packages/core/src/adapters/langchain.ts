import type { ModelRequest } from "../messages/call/request.js";
import { asText, isFields, type Fields } from "../messages/fields.js";
import { capabilitiesFor, DEFAULT_MAX_TOKENS, type AdapterOptions } from "./adapter-options.js";
import {
  fromLangChain,
  partsOf,
  responseFromLangChain,
  toolFromLangChain,
} from "./langchain/from-langchain.js";
import type { AskedModel, LangChainMessage, LangChainRequest } from "./langchain/langchain-types.js";
import { nameOf, summaryModel } from "./langchain/summary-model.js";
import { makeLike, toLangChain } from "./langchain/to-langchain.js";
import { failureOf, FailureError } from "./failure-of.js";
import { checkAdapterOptions } from "./check-adapter-options.js";
import { createThreads, sendTurn } from "./threads.js";
import type { TurnInput } from "./turn-input.js";

export type { AdapterOptions } from "./adapter-options.js";
export type { AdapterStep } from "./adapter-telling.js";

/** For `createMiddleware`. */
export interface LangChainMiddleware {
  readonly name: string;
  readonly wrapModelCall: <Q extends LangChainRequest, A extends object>(
    request: Q,
    handler: (request: Q) => A | Promise<A>,
  ) => Promise<A>;
}

/**
 * Keeps every thread of an agent within its window and in the cache: `createMiddleware(palimpsestLangChain())`. The
 * agent's state is never changed, so its checkpoints hold everything that was said. Threads are told apart by their
 * `thread_id`. Summaries are written by the agent's own model.
 */
export function palimpsestLangChain(options: AdapterOptions = {}): LangChainMiddleware {
  checkAdapterOptions("palimpsestLangChain", options);
  const threads = createThreads(options);
  return {
    name: "Palimpsest",
    wrapModelCall: async (request, handler) => {
      const model = await instanceOf(request.model);
      const input = inputOf(options, request, model);
      const isMessagesApi = speaksMessagesApi(model);
      return sendTurn(threads, input, async (turn) => {
        const answer = await handler({
          ...request,
          messages: toLangChain(turn.request.messages, request.messages, isMessagesApi),
          systemMessage: markedSystem(request.systemMessage, turn.request),
        });
        const isCutOff = await turn.answered(responseFromLangChain(answerOf(answer), input.model));
        return { result: answer, isCutOff };
      });
    },
  };
}

/** @deprecated Call it `palimpsestLangChain`: two other adapters have a function of this name. @alias */
export const palimpsestMiddleware = palimpsestLangChain;

/** With a structured answer the model's own message is the first of several. */
const answerOf = (answer: object): unknown => {
  const { messages } = answer as { readonly messages?: readonly unknown[] };
  return Array.isArray(messages) ? messages[0] : answer;
};

const systemTextOf = (message: LangChainMessage): string =>
  partsOf(message)
    .map(({ text }) => asText(text))
    .join("\n");

/** A model that was given by its name makes the real one when it is asked. */
async function instanceOf(model: object): Promise<Fields> {
  const { _getModelInstance: instance } = model as { readonly _getModelInstance?: () => Promise<Fields> };
  return typeof instance === "function" ? instance.call(model) : (model as Fields);
}

function speaksMessagesApi(model: Fields): boolean {
  const kind: unknown = typeof model["_llmType"] === "function" ? model["_llmType"]() : "";
  return /anthropic|claude/.test(`${asText(kind)} ${nameOf(model)}`);
}

function inputOf(options: AdapterOptions, request: LangChainRequest, model: Fields): TurnInput {
  const { messages, systemMessage, tools, runtime } = request;
  const name = nameOf(model);
  const { maxTokens, thinking } = model;
  const threadId = runtime.configurable?.["thread_id"];
  return {
    key: typeof threadId === "string" ? threadId : undefined,
    model: name,
    maxTokens: typeof maxTokens === "number" && maxTokens > 0 ? maxTokens : DEFAULT_MAX_TOKENS,
    system: systemTextOf(systemMessage),
    tools: tools.map(toolFromLangChain),
    messages: messages.map(fromLangChain),
    capabilities: options.capabilities ?? capabilitiesFor(speaksMessagesApi(model)),
    thinking: isFields(thinking) ? thinking : undefined,
    toolChoice: toolChoiceOf(request),
    format: formatOf(request, model),
    signal: runtime.signal,
    ask: async (summary, signal) => {
      const answer = await askModel({ request, model }, summary, signal);
      return responseFromLangChain(answer, name);
    },
  };
}

/** The system message with our marker on its last part. */
function markedSystem(message: LangChainMessage, { system }: ModelRequest): LangChainMessage {
  const marker = typeof system === "string" ? undefined : system?.at(-1)?.cache_control;
  const parts = partsOf(message);
  if (!marker || systemTextOf(message).trim() === "") return message;
  const content = parts.map(({ cache_control: _own, ...part }, index) =>
    index === parts.length - 1 ? { ...part, cache_control: marker } : part,
  );
  return makeLike(message, { content });
}

/** The choice of a tool as the Messages API has it: what is neither left to the model nor forbidden is forced. */
function toolChoiceOf({ toolChoice }: LangChainRequest): Fields | undefined {
  if (toolChoice === undefined || toolChoice === null) return undefined;
  return { type: toolChoice === "auto" || toolChoice === "none" ? toolChoice : "any" };
}

/** What answers are to look like: of the agent, or of the model. */
function formatOf({ responseFormat, modelSettings }: LangChainRequest, { outputConfig }: Fields): unknown {
  const { outputFormat, outputConfig: own } = (modelSettings ?? {}) as Fields;
  const format = [own, outputConfig].map((config) => (isFields(config) ? config["format"] : undefined));
  return responseFormat ?? outputFormat ?? format[0] ?? format[1] ?? undefined;
}

/** Whether a model makes a call again that has failed; most do, unless they are told not to. */
const triesAgain = ({ caller }: Fields): boolean => !(isFields(caller) && caller["maxRetries"] === 0);

/** The settings for one call that say who asks and what the prompt is made of. */
const goAlong = new Set(["headers", "betas", "container", "mcp_servers", "inferenceGeo", "strict"]);

const alongWith = ({ modelSettings = {} }: LangChainRequest): Fields =>
  Object.fromEntries(Object.entries(modelSettings).filter(([name]) => goAlong.has(name)));

/**
 * A call beside the agent, on the conversation's own cache where it is a fork of it. Whoever streams the agent's
 * tokens is not shown it.
 */
async function askModel(
  { request, model: given }: { readonly request: LangChainRequest; readonly model: Fields },
  summary: ModelRequest,
  signal: AbortSignal | undefined,
): Promise<unknown> {
  const { systemMessage, tools, toolChoice } = request;
  const made = summaryModel(given, summary.max_tokens);
  const model = made ?? (request.model as unknown as AskedModel);
  const texts = typeof summary.system === "string" ? [] : (summary.system ?? []);
  const system = texts.map(({ text }) => text).join("\n");
  const isFork = system === systemTextOf(systemMessage);
  const head = isFork ? markedSystem(systemMessage, summary) : makeLike(systemMessage, { content: system });
  const offered = isFork ? tools : (summary.tools ?? []).map(asFunction);
  const choice = isFork && summary.tool_choice !== undefined ? { tool_choice: toolChoice } : {};
  const settings = { ...alongWith(request), ...choice };
  const asked =
    offered.length > 0 && model.bindTools !== undefined ? model.bindTools(offered, settings) : model;
  try {
    return await asked.invoke(
      [
        ...(system === "" ? [] : [head]),
        ...toLangChain(summary.messages, request.messages, speaksMessagesApi(given)),
      ],
      {
        tags: ["nostream"],
        metadata: { lc_source: "summarization" },
        ...(signal === undefined ? {} : { signal }),
      },
    );
  } catch (error) {
    // The agent's own model may try again by itself: what it gives up is not tried once more.
    if (made === undefined && triesAgain(given))
      throw new FailureError({ ...failureOf(error), retryable: false });
    throw error;
  }
}

/** A tool in the one form that every model of the framework takes. */
const asFunction = ({
  name,
  description = "",
  input_schema,
}: NonNullable<ModelRequest["tools"]>[number]) => ({
  type: "function",
  function: { name, description, parameters: { properties: {}, ...input_schema } },
});
