import { findModel, type Model, type ToolDefinition } from "@palimpsest/core";
import { blockTokens, foreignTokenFactor, TOOL_PROMPT_TOKENS } from "../../simulator/tokens/block-tokens.js";
import type { TokenCounter } from "../../simulator/tokens/bpe-counter.js";
import { filler } from "../measures/filler.js";
import type { RecordedConversation } from "../rounds/recorded-round.js";
import { createRecordedTokens } from "./recorded-tokens.js";

/** What stands for the system prompt and the tools, which recordings do not show. */
export interface PromptHead {
  readonly system: string;
  readonly tools: readonly ToolDefinition[];
  readonly tokens: number;
  readonly from: "recorded" | "assumed";
}

/** Where a recording reports no usage: the smallest head that was seen in recordings which do. */
const ASSUMED_TOKENS = 22_000;
const LEAST_TOKENS = 1000;
/** Of a head, what the tools are: about what agents of today send. */
const SHARE_OF_TOOLS = 0.4;

export async function promptHead(
  conversation: RecordedConversation,
  { model, counter }: { readonly model: Model; readonly counter: TokenCounter },
): Promise<PromptHead> {
  const { firstUsage, tools: names, models } = conversation.overview;
  const shown = firstUsage === undefined ? 0 : await shownTokens(conversation, { model, counter });
  // Another vendor counts other tokens.
  const isForeign = models.every((one) => findModel(one.model) === undefined);
  const factor = isForeign && models.length > 0 ? foreignTokenFactor(model) : 1;
  const wanted = firstUsage === undefined ? ASSUMED_TOKENS : firstUsage.inputTokens * factor - shown;
  const tokens = Math.max(LEAST_TOKENS, Math.round(wanted));
  const count = (block: unknown): number => blockTokens(block, model, counter);
  const each = names.length === 0 ? 0 : (tokens * SHARE_OF_TOOLS) / names.length;
  const tools = names.map((name) => toolOf(name, each, count));
  const toolTokens = tools.reduce(
    (sum, tool) => sum + count(tool),
    tools.length === 0 ? 0 : TOOL_PROMPT_TOKENS.free,
  );
  const system = filler(tokens - toolTokens, (text) => count({ type: "text", text }));
  return {
    system,
    tools,
    tokens: toolTokens + count({ type: "text", text: system }),
    from: firstUsage === undefined ? "assumed" : "recorded",
  };
}

function toolOf(name: string, tokens: number, count: (block: unknown) => number): ToolDefinition {
  const tool = (description: string): ToolDefinition => ({
    name,
    description,
    input_schema: { type: "object", properties: {} },
  });
  const bare = count(tool(""));
  return tool(filler(tokens - bare, (text) => count({ type: "text", text })));
}

/** Tokens of the messages that the request of the first reported usage shows. */
async function shownTokens(
  conversation: RecordedConversation,
  { model, counter }: { readonly model: Model; readonly counter: TokenCounter },
): Promise<number> {
  const last = conversation.overview.firstUsage?.round ?? 0;
  const recorded = createRecordedTokens(model, counter);
  let tokens = 0;
  let round = 0;
  for await (const next of conversation.rounds()) {
    const { incoming, response } = recorded.next(next);
    tokens += incoming;
    if (round >= last) break;
    tokens += response;
    round += 1;
  }
  return tokens;
}
