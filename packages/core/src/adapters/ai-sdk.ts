import type { ModelRequest } from "../messages/call/request.js";
import { asText, isFields, type Fields } from "../messages/fields.js";
import { capabilitiesFor, DEFAULT_MAX_TOKENS, type AdapterOptions } from "./adapter-options.js";
import { collectStream, createStreamCollector } from "./ai-sdk/collect-stream.js";
import { fromSdk, inParts, partsOf, responseFromSdk, toolFromSdk, usageFromSdk } from "./ai-sdk/from-sdk.js";
import type { SdkCallOptions, SdkGenerated, SdkMessage, SdkModel, SdkStreamed } from "./ai-sdk/sdk-types.js";
import { markerOf, toolToSdk, toSdk, withMarker, type SdkDialect } from "./ai-sdk/to-sdk.js";
import { checkAdapterOptions, threadOfCheck } from "./check-adapter-options.js";
import { createThreads, sendTurn, type Turn } from "./threads.js";
import type { TurnInput } from "./turn-input.js";

export type { AdapterOptions } from "./adapter-options.js";
export type { AdapterStep } from "./adapter-telling.js";
export type { SdkCallOptions } from "./ai-sdk/sdk-types.js";

/** A standard global, as far as it is used here. */
declare const TransformStream: new (transformer: {
  transform(chunk: unknown, controller: { enqueue(chunk: unknown): void }): void;
  flush(): Promise<void>;
}) => object;

export interface AiSdkOptions extends AdapterOptions {
  /**
   * Keeps conversations apart that begin alike: told from what the call was given, such as
   * `({ providerOptions }) => String(providerOptions?.app?.chat)` or a header of yours.
   */
  readonly threadOf?: (call: SdkCallOptions) => string | undefined;
}

/** A middleware for `wrapLanguageModel`. */
export interface AiSdkMiddleware {
  readonly specificationVersion: "v3";
  readonly wrapGenerate: <P extends SdkCallOptions, R extends SdkGenerated>(call: {
    readonly params: P;
    readonly model: SdkModel & { readonly doGenerate: (options: P) => PromiseLike<R> };
  }) => Promise<R>;
  readonly wrapStream: <P extends SdkCallOptions, R extends SdkStreamed>(call: {
    readonly params: P;
    readonly model: SdkModel & { readonly doStream: (options: P) => PromiseLike<R> };
  }) => Promise<R>;
}

/**
 * Keeps every conversation of a model within its window and in the cache, whatever calls the model: `generateText`,
 * `streamText`, an agent. The caller's messages are never changed. Summaries are written by the model itself.
 */
export function palimpsestAiSdk(options: AiSdkOptions = {}): AiSdkMiddleware {
  checkAdapterOptions("palimpsestAiSdk", options, threadOfCheck);
  const threads = createThreads(options);
  return {
    specificationVersion: "v3",
    wrapGenerate: ({ params, model }) => {
      const generate: Generate = async (call) => model.doGenerate(call as typeof params);
      return sendTurn(threads, inputOf(options, { params, model, generate }), async (turn) => {
        const generated = await model.doGenerate(withTurn(params, turn, dialectOf(model)));
        return {
          result: generated,
          isCutOff: await turn.answered(responseFromSdk(generated, model.modelId)),
        };
      });
    },
    wrapStream: ({ params, model }) => {
      // A summary is streamed as well: providers send other headers then, and headers are part of the cache's key.
      const generate: Generate = async (call) =>
        collectStream((await model.doStream(call as typeof params)).stream);
      return sendTurn(threads, inputOf(options, { params, model, generate }), async (turn) => {
        const streamed = await model.doStream(withTurn(params, turn, dialectOf(model)));
        const collector = createStreamCollector();
        const watch = new TransformStream({
          transform(chunk, controller) {
            collector.note(chunk);
            controller.enqueue(chunk);
          },
          async flush() {
            const generated = collector.result();
            if (generated !== undefined) await turn.answered(responseFromSdk(generated, model.modelId));
          },
        });
        const { stream } = streamed as { readonly stream: { pipeThrough(through: object): object } };
        return { result: { ...streamed, stream: stream.pipeThrough(watch) } };
      });
    },
  };
}

/** @deprecated Call it `palimpsestAiSdk`: two other adapters have a function of this name. @alias */
export const palimpsestMiddleware = palimpsestAiSdk;

/** A function for `prepareStep`. */
export type AiSdkPrepareStep = <M extends SdkMessage>(step: {
  readonly messages: readonly M[];
  readonly steps: readonly object[];
  readonly model: unknown;
}) => Promise<{ messages: M[] }>;

/**
 * The same before each step of a call, where the model cannot be wrapped. It sees the messages alone: a refusal as
 * too long is not mended, system prompt and tools are known by their size, and summaries do not share the cache.
 */
export function palimpsestPrepareStep(options: AdapterOptions = {}): AiSdkPrepareStep {
  checkAdapterOptions("palimpsestPrepareStep", options);
  const threads = createThreads({ ...options, settings: { ...options.settings, compactFork: false } });
  /** What was sent for the step before. A call of the framework has one list of steps, and fills it. */
  const sent = new WeakMap<object, Turn>();
  return async ({ messages, steps, model }) => {
    const asked = isModel(model) ? model : undefined;
    const last: unknown = steps.at(-1);
    const before = sent.get(steps);
    if (before !== undefined && isFields(last)) {
      const { content, finishReason, usage, response } = last as unknown as SdkGenerated;
      const answer = { content: content.filter((part) => !isClientResult(part)), finishReason, usage };
      const generated = response === undefined ? answer : { ...answer, response };
      const modelId = asked?.modelId ?? asText(model);
      await before.answered({ ...responseFromSdk(generated, modelId), usage: usageFromSdk(usage) });
    }
    const params = { prompt: messages };
    const told = asked ?? { modelId: asText(model), provider: "" };
    const turn = await threads.begin(
      inputOf(options, {
        params,
        model: told,
        ...(asked === undefined ? {} : { generate: (call) => asked.doGenerate(call) }),
      }),
    );
    sent.set(steps, turn);
    // A step's own messages are those of the framework above the model: files stand in them as in version 6.
    const { prompt } = withTurn<SdkCallOptions>(params, turn, { ...dialectOf(told), hasTypedFiles: false });
    return { messages: [...prompt] as (typeof messages)[number][] };
  };
}

/** A call beside the conversation. */
type Generate = (call: SdkCallOptions) => PromiseLike<SdkGenerated>;

/** A model may be given by its name alone: nobody can ask that one. */
const isModel = (model: unknown): model is SdkModel & { readonly doGenerate: Generate } =>
  isFields(model) && typeof model["modelId"] === "string" && typeof model["doGenerate"] === "function";

/** The step's list holds what its own tools answered beside what the model said. */
const isClientResult = (part: object): boolean =>
  isFields(part) &&
  (part["type"] === "tool-result" || part["type"] === "tool-error") &&
  part["providerExecuted"] !== true;

const leadingSystem = (prompt: readonly SdkMessage[]): number => {
  const end = prompt.findIndex(({ role }) => role !== "system");
  return end === -1 ? prompt.length : end;
};

const systemTextOf = (prompt: readonly SdkMessage[]): string =>
  prompt
    .slice(0, leadingSystem(prompt))
    .flatMap(partsOf)
    .map(({ text }) => asText(text))
    .join("\n");

const dialectOf = ({ provider, modelId, specificationVersion }: SdkModel): SdkDialect => ({
  isMessagesApi: /anthropic|claude/.test(`${provider} ${modelId}`),
  hasTypedFiles: specificationVersion === "v4",
});

interface SdkCall {
  readonly params: SdkCallOptions;
  readonly model: SdkModel;
  readonly generate?: Generate;
}

function inputOf(options: AiSdkOptions, { params, model, generate }: SdkCall): TurnInput {
  const { prompt, tools = [], maxOutputTokens = DEFAULT_MAX_TOKENS, abortSignal, responseFormat } = params;
  return {
    key: options.threadOf?.(params),
    model: model.modelId,
    maxTokens: maxOutputTokens,
    system: systemTextOf(prompt),
    tools: tools.map(toolFromSdk),
    messages: prompt.slice(leadingSystem(prompt)).map(fromSdk),
    toolChoice: toolChoiceOf(params),
    format: isFields(responseFormat) && responseFormat["type"] === "json" ? responseFormat : undefined,
    capabilities: options.capabilities ?? capabilitiesFor(dialectOf(model).isMessagesApi),
    signal: abortSignal,
    ...(generate === undefined
      ? {}
      : {
          ask: async (request, signal) => {
            const cancel = signal === undefined ? {} : { abortSignal: signal };
            const call = { ...summaryCall(params, request, dialectOf(model)), ...cancel };
            return responseFromSdk(await generate(call), model.modelId);
          },
        }),
  };
}

/** The call with our messages and markers. */
function withTurn<P extends SdkCallOptions>(
  params: P,
  { request }: Pick<Turn, "request">,
  dialect: SdkDialect,
): P {
  const { prompt, tools } = params;
  const head = prompt.slice(0, leadingSystem(prompt));
  const system = typeof request.system === "string" ? [] : (request.system ?? []);
  return {
    ...params,
    prompt: [...markLast(head, system), ...toSdk(request.messages, dialect)],
    ...(tools === undefined ? {} : { tools: markLast(tools, request.tools ?? []) }),
  };
}

/** The marker that stands last on ours, on the last of theirs; none elsewhere. */
function markLast<T extends object>(theirs: readonly T[], ours: readonly object[]): readonly T[] {
  const marker = ours.map(markerOf).findLast((found) => found !== undefined);
  return theirs.map((item, index) => {
    const changed = withMarker(item, index === theirs.length - 1 ? marker : undefined);
    return Object.keys(changed).length === 0 ? item : { ...item, ...changed };
  });
}

/** The choice of a tool as the Messages API has it. */
function toolChoiceOf({ toolChoice }: SdkCallOptions): Fields | undefined {
  if (!isFields(toolChoice)) return undefined;
  const { type, toolName } = toolChoice;
  if (type === "tool") return { type, name: toolName };
  return { type: type === "required" ? "any" : type };
}

/**
 * A summary on the conversation's own cache is the call itself with other messages, as far as the call does not say
 * what its answer is to look like: tools, headers and the provider's options go along, and a choice of tools that
 * leaves the model free. Any other stands alone.
 */
function summaryCall(params: SdkCallOptions, request: ModelRequest, dialect: SdkDialect): SdkCallOptions {
  const { prompt, tools, toolChoice, headers, providerOptions, reasoning } = params;
  const along = headers === undefined ? {} : { headers };
  const system = typeof request.system === "string" ? [] : (request.system ?? []);
  const isFork = system.map(({ text }) => text).join("\n") === systemTextOf(params.prompt);
  if (isFork) {
    const shared: SdkCallOptions = {
      ...along,
      prompt,
      ...(tools === undefined ? {} : { tools }),
      ...(request.tool_choice === undefined ? {} : { toolChoice }),
      ...(providerOptions === undefined ? {} : { providerOptions }),
      ...(reasoning === undefined ? {} : { reasoning }),
    };
    return { ...withTurn(shared, { request }, dialect), maxOutputTokens: request.max_tokens };
  }
  const head = system.map(({ text }): SdkMessage => ({ role: "system", content: text }));
  return {
    ...along,
    prompt: [...head, ...toSdk(request.messages, dialect).map(inParts)],
    maxOutputTokens: request.max_tokens,
    ...(request.tools === undefined ? {} : { tools: request.tools.map(toolToSdk) }),
  };
}
