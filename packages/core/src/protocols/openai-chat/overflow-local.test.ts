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
const vllm = (message: string): unknown => ({
  error: { message, type: "BadRequestError", param: null, code: 400 },
});
const both = (actualTokens: number, maximumTokens: number, requestedOutputTokens?: number): Overflow => ({
  actualTokens,
  maximumTokens,
  ...(requestedOutputTokens === undefined ? {} : { requestedOutputTokens }),
});

const overflows: readonly Row[] = [
  {
    server: "vLLM up to 0.10",
    status: 400,
    body: {
      object: "error",
      message:
        "This model's maximum context length is 16384 tokens. However, you requested 19591 tokens (9591 in the messages, 10000 in the completion). Please reduce the length of the messages or completion. None",
      type: "BadRequestError",
      param: null,
      code: 400,
    },
    figures: both(19_591, 16_384, 10_000),
  },
  {
    server: "vLLM 0.11",
    status: 400,
    body: vllm(
      "'max_tokens' or 'max_completion_tokens' is too large: 8192. This model's maximum context length is 32768 tokens and your request has 30000 input tokens (8192 > 32768 - 30000).",
    ),
    figures: both(38_192, 32_768, 8192),
  },
  {
    server: "vLLM 0.11, the prompt alone",
    status: 400,
    body: vllm(
      "This model's maximum context length is 32768 tokens. However, your request has 40000 input tokens. Please reduce the length of the input messages.",
    ),
    figures: both(40_000, 32_768),
  },
  {
    server: "vLLM 0.16",
    status: 400,
    body: vllm(
      "You passed 24577 input tokens and requested 8192 output tokens. However, the model's context length is only 32768 tokens, resulting in a maximum input length of 24576 tokens. Please reduce the length of the input prompt. (parameter=input_tokens, value=24577)",
    ),
    figures: both(32_769, 32_768, 8192),
  },
  {
    server: "vLLM 0.16, by characters",
    status: 400,
    body: vllm(
      "You passed 74655 input characters and requested 32000 output tokens. However, the model's context length is only 32000 tokens, resulting in a maximum input length of 0 tokens (at most 0 characters). Please reduce the length of the input prompt.",
    ),
    figures: { maximumTokens: 32_000, requestedOutputTokens: 32_000 },
  },
  {
    server: "vLLM 0.18",
    status: 400,
    body: vllm(
      "This model's maximum context length is 262144 tokens. However, you requested 128000 output tokens and your prompt contains at least 134145 input tokens, for a total of at least 262145 tokens. Please reduce the length of the input prompt or the number of requested output tokens. (parameter=input_tokens, value=134145)",
    ),
    figures: both(262_145, 262_144, 128_000),
  },
  {
    server: "vLLM, its engine",
    status: 400,
    body: vllm(
      "The decoder prompt (length 163840) is longer than the maximum model length of 131072. Make sure that `max_model_len` is no smaller than the number of text tokens plus multimodal tokens.",
    ),
    figures: both(163_840, 131_072),
  },
  {
    server: "llama.cpp",
    status: 400,
    body: {
      error: {
        code: 400,
        message: "request (14429 tokens) exceeds the available context size (8192 tokens), try increasing it",
        type: "exceed_context_size_error",
        n_prompt_tokens: 14_429,
        n_ctx: 8192,
      },
    },
    figures: both(14_429, 8192),
  },
  {
    server: "llama.cpp, figures in fields alone",
    status: 500,
    body: {
      error: {
        code: 500,
        message:
          "the request exceeds the available context size. try increasing the context size or enable context shift",
        type: "exceed_context_size_error",
        n_prompt_tokens: 1407,
        n_ctx: 256,
      },
    },
    figures: both(1407, 256),
  },
  {
    server: "llama.cpp, no split",
    status: 400,
    body: error("input (9000 tokens) is larger than the max context size (8192 tokens). skipping"),
    figures: both(9000, 8192),
  },
  {
    server: "llama-cpp-python",
    status: 500,
    body: error("Requested tokens (2285) exceed context window of 2048", { type: "internal_server_error" }),
    figures: both(2285, 2048),
  },
  {
    server: "Ollama",
    status: 400,
    body: { error: "the input length exceeds the context length" },
    figures: {},
  },
  {
    server: "Ollama, strict",
    status: 400,
    body: error("prompt too long; exceeded max context length by 4096 tokens"),
    figures: {},
  },
  {
    server: "LM Studio",
    status: 400,
    body: {
      error:
        "Trying to keep the first 15857 tokens when context the overflows. However, the model is loaded with context length of only 4096 tokens, which is not enough. Try to load the model with a larger context length, or provide a shorter input",
    },
    figures: both(15_857, 4096),
  },
  {
    server: "LM Studio, by its library",
    status: 400,
    body: { error: "Cannot truncate prompt with n_keep (15028) >= n_ctx (7424)" },
    figures: both(15_028, 7424),
  },
  {
    server: "LM Studio, without figures",
    status: 400,
    body: {
      error:
        "The number of tokens to keep from the initial prompt is greater than the context length. Try to load the model with a larger context length, or provide a shorter input",
    },
    figures: {},
  },
  {
    server: "llama.cpp, in the middle of an answer",
    status: 500,
    body: { error: { code: 500, message: "Context size has been exceeded.", type: "server_error" } },
    figures: {},
  },
  {
    server: "LM Studio, in the middle of an answer",
    status: 500,
    body: { error: "Context size has been exceeded." },
    figures: {},
  },
  {
    server: "SGLang",
    status: 400,
    body: {
      object: "error",
      message: "The input (61709 tokens) is longer than the model's context length (40960 tokens).",
      type: "BadRequestError",
      param: null,
      code: 400,
    },
    figures: both(61_709, 40_960),
  },
  {
    server: "SGLang with an answer to come",
    status: 400,
    body: {
      object: "error",
      message:
        "Requested token count exceeds the model's maximum context length of 40960 tokens. You requested a total of 42000 tokens: 38000 tokens from the input messages and 4000 tokens for the completion. Please reduce the number of tokens in the input messages or the completion to fit within the limit.",
      type: "BadRequestError",
      code: 400,
    },
    figures: both(42_000, 40_960, 4000),
  },
  {
    server: "TGI",
    status: 422,
    body: {
      error:
        "Input validation error: `inputs` tokens + `max_new_tokens` must be <= 8192. Given: 6204 `inputs` tokens and 2047 `max_new_tokens`",
      error_type: "validation",
    },
    figures: both(8251, 8192, 2047),
  },
  {
    server: "TGI, the prompt alone",
    status: 422,
    body: {
      error: "Input validation error: `inputs` must have less than 1024 tokens. Given: 1168",
      error_type: "validation",
    },
    figures: both(1168, 1024),
  },
];

describe("an overflow of a server of one's own", () => {
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
