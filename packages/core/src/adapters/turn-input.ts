import type { ModelRequest, ToolDefinition } from "../messages/call/request.js";
import type { ModelResponse } from "../messages/call/response.js";
import type { AssistantBlock, UserBlock } from "../messages/content.js";
import type { ProviderCapabilities } from "../engine/prompt/capabilities.js";

/** A message of a framework's list in our words. */
export type GivenMessage =
  | { readonly role: "user"; readonly content: readonly UserBlock[]; readonly isMeta?: boolean }
  | { readonly role: "assistant"; readonly content: readonly AssistantBlock[] };

/** A request that a framework is about to make. */
export interface TurnInput {
  /** Keeps conversations apart that begin alike. */
  readonly key?: string | undefined;
  readonly model: string;
  readonly maxTokens: number;
  readonly system: string;
  readonly tools: readonly ToolDefinition[];
  /** The whole list, as the framework holds it. */
  readonly messages: readonly GivenMessage[];
  readonly capabilities: ProviderCapabilities;
  readonly signal?: AbortSignal | undefined;
  /** Makes a call beside the conversation, for summaries; rejects as the framework's client does. */
  readonly ask?: (request: ModelRequest, signal: AbortSignal | undefined) => Promise<ModelResponse>;
}
