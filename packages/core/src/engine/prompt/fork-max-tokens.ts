import { findModel } from "../../models/table.js";
import type { CallParameters } from "./request-builder.js";

export interface ForkOutput {
  /** What the answer itself may have. */
  readonly outputTokens: number;
  /** What the window leaves beside the prompt. Default: no limit that anybody knows. */
  readonly room?: number | undefined;
}

/** What servers whose limits nobody knows are asked for: most grant that much. */
const CAUTIOUS_TOKENS = 8192;

/**
 * `max_tokens` of a call beside the conversation: what its answer needs, and what the conversation lets the model
 * think, whatever the conversation's own answers may have. Only a thinking budget is part of the cache key.
 */
export function forkMaxTokens(
  parameters: CallParameters,
  { outputTokens, room = Infinity }: ForkOutput,
): number {
  const { model, max_tokens: own } = parameters;
  const known = findModel(model);
  if (known === undefined) {
    return within(room, Math.max(own, Math.min(outputTokens, CAUTIOUS_TOKENS)));
  }
  const wanted = Math.min(outputTokens + thinkingTokens(parameters), known.maxOutputTokens);
  return countsAnswer(model) ? within(room, wanted) : wanted;
}

/** Whether a request whose answer might not fit into the window is refused, as far as anybody knows. */
export const countsAnswer = (model: string): boolean =>
  findModel(model)?.capabilities.refusesInputPlusMaxTokens ?? true;

const within = (room: number, tokens: number): number => Math.max(1, Math.min(tokens, room));

/** What the model may think before it answers: its budget, or without one as much as the conversation allows. */
function thinkingTokens({ model, thinking, max_tokens: own }: CallParameters): number {
  const type = thinking?.["type"];
  if (type === "enabled") return thinkingBudget(thinking);
  const isOff = type === undefined && findModel(model)?.capabilities.thinking.disabled !== "no";
  return type === "disabled" || isOff ? 0 : own;
}

/** A request has to ask for more than this; 0 where there is no budget. */
export const thinkingBudget = (thinking: CallParameters["thinking"]): number => {
  const budget = thinking?.["type"] === "enabled" ? thinking["budget_tokens"] : undefined;
  return typeof budget === "number" ? budget : 0;
};
