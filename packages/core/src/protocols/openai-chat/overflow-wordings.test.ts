import { describe, expect, it } from "vitest";
import type { ApiFailure, Overflow } from "../../messages/call/failure.js";
import { decodeChatError } from "./errors.js";

interface Row {
  readonly server: string;
  readonly status: number;
  readonly body: unknown;
  readonly figures: Overflow;
}

const error = (message: string, more: object = {}): unknown => ({
  error: { message, type: "invalid_request_error", param: null, code: null, ...more },
});
const both = (actualTokens: number, maximumTokens: number, requestedOutputTokens?: number): Overflow => ({
  actualTokens,
  maximumTokens,
  ...(requestedOutputTokens === undefined ? {} : { requestedOutputTokens }),
});

const overflows: readonly Row[] = [
  {
    server: "OpenAI",
    status: 400,
    body: error(
      "This model's maximum context length is 128000 tokens. However, your messages resulted in 173172 tokens. Please reduce the length of the messages.",
      { param: "messages", code: "context_length_exceeded" },
    ),
    figures: both(173_172, 128_000),
  },
  {
    server: "OpenAI with an answer to come",
    status: 400,
    body: error(
      "This model's maximum context length is 4097 tokens. However, you requested 4295 tokens (3245 in the messages, 1050 in the completion). Please reduce the length of the messages or completion.",
      { code: "context_length_exceeded" },
    ),
    figures: both(4295, 4097, 1050),
  },
  {
    server: "OpenAI with functions",
    status: 400,
    body: error(
      "This model's maximum context length is 16385 tokens. However, you requested 17391 tokens (15191 in the messages, 200 in the functions, and 2000 in the completion). Please reduce the length of the messages, functions, or completion.",
      { code: "context_length_exceeded" },
    ),
    figures: both(17_391, 16_385, 2000),
  },
  {
    server: "OpenAI, the oldest form",
    status: 400,
    body: error(
      "This model's maximum context length is 8191 tokens, however you requested 10346 tokens (10341 in your prompt; 5 for the completion). Please reduce your prompt; or completion length.",
    ),
    figures: both(10_346, 8191, 5),
  },
  {
    server: "OpenAI, without figures",
    status: 400,
    body: error(
      "Your input exceeds the context window of this model. Please adjust your input and try again.",
      {
        code: "context_length_exceeded",
      },
    ),
    figures: {},
  },
  {
    server: "OpenAI, newest models",
    status: 400,
    body: error(
      "Input tokens exceed the configured limit of 272000 tokens. Your messages resulted in 305127 tokens. Please reduce the length of the messages.",
      { code: "context_length_exceeded" },
    ),
    figures: both(305_127, 272_000),
  },
  {
    server: "OpenAI, the code alone",
    status: 400,
    body: error("Bad request", { code: "context_length_exceeded" }),
    figures: {},
  },
  {
    server: "Azure",
    status: 400,
    body: error(
      "This model's maximum context length is 8192 tokens. However, your messages resulted in 9545 tokens. Please reduce the length of the messages.",
      { code: "context_length_exceeded", innererror: {} },
    ),
    figures: both(9545, 8192),
  },
  {
    server: "DeepSeek",
    status: 400,
    body: error(
      "This model's maximum context length is 131072 tokens. However, you requested 141403 tokens (133211 in the messages, 8192 in the completion). Please reduce the length of the messages or completion.",
      { code: "invalid_request_error" },
    ),
    figures: both(141_403, 131_072, 8192),
  },
  {
    server: "Together",
    status: 400,
    body: error(
      "Input validation error: `inputs` tokens + `max_new_tokens` must be <= 4097. Given: 80125 `inputs` tokens and 4096 `max_new_tokens`",
      { param: "max_tokens" },
    ),
    figures: both(84_221, 4097, 4096),
  },
  {
    server: "OpenRouter",
    status: 400,
    body: {
      error: {
        message:
          'This endpoint\'s maximum context length is 131072 tokens. However, you requested about 141607 tokens (10535 of text input, 131072 in the output). Please reduce the length of either one, or use the "middle-out" transform to compress your prompt automatically.',
        code: 400,
        metadata: { provider_name: "Chutes" },
      },
    },
    figures: both(141_607, 131_072, 131_072),
  },
  {
    server: "OpenRouter, the prompt alone",
    status: 400,
    body: error(
      "This endpoint's maximum context length is 16384 tokens. However, you requested about 94307 tokens (94307 of text input). Please reduce the length of either one.",
    ),
    figures: both(94_307, 16_384),
  },
  {
    server: "OpenRouter, quoting the server behind it",
    status: 400,
    body: {
      error: {
        message: "Provider returned error",
        code: 400,
        metadata: {
          provider_name: "xAI",
          raw: `{"code":"Client specified an invalid argument","error":"This model's maximum prompt length is 131072 but the request contains 537812 tokens."}`,
        },
      },
    },
    figures: both(537_812, 131_072),
  },
  {
    server: "Groq",
    status: 400,
    body: error("Please reduce the length of the messages or completion.", {
      param: "messages",
      code: "context_length_exceeded",
    }),
    figures: {},
  },
  {
    server: "Cerebras",
    status: 400,
    body: {
      message:
        "Please reduce the length of the messages or completion. Current length is 42328 while limit is 40000",
      type: "invalid_request_error",
      param: "messages",
      code: "context_length_exceeded",
    },
    figures: both(42_328, 40_000),
  },
  {
    server: "Mistral",
    status: 400,
    body: {
      object: "error",
      message:
        "Prompt contains 65673 tokens and 0 draft tokens, too large for model with 32768 maximum context length",
      type: "invalid_request_prompt",
      code: "3051",
    },
    figures: both(65_673, 32_768),
  },
  {
    server: "Fireworks",
    status: 400,
    body: error("The prompt is too long: 40177, model maximum context length: 32767", {
      code: "invalid_request_error",
    }),
    figures: both(40_177, 32_767),
  },
  {
    server: "xAI",
    status: 400,
    body: {
      code: "Client specified an invalid argument",
      error: "This model's maximum prompt length is 131072 but the request contains 136973 tokens.",
    },
    figures: both(136_973, 131_072),
  },
  {
    server: "Gemini",
    status: 400,
    body: [
      {
        error: {
          code: 400,
          message: "The input token count (1200293) exceeds the maximum number of tokens allowed (1048576).",
          status: "INVALID_ARGUMENT",
        },
      },
    ],
    figures: both(1_200_293, 1_048_576),
  },
  {
    server: "LiteLLM",
    status: 400,
    body: error(
      "litellm.ContextWindowExceededError: litellm.BadRequestError: ContextWindowExceededError: OpenAIException - This model's maximum context length is 8192 tokens. However, your messages resulted in 9000 tokens.",
      { code: "400" },
    ),
    figures: both(9000, 8192),
  },
  {
    server: "LiteLLM, its own check",
    status: 400,
    body: error(
      "litellm.ContextWindowExceededError: litellm._pre_call_checks: Context Window exceeded for given call. No models have context window large enough for this call.",
      { code: "400" },
    ),
    figures: {},
  },
  {
    server: "LiteLLM before the Messages API",
    status: 400,
    body: error(
      "litellm.ContextWindowExceededError: AnthropicError - prompt is too long: 213462 tokens > 200000 maximum",
      { code: "400" },
    ),
    figures: both(213_462, 200_000),
  },
  {
    server: "Messages API through a proxy",
    status: 400,
    body: error(
      'litellm.BadRequestError: AnthropicException - {"type":"error","error":{"type":"invalid_request_error","message":"input length and `max_tokens` exceed context limit: 174167 + 64000 > 200000, decrease input length or `max_tokens` and try again"}}',
    ),
    figures: both(238_167, 200_000, 64_000),
  },
  {
    server: "Messages API through a proxy, the prompt alone",
    status: 400,
    body: error("prompt is too long: 213462 tokens > 200000 maximum"),
    figures: both(213_462, 200_000),
  },
  {
    server: "Bedrock through a proxy",
    status: 400,
    body: error("ValidationException: Input is too long for requested model."),
    figures: {},
  },
  {
    server: "GitHub Models",
    status: 413,
    body: {
      error: {
        code: "tokens_limit_reached",
        message: "Request body too large for gpt-4o model. Max size: 8000 tokens.",
        details: "Request body too large for gpt-4o model. Max size: 8000 tokens.",
      },
    },
    figures: { maximumTokens: 8000 },
  },
  {
    server: "GitHub Copilot",
    status: 400,
    body: {
      error: {
        message: "prompt token count of 168929 exceeds the limit of 168000",
        code: "model_max_prompt_tokens_exceeded",
      },
    },
    figures: both(168_929, 168_000),
  },
  {
    server: "MiniMax, whose number is a code",
    status: 400,
    body: error("invalid params, context window exceeds limit (2013)", { type: "bad_request_error" }),
    figures: {},
  },
  {
    server: "Moonshot",
    status: 400,
    body: error("Invalid request: Your request exceeded model token limit: 262144 (requested: 269030)"),
    figures: both(269_030, 262_144),
  },
  {
    server: "Z.ai",
    status: 400,
    body: { error: { code: "1261", message: "Prompt exceeds max length" } },
    figures: {},
  },
  {
    server: "Qwen",
    status: 400,
    body: {
      error: {
        code: "invalid_parameter_error",
        message: "<400> InternalError.Algo.InvalidParameter: Range of input length should be [1, 983616]",
        param: null,
        type: "invalid_request_error",
      },
      request_id: "81a373d6",
    },
    figures: { maximumTokens: 983_616 },
  },
  {
    server: "Volcengine",
    status: 400,
    body: error("Total tokens of image and text exceed max message tokens. Request id: 0217"),
    figures: {},
  },
  {
    server: "Cloudflare Workers AI",
    status: 413,
    body: error(
      "AiError: The estimated number of input and maximum output tokens (9000) exceeded this model context window limit (8192).",
    ),
    figures: both(9000, 8192),
  },
  {
    server: "a code that is one, with words of waiting",
    status: 400,
    body: error("The input is longer than the model's window. Reduce it, or try again later.", {
      code: "context_length_exceeded",
    }),
    figures: {},
  },
  {
    server: "a code that is one, with the word quota",
    status: 400,
    body: error("prompt is too long: 210000 tokens > 200000 maximum. See your quota page.", {
      code: "context_length_exceeded",
    }),
    figures: both(210_000, 200_000),
  },
  {
    server: "Cohere",
    status: 400,
    body: {
      message: "too many tokens: total number of tokens in the prompt cannot exceed 4081 - received 5000.",
    },
    figures: both(5000, 4081),
  },
];

describe("an overflow of a hosted model", () => {
  it.each(overflows)("is known: $server", ({ status, body, figures }) => {
    const { kind, retryable, actualTokens, maximumTokens, requestedOutputTokens } = decodeChatError({
      status,
      body,
    }) as ApiFailure & Overflow;
    expect({ kind, retryable }).toEqual({ kind: "context-overflow", retryable: false });
    expect({ actualTokens, maximumTokens, requestedOutputTokens }).toEqual({
      actualTokens: figures.actualTokens,
      maximumTokens: figures.maximumTokens,
      requestedOutputTokens: figures.requestedOutputTokens,
    });
    // As text, as a proxy hands it on, and within a stream, where there is no status.
    expect(decodeChatError({ status, body: JSON.stringify(body) }).kind).toBe("context-overflow");
    expect(decodeChatError({ body }).kind).toBe("context-overflow");
  });
});
