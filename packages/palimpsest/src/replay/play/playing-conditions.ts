import { findModel, type Model } from "@palimpsest/core";
import type { RecordedConversation } from "../rounds/recorded-round.js";
import type { PlayedWith } from "./policy-conversation.js";
import { promptHead } from "./prompt-head.js";
import { createSharedCounter } from "../../simulator/tokens/shared-counter.js";

/** What conversations are played as where their own model is not known. */
export const DEFAULT_REPLAYED_MODEL = "claude-opus-4-5";

/** What is the same for every policy that a conversation is played with. */
export type PlayingConditions = Pick<
  PlayedWith,
  "model" | "window" | "maxTokens" | "head" | "thinking" | "counter"
>;

/** Tokens that an answer may have: more than recorded ones ever had. */
const MAX_TOKENS = 32_000;

export async function playingConditions(
  conversation: RecordedConversation,
  options: { readonly model?: string; readonly window?: number } = {},
): Promise<PlayingConditions> {
  const model = modelOf(conversation, options.model ?? DEFAULT_REPLAYED_MODEL);
  const window = options.window ?? model.contextWindow;
  const counter = createSharedCounter();
  return {
    model,
    window,
    maxTokens: Math.max(1024, Math.min(MAX_TOKENS, model.maxOutputTokens, Math.floor(window / 4))),
    head: await promptHead(conversation, { model, counter }),
    ...(conversation.overview.hasThinking ? { thinking: thinkingFor(model) } : {}),
    counter,
  };
}

/** The most used model whose prices are known. */
function modelOf({ overview }: RecordedConversation, fallback: string): Model {
  for (const { model } of overview.models) {
    const known = findModel(model);
    if (known !== undefined) return known;
  }
  const model = findModel(fallback);
  if (model === undefined) throw new RangeError(`no prices are known for the model ${fallback}`);
  return model;
}

function thinkingFor({ capabilities: { thinking } }: Model): Readonly<Record<string, unknown>> {
  return thinking.adaptive ? { type: "adaptive" } : { type: "enabled", budget_tokens: 4096 };
}
