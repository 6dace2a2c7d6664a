import type { Overflow } from "../../messages/call/failure.js";
import { findOverflow } from "../anthropic-messages/overflow-text.js";
import type { ChatErrorFacts } from "./error-body.js";

/**
 * The protocol has no error of its own for an overflow. What servers say instead is known here and nowhere else:
 * their codes, their wordings, and what sounds alike but means that one has to wait.
 */

const overflowCodes: ReadonlySet<string> = new Set([
  "context_length_exceeded",
  "context_window_exceeded",
  "model_context_window_exceeded",
  "exceed_context_size_error",
  "model_max_prompt_tokens_exceeded",
  "tokens_limit_reached",
  "ContextWindowExceededError",
  // Z.ai and Zhipu.
  "1261",
]);

/** `#` stands for a number; groups: `maximum`, `prompt`, `output`, and `total`, which is prompt and output. */
const wordings: readonly RegExp[] = (
  [
    // OpenAI, Azure, DeepSeek, older vLLM: with and without functions, and the form for a prompt of text.
    "maximum context length is {maximum} tokens[.,] however, you requested {total} tokens \\({prompt} in the messages,(?: # in the functions,)?(?: and)? {output} in the completion\\)",
    "maximum context length is {maximum} tokens, however you requested {total} tokens \\({prompt} in your prompt; {output} for the completion\\)",
    "maximum context length is {maximum} tokens\\. however, your messages resulted in {total} tokens",
    "input tokens exceed the configured limit of {maximum} tokens\\. your messages resulted in {total} tokens",
    // OpenRouter.
    "maximum context length is {maximum} tokens\\. however, you requested about {total} tokens \\([^()]{0,80}?{output} in the output\\)",
    // vLLM.
    "maximum context length is {maximum} tokens\\. however, you requested {output} output tokens and your prompt contains (?:at least )?{prompt} input tokens",
    "maximum context length is {maximum} tokens\\. however, you requested {output} output tokens and your prompt contains # characters",
    "you passed {prompt} input tokens and requested {output} output tokens\\. however, the model's context length is only {maximum} tokens",
    "you passed # input characters and requested {output} output tokens\\. however, the model's context length is only {maximum} tokens",
    "is too large: {output}\\. this model's maximum context length is {maximum} tokens and your request has {prompt} input tokens",
    "maximum context length is {maximum} tokens\\. however, your request has {prompt} input tokens",
    "maximum context length is {maximum} tokens,? but the prompt contains {prompt} input tokens",
    "prompt \\((?:total )?length {prompt}\\)[^.]{0,80}? is longer than the maximum model length of {maximum}",
    "prompt \\(total length {prompt}\\) is too long to fit into the model \\(context length {maximum}\\)",
    // The same servers, and what others made of their words.
    "maximum context length is {maximum} tokens[.,]? however,? you requested (?:about )?{total} tokens",
    "maximum context length (?:is|of) {maximum}\\b",
    "exceeds? the (?:model's )?(?:maximum )?context (?:window|length)",
    "input tokens exceed the configured limit",
    // SGLang.
    "maximum context length of {maximum} tokens\\. you requested a total of {total} tokens: {prompt} tokens from the input messages and {output} tokens for the completion",
    "the input \\({prompt} tokens\\) is longer than the model's context length \\({maximum} tokens\\)",
    "input length \\({prompt} tokens\\) exceeds the maximum allowed length \\({maximum} tokens\\)",
    "prompt exceeds the kv memory budget: input_len={prompt}",
    // llama.cpp and its bindings.
    "\\({prompt} tokens\\) exceeds the available context size \\({maximum} tokens\\)",
    "\\({prompt} tokens\\) is larger than the max context size \\({maximum} tokens\\)",
    "exceeds the available context size",
    "is larger than the max context size",
    "context size has been exceeded",
    "requested tokens \\({prompt}\\) exceed context window of {maximum}",
    // LM Studio.
    "keep the first {prompt} tokens when context the overflows\\. however, the model is loaded with context length of only {maximum} tokens",
    "cannot truncate prompt with n_keep \\({prompt}\\) >= n_ctx \\({maximum}\\)",
    "tokens to keep from the initial prompt is greater than the context length",
    "reached context length of {maximum} tokens",
    // Ollama.
    "prompt too long; exceeded (?:max )?context length",
    "prompt is longer than the context length currently available",
    "exceeds maximum context length",
    // TGI, Together and others with it.
    "`inputs` tokens \\+ `max_new_tokens` must be <= {maximum}\\. given: {prompt} `inputs` tokens and {output} `max_new_tokens`",
    "`inputs` must have less than {maximum} tokens\\. given: {prompt}",
    // Mistral.
    "prompt contains {prompt} tokens[^.]{0,80}? too large for model with {maximum} maximum context length",
    "too large for model with {maximum} maximum context length",
    // Fireworks.
    "prompt is too long: {prompt}, model maximum context length: {maximum}",
    // xAI.
    "maximum prompt length is {maximum} but the request contains {prompt} tokens",
    // Cerebras, Groq.
    "reduce the length of the messages or completion\\. current length is {prompt} while limit is {maximum}",
    "reduce the length of the messages or completion",
    // Gemini, and the same models on Vertex.
    "input token count \\({prompt}\\) exceeds the maximum number of tokens allowed \\({maximum}\\)",
    "input token count exceeds the maximum number of tokens allowed \\(?{maximum}",
    "input token count is {prompt} but model only supports up to {maximum}",
    // GitHub Copilot and GitHub Models.
    "prompt token count of {prompt} exceeds the limit of {maximum}",
    "request body too large for \\S{1,100} model\\. max size: {maximum} tokens",
    // Moonshot.
    "exceeded model token limit: {maximum} \\(requested: {prompt}\\)",
    "exceeded model token limit",
    // Qwen.
    "range of input length should be \\[1, {maximum}\\]",
    // Cohere.
    "number of tokens in the prompt cannot exceed {maximum} - received {prompt}",
    "too many tokens: size limit exceeded by #",
    // Cloudflare Workers AI.
    "input and maximum output tokens \\({total}\\) exceeded this model context window limit \\({maximum}\\)",
    // MiniMax (the number after it is a code), Z.ai, Volcengine.
    "context window exceeds limit",
    "prompt exceeds max(?:imum)? (?:context )?length",
    "exceed max message tokens",
    // LiteLLM.
    "contextwindowexceedederror",
    "context window exceeded for given call",
  ] as const
).map(compiled);

function compiled(wording: string): RegExp {
  const source = wording.replace(/\{(\w+)\}/g, "(?<$1>#)").replaceAll("#", "\\d[\\d,]{0,14}");
  return new RegExp(source, "i");
}

/** A wait helps, or money: nothing that could be left out of the prompt would. */
const throttling =
  /\b(?:tokens?|requests?) (?:\(?\w{2,4}\)? )?(?:rate|per (?:sec|min|hour|day))|\b(?:TPM|RPM|TPD|RPD|ITPM|OTPM)\b|\brate[ _-]?limit|too many requests|throttl|wait before trying again|\bquota\b|(?:try again|retry) (?:in|after|later)\b/i;

/** Whether a text asks to wait, whatever else it says of tokens and prompts. */
export const isThrottling = (text: string): boolean => throttling.test(text);

/** Whether the error has a code that means an overflow and nothing else, whatever its text says. */
export const isNamedOverflow = ({ code, type }: Pick<ChatErrorFacts, "code" | "type">): boolean =>
  overflowCodes.has(code ?? "") || overflowCodes.has(type ?? "");

/** Whether a limit per minute is smaller than the request: waiting would not help. */
export function exceedsItsLimit(text: string): boolean {
  const match = /\blimit:? ([\d,]+), requested:? ([\d,]+)/i.exec(text);
  const [limit, requested] = [numberOf(match?.[1]), numberOf(match?.[2])];
  return limit !== undefined && requested !== undefined && requested > limit;
}

/** What the error says of an overflow; undefined where it says something else. */
export function findChatOverflow(facts: ChatErrorFacts): Overflow | undefined {
  const { texts, promptTokens, contextTokens } = facts;
  const isNamed = isNamedOverflow(facts);
  if (isThrottling(texts) && !isNamed) return undefined;
  const found = inWordings(texts);
  if (found === undefined && !isNamed) return undefined;
  return {
    ...found,
    ...(promptTokens === undefined ? {} : { actualTokens: promptTokens }),
    ...(contextTokens === undefined ? {} : { maximumTokens: contextTokens }),
  };
}

/** Of all wordings that fit, the one with the most figures: routers put their own words before those of others. */
function inWordings(text: string): Overflow | undefined {
  let best = findOverflow(text);
  for (const wording of wordings) {
    const match = wording.exec(text);
    if (match === null) continue;
    const overflow = figuresOf(match.groups ?? {});
    if (best === undefined || Object.keys(overflow).length > Object.keys(best).length) best = overflow;
  }
  return best;
}

function figuresOf(groups: Readonly<Record<string, string | undefined>>): Overflow {
  const [maximum, prompt, output] = [groups["maximum"], groups["prompt"], groups["output"]].map(numberOf);
  const sum = prompt === undefined ? undefined : prompt + (output ?? 0);
  const actual = numberOf(groups["total"]) ?? sum;
  return {
    ...(actual === undefined ? {} : { actualTokens: actual }),
    ...(maximum === undefined ? {} : { maximumTokens: maximum }),
    ...(output === undefined ? {} : { requestedOutputTokens: output }),
  };
}

function numberOf(digits: string | undefined): number | undefined {
  const value = Number(digits?.replaceAll(",", "") ?? Number.NaN);
  return Number.isSafeInteger(value) ? value : undefined;
}
