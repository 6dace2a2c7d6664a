import type { CacheControl, RequestMessage } from "../content.js";
import type { ModelRequest } from "./request.js";

/**
 * A request as the types of the official client ask for it: `client.messages.create(request)`. Those types name lists
 * that can be changed, so these can be, although nobody changes them. Blocks and tools of betas may stand in them too:
 * a request with `betas` is for `client.beta.messages.create({ ...request, betas })`.
 */
export interface SendableRequest extends ModelRequest {
  readonly messages: SendableMessage[];
  readonly system?: string | SendableText[];
  readonly tools?: SendableTool[];
  readonly tool_choice?: SendableToolChoice;
  readonly thinking?: SendableThinking;
  /** Whether it is streamed is said by whoever sends it. */
  readonly stream?: false;
  readonly cache_control?: SendableMarker | null;
}

/** A message of such a request. */
export type SendableMessage =
  | { readonly role: "user"; readonly content: SendableUserBlock[] }
  | { readonly role: "assistant"; readonly content: SendableAssistantBlock[] };

type SendableMarker = Omit<CacheControl, "scope">;

interface Marked {
  readonly cache_control?: SendableMarker | null;
}

export interface SendableText extends Marked {
  readonly type: "text";
  readonly text: string;
}

interface SendableImage extends Marked {
  readonly type: "image";
  readonly source:
    | {
        readonly type: "base64";
        readonly media_type: "image/jpeg" | "image/png" | "image/gif" | "image/webp";
        readonly data: string;
      }
    | { readonly type: "url"; readonly url: string }
    | { readonly type: "file"; readonly file_id: string };
}

interface SendableDocument extends Marked {
  readonly type: "document";
  readonly source:
    | { readonly type: "base64"; readonly media_type: "application/pdf"; readonly data: string }
    | { readonly type: "text"; readonly media_type: "text/plain"; readonly data: string }
    | { readonly type: "content"; readonly content: string | (SendableText | SendableImage)[] }
    | { readonly type: "url"; readonly url: string }
    | { readonly type: "file"; readonly file_id: string };
  readonly title?: string | null;
  readonly context?: string | null;
}

interface SendableSearchResult extends Marked {
  readonly type: "search_result";
  readonly source: string;
  readonly title: string;
  readonly content: SendableText[];
}

interface SendableToolReference extends Marked {
  readonly type: "tool_reference";
  readonly tool_name: string;
}

interface SendableToolResult extends Marked {
  readonly type: "tool_result";
  readonly tool_use_id: string;
  readonly content?:
    | string
    | (SendableText | SendableImage | SendableDocument | SendableSearchResult | SendableToolReference)[];
  readonly is_error?: boolean;
}

export type SendableUserBlock =
  | SendableText
  | SendableImage
  | SendableDocument
  | SendableSearchResult
  | SendableToolResult;

export type SendableAssistantBlock =
  | SendableText
  | { readonly type: "thinking"; readonly thinking: string; readonly signature: string }
  | { readonly type: "redacted_thinking"; readonly data: string }
  | (Marked & {
      readonly type: "tool_use";
      readonly id: string;
      readonly name: string;
      readonly input: unknown;
    });

export interface SendableTool extends Marked {
  readonly name: string;
  readonly description?: string;
  readonly input_schema: { readonly type: "object"; readonly [field: string]: unknown };
}

type SendableToolChoice =
  | { readonly type: "auto" | "any"; readonly disable_parallel_tool_use?: boolean }
  | { readonly type: "none" }
  | { readonly type: "tool"; readonly name: string; readonly disable_parallel_tool_use?: boolean };

type SendableThinking =
  | { readonly type: "enabled"; readonly budget_tokens: number }
  | { readonly type: "adaptive" | "disabled" };

/**
 * The same request under the other type. What makes it true: messages come from the normaliser, which holds them to
 * the rules of the API, and tools and parameters are the caller's own.
 */
export const sendable = (request: ModelRequest): SendableRequest => request as unknown as SendableRequest;

/** The same for messages that were normalised. */
export const sendableMessages = (messages: readonly RequestMessage[]): SendableMessage[] =>
  messages as unknown as SendableMessage[];
