import { createHash } from "node:crypto";
import {
  findModel,
  type ModelCall,
  type ModelRequest,
  type RequestMessage,
  type TextBlock,
} from "@palimpsest/core";
import { priceOf } from "../../simulator/core/pricing.js";
import { blockTokens, TOKENS_PER_MESSAGE } from "../../simulator/tokens/block-tokens.js";
import type { TokenCounter } from "../../simulator/tokens/bpe-counter.js";
import { isFiller } from "../measures/filler.js";

/** Tokens that a summary is expected to have; more than the median of real ones. */
const EXPECTED_OUTPUT = 4000;
const SYSTEM = "You are a coding agent.";

/**
 * A call beside a played conversation as a real model can be asked: without thinking, which only the simulator has
 * signed, without markers, as nothing of it is in a real cache, and without what only fills up the prompt.
 */
export function providerRequest({ request }: ModelCall): ModelRequest {
  const { model, max_tokens: maxTokens, tools } = request;
  const system = systemText(request.system);
  return {
    model,
    max_tokens: maxTokens,
    system: isFiller(system) || system.trim() === "" ? SYSTEM : system,
    ...(tools === undefined ? {} : { tools: tools.map(bareTool) }),
    messages: request.messages.flatMap(bareMessage),
  };
}

/** Names the answer to a request. */
export const requestDigest = (request: ModelRequest): string =>
  createHash("sha256").update(JSON.stringify(request)).digest("hex");

/** Dollars that a request is expected to cost, at prices without a cache; 0 where none are known. */
export function expectedCost(request: ModelRequest, counter: TokenCounter): number {
  const model = findModel(request.model);
  if (model === undefined) return 0;
  const count = (block: unknown): number => blockTokens(block, model, counter);
  const messages = request.messages.reduce((sum, { content }) => {
    const blocks = typeof content === "string" ? [{ type: "text", text: content }] : content;
    return blocks.reduce((tokens, block) => tokens + count(block), sum + TOKENS_PER_MESSAGE);
  }, 0);
  const tools = (request.tools ?? []).reduce((sum, tool) => sum + count(tool), 0);
  const input = messages + tools + count({ type: "text", text: systemText(request.system) });
  const output = Math.min(request.max_tokens, EXPECTED_OUTPUT);
  return priceOf(model, { input, cacheRead: 0, cacheWrite5m: 0, cacheWrite1h: 0, output });
}

const systemText = (system: ModelRequest["system"]): string =>
  typeof system === "string" ? system : (system ?? []).map(({ text }) => text).join("\n");

type Tool = NonNullable<ModelRequest["tools"]>[number];

function bareTool(tool: Tool): Tool {
  const { cache_control: _, ...bare } = tool;
  return isFiller(bare.description ?? "") ? { ...bare, description: "" } : bare;
}

/** A response of which nothing is left but thinking is said in one word: two user messages in a row are no request. */
function bareMessage(message: RequestMessage): readonly RequestMessage[] {
  if (typeof message.content === "string") return [message];
  const blocks = message.content.flatMap((block) => {
    if (block.type === "thinking" || block.type === "redacted_thinking") return [];
    const { cache_control: _, ...bare } = block as TextBlock;
    return [bare];
  });
  const content = blocks.length === 0 ? [{ type: "text", text: "…" }] : blocks;
  return [{ ...message, content } as RequestMessage];
}
