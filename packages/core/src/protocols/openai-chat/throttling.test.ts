import { describe, expect, it } from "vitest";
import type { ApiFailure } from "../../messages/call/failure.js";
import { decodeChatError } from "./errors.js";

interface Row {
  readonly server: string;
  readonly status: number;
  readonly body: unknown;
}

const error = (message: string, more: object = {}): unknown => ({
  error: { message, type: "invalid_request_error", param: null, code: null, ...more },
});
const vllm = (message: string): unknown => ({
  error: { message, type: "BadRequestError", param: null, code: 400 },
});

const throttled: readonly Row[] = [
  {
    server: "OpenAI",
    status: 429,
    body: error(
      "Request too large for gpt-4o in organization org-1 on tokens per min (TPM): Limit 30000, Requested 132819. The input or output tokens must be reduced in order to run successfully. Visit https://platform.openai.com/account/rate-limits to learn more.",
      { type: "tokens", code: "rate_limit_exceeded" },
    ),
  },
  {
    server: "OpenAI through a proxy that says 400",
    status: 400,
    body: error(
      "Request too large for gpt-4o in organization org-1 on tokens per min (TPM): Limit 30000, Requested 30601. The input or output tokens must be reduced in order to run successfully.",
    ),
  },
  {
    server: "Groq, 413",
    status: 413,
    body: error(
      "Request too large for model `llama-3.3-70b-versatile` in organization `org_1` service tier `on_demand` on tokens per minute (TPM): Limit 12000, Requested 14137, please reduce your message size and try again. Need more tokens? Upgrade to Dev Tier today at https://console.groq.com/settings/billing",
      { type: "tokens", code: "rate_limit_exceeded" },
    ),
  },
  {
    server: "Groq, 413 without its code",
    status: 413,
    body: "Request too large for model `llama-3.1-8b-instant` on tokens per minute (TPM): Limit 6000, Requested 6294",
  },
  {
    server: "Groq",
    status: 429,
    body: error(
      "Rate limit reached for model `llama-3.3-70b-versatile` in organization `org_1` service tier `on_demand` on tokens per day (TPD): Limit 100000, Used 97050, Requested 3619. Please try again in 9m38.016s.",
      { type: "tokens", code: "rate_limit_exceeded" },
    ),
  },
  {
    server: "Bedrock through a proxy",
    status: 400,
    body: error("ThrottlingException: Too many tokens, please wait before trying again."),
  },
  {
    server: "Bedrock through a proxy, 429",
    status: 429,
    body: { message: "Too many tokens, please wait before trying again." },
  },
  {
    server: "Azure",
    status: 429,
    body: {
      error: {
        code: "429",
        message:
          "Requests to the ChatCompletions_Create Operation under Azure OpenAI API version 2024-05-01-preview have exceeded token rate limit of your current OpenAI S0 pricing tier. Please retry after 86400 seconds.",
      },
    },
  },
  {
    server: "LiteLLM before Azure",
    status: 500,
    body: error(
      "litellm.RateLimitError: AzureException RateLimitError - have exceeded token rate limit of your current AIServices S0 pricing tier. Please retry after 60 seconds.",
      { type: "throttling_error", code: "500" },
    ),
  },
  {
    server: "Messages API through a proxy",
    status: 429,
    body: error(
      "This request would exceed the rate limit for your organization of 20,000 input tokens per minute. Please reduce the prompt length or the maximum tokens requested, or try again later.",
      { code: "rate_limit_error" },
    ),
  },
  {
    server: "Messages API, whose prompt is too long for its rate",
    status: 400,
    body: error("prompt is too long for the rate limit of 20,000 input tokens per minute"),
  },
  {
    server: "Cerebras",
    status: 429,
    body: {
      message: "Tokens per minute limit exceeded - too many tokens processed.",
      type: "too_many_tokens_error",
      param: "quota",
      code: "token_quota_exceeded",
    },
  },
  {
    server: "Moonshot",
    status: 429,
    body: error(
      "Your account org-1 / proj-1 <ak-1> request reached project TPM rate limit, current: 1410, limit: 100",
      { type: "rate_limit_reached_error" },
    ),
  },
  {
    server: "Gemini",
    status: 429,
    body: [
      {
        error: {
          code: 429,
          message: "Quota exceeded for metric: generate_content_paid_tier_input_token_count, limit: 1000000",
          status: "RESOURCE_EXHAUSTED",
        },
      },
    ],
  },
  {
    server: "anyone with 429, whatever the words",
    status: 429,
    body: error(
      "This model's maximum context length is 8192 tokens. However, your messages resulted in 9000 tokens.",
    ),
  },
  {
    server: "anyone with 429, whatever the code",
    status: 429,
    body: error("Try again later.", { code: "context_length_exceeded" }),
  },
];

const others: readonly (Row & { readonly kind: ApiFailure["kind"] })[] = [
  {
    server: "OpenAI: too much output asked for",
    status: 400,
    body: error(
      "max_tokens is too large: 200000. This model supports at most 16384 completion tokens, whereas you provided 200000.",
    ),
    kind: "invalid-request",
  },
  {
    server: "Groq: too much output asked for",
    status: 400,
    body: error(
      "`max_tokens` must be less than or equal to `16384`, the maximum value for `max_tokens` is less than the `context_window` for this model",
    ),
    kind: "invalid-request",
  },
  {
    server: "vLLM: too much output asked for",
    status: 400,
    body: vllm(
      "max_tokens=200000 cannot be greater than max_model_len=100000. Please request fewer output tokens.",
    ),
    kind: "invalid-request",
  },
  {
    server: "OpenAI: one string is too long",
    status: 400,
    body: error(
      "Invalid 'messages[5].content': string too long. Expected a string with maximum length 10485760, but got a string with length 10605342 instead.",
      { code: "string_above_max_length" },
    ),
    kind: "invalid-request",
  },
  {
    server: "a proxy: too many bytes",
    status: 413,
    body: "<html><head><title>413 Request Entity Too Large</title></head></html>",
    kind: "request-too-large",
  },
  {
    server: "OpenAI: no money",
    status: 429,
    body: error("You exceeded your current quota, please check your plan and billing details.", {
      type: "insufficient_quota",
      code: "insufficient_quota",
    }),
    kind: "billing",
  },
  {
    server: "Moonshot: no money",
    status: 403,
    body: error(
      "Your account is not active, exceeded current quota, please check your plan and billing details",
      {
        type: "exceeded_current_quota_error",
      },
    ),
    kind: "billing",
  },
  {
    server: "a gateway that says that the length of the context is a matter of permission",
    status: 403,
    body: error("This model's maximum context length is 8192 tokens."),
    kind: "permission",
  },
];

describe("no overflow", () => {
  it.each(throttled)("is what asks to wait: $server", ({ status, body }) => {
    expect(decodeChatError({ status, body }).kind).toBe("rate-limit");
    expect(decodeChatError({ status, body: JSON.stringify(body) }).kind).toBe("rate-limit");
    expect(decodeChatError({ body, status: status === 429 ? 429 : undefined }).kind).toBe("rate-limit");
  });

  it.each(others)("is what means something else: $server", ({ status, body, kind }) => {
    expect(decodeChatError({ status, body }).kind).toBe(kind);
  });

  // Looking back at every character would take minutes.
  it("is not what a server writes without end", () => {
    const hostile = [
      "maximum context length is ".repeat(100_000),
      `prompt contains ${"1,".repeat(1_000_000)} tokens`,
      `prompt (length 1)${" a".repeat(1_000_000)}`,
      "you requested about 1 tokens (".repeat(100_000),
      "tokens ".repeat(300_000),
    ];
    for (const message of hostile) {
      expect(decodeChatError({ status: 400, body: error(message) }).kind).toBe("invalid-request");
    }
  });
});
