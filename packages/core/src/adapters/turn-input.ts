import type { ModelRequest, ToolDefinition } from "../messages/call/request.js";
import type { ModelResponse } from "../messages/call/response.js";
import type { AssistantBlock, UserBlock } from "../messages/content.js";
import type { Fields } from "../messages/fields.js";
import type { ProviderCapabilities } from "../engine/ports/capabilities.js";

/** A message of a framework's list in our words. */
export type GivenMessage =
  | {
      readonly role: "user";
      readonly content: readonly UserBlock[];
      readonly isMeta?: boolean;
      /** Stays word for word through every compaction: what the framework says as the system. */
      readonly isPinned?: boolean;
    }
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
  /** As the Messages API has them, as far as the framework says; `toolChoice` and `format` are the caller's own. */
  readonly thinking?: Fields | undefined;
  readonly toolChoice?: Fields | undefined;
  /** What answers are to look like; undefined for plain words. */
  readonly format?: unknown;
  readonly capabilities: ProviderCapabilities;
  readonly signal?: AbortSignal | undefined;
  /**
   * Makes a call beside the conversation, for summaries, once; rejects as the framework's client does. A request on the
   * conversation's own cache takes along what the caller set, but for what `request` leaves out.
   */
  readonly ask?: (request: ModelRequest, signal: AbortSignal | undefined) => Promise<ModelResponse>;
}
