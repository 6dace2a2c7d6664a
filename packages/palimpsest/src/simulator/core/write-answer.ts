import type { AssistantBlock, Model, ModelRequest } from "@palimpsest/core";
import type { Answer, AnswerBlock } from "../player.js";
import { blockTokens, textTokens } from "../tokens/block-tokens.js";
import type { TokenCounter } from "../tokens/bpe-counter.js";
import { asFormatDemands } from "./as-format-demands.js";
import { digest } from "./digest.js";
import { isFields } from "../fields.js";
import { bind } from "./message-chain.js";
import { offers } from "./offers.js";
import type { BlockReader } from "./block-facts.js";
import { sealThinking, thinkingId } from "./seals.js";

export interface AnswerContext {
  readonly request: ModelRequest;
  readonly model: Model;
  readonly counter: TokenCounter;
  readonly blocks: BlockReader;
  /** Of the tools and the system prompt; asked for only where thinking is signed. */
  readonly head: () => string;
  /** What the answer is bound to: everything that was sent. */
  readonly binding: () => string;
  readonly lastThinking: string | undefined;
  readonly sequence: number;
  /** Tells answers apart whose sequence number is the same, as after a reset. */
  readonly idTag: string;
  /** Tokens that the window leaves for the answer. */
  readonly room: number;
}

export interface WrittenAnswer {
  readonly content: readonly AssistantBlock[];
  readonly stopReason: string;
  readonly stopSequence: string | null;
  readonly tokens: number;
  readonly thinkingTokens: number;
}

/** The answer as the API gives it: signed, within the limits, with the reason for its end. */
export function writeAnswer(answer: Answer, context: AnswerContext): WrittenAnswer {
  const { request, model, counter } = context;
  const limit = Math.min(request.max_tokens, Math.max(0, context.room));
  const content: AssistantBlock[] = [];
  let tokens = 0;
  let thinkingTokens = 0;
  let cut: string | undefined;
  let lastThinking = context.lastThinking;
  const demanded = asThinkingDemands(asFormatDemands(answer, request), request, model);
  const stopped = stopAtSequence(demanded, request);
  for (const [index, block] of (stopped?.content ?? demanded).entries()) {
    if (block.type === "tool_use" && !offers(request, block.name)) continue;
    const written = writeBlock(block, index);
    const cost = block.type === "thinking" ? thinkingTokensOf(block) : blockTokens(written, model, counter);
    if (tokens + cost > limit) {
      cut = request.max_tokens <= context.room ? "max_tokens" : "model_context_window_exceeded";
      if (block.type === "text") {
        const kept = cutText(block.text, limit - tokens, (text) => textTokens(text, model, counter));
        if (kept.trim() !== "") content.push({ type: "text", text: kept });
      }
      tokens = limit;
      break;
    }
    tokens += cost;
    if (block.type === "thinking") thinkingTokens += cost;
    content.push(written);
  }
  const hasCall = content.some((block) => block.type === "tool_use");
  return {
    content,
    stopReason:
      cut ?? (stopped ? "stop_sequence" : (answer.stopReason ?? (hasCall ? "tool_use" : "end_turn"))),
    stopSequence: cut === undefined ? (stopped?.sequence ?? null) : null,
    tokens: Math.max(1, tokens),
    thinkingTokens,
  };

  function thinkingTokensOf({
    thinking,
    hiddenTokens = 0,
  }: Extract<AnswerBlock, { type: "thinking" }>): number {
    return Math.max(hiddenTokens, textTokens(thinking, model, counter));
  }

  function writeBlock(block: Answer["content"][number], index: number): AssistantBlock {
    if (block.type === "text") return { type: "text", text: block.text };
    if (block.type === "tool_use") {
      const id = block.id ?? `toolu_sim_${context.sequence}_${context.idTag}_${index}`;
      return { type: "tool_use", id, name: block.name, input: block.input };
    }
    const isOmitted = isFields(request.thinking) && request.thinking["display"] === "omitted";
    const thinking = isOmitted ? "" : block.thinking;
    const before = content.map((item) => context.blocks.read(item, { role: "assistant", model }));
    const signature = sealThinking(
      {
        binding: digest(context.head() + bind(context.binding(), before)),
        previous: lastThinking,
        text: thinking,
      },
      thinkingTokensOf(block),
    );
    lastThinking = thinkingId(signature);
    return { type: "thinking", thinking, signature };
  }
}

/**
 * What the request's thinking setting makes of an answer, whoever plays the model: with a budget the API thinks
 * before it says anything; where thinking is off there is none.
 */
function asThinkingDemands(
  content: Answer["content"],
  request: ModelRequest,
  model: Model,
): Answer["content"] {
  const type = isFields(request.thinking) ? request.thinking["type"] : undefined;
  const isOff = type === "disabled" || (type === undefined && model.capabilities.thinking.disabled !== "no");
  if (isOff) return content.filter((block) => block.type !== "thinking");
  const [first] = content;
  if (type !== "enabled" || first === undefined || first.type === "thinking") return content;
  return [{ type: "thinking", thinking: "Considering what comes next." }, ...content];
}

/** As much of the text as the tokens allow, found by halving. */
function cutText(text: string, tokens: number, count: (text: string) => number): string {
  let low = 0;
  let high = text.length;
  while (low < high) {
    const middle = (low + high + 1) >> 1;
    if (count(text.slice(0, middle)) <= tokens) low = middle;
    else high = middle - 1;
  }
  const splitsPair = /[\uD800-\uDBFF]$/.test(text.slice(0, low));
  return text.slice(0, splitsPair ? low - 1 : low);
}

interface Stopped {
  readonly content: Answer["content"];
  readonly sequence: string;
}

function stopAtSequence(content: Answer["content"], request: ModelRequest): Stopped | undefined {
  const sequences = Array.isArray(request["stop_sequences"])
    ? (request["stop_sequences"] as readonly string[])
    : [];
  for (const [index, block] of content.entries()) {
    if (block.type !== "text") continue;
    for (const sequence of sequences) {
      const at = sequence === "" ? -1 : block.text.indexOf(sequence);
      if (at < 0) continue;
      const kept = block.text.slice(0, at);
      const before = content.slice(0, index);
      return { content: kept === "" ? before : [...before, { type: "text", text: kept }], sequence };
    }
  }
  return undefined;
}
