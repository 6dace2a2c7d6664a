import type { ModelResponse } from "../../messages/call/response.js";
import type { AssistantBlock } from "../../messages/content.js";
import { capabilitiesFor } from "../adapter-options.js";
import type { GivenMessage, TurnInput } from "../turn-input.js";

export const says = (text: string): GivenMessage => ({ role: "user", content: [{ type: "text", text }] });
export const answers = (text: string): GivenMessage => ({
  role: "assistant",
  content: [{ type: "text", text }],
});

/** What a framework hands over for a turn. */
export const inputOf = (messages: readonly GivenMessage[], more: Partial<TurnInput> = {}): TurnInput => ({
  model: "claude-opus-5",
  maxTokens: 1000,
  system: "Be brief.",
  tools: [],
  messages,
  capabilities: capabilitiesFor(true),
  ...more,
});

/** A whole answer of the model. */
export const response = (content: readonly AssistantBlock[]): ModelResponse => ({
  id: "msg",
  type: "message",
  role: "assistant",
  model: "claude-opus-5",
  content,
  stop_reason: "end_turn",
  stop_sequence: null,
  usage: { input_tokens: 10, output_tokens: 5 },
});
