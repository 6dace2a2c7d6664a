/** The content blocks of the Messages API, as they are sent. Every type is readonly: blocks are never edited. */

export interface CacheControl {
  readonly type: "ephemeral";
  readonly ttl?: "5m" | "1h";
  /** Private to providers that share caches more widely; the default has no field. */
  readonly scope?: "global";
}

interface Markable {
  readonly cache_control?: CacheControl | null;
}

export interface TextBlock extends Markable {
  readonly type: "text";
  readonly text: string;
  readonly citations?: readonly unknown[] | null;
}

export interface ImageBlock extends Markable {
  readonly type: "image";
  readonly source:
    | { readonly type: "base64"; readonly media_type: string; readonly data: string }
    | { readonly type: "url"; readonly url: string }
    | { readonly type: "file"; readonly file_id: string };
}

export interface DocumentBlock extends Markable {
  readonly type: "document";
  readonly source: { readonly type: string; readonly [field: string]: unknown };
  readonly title?: string | null;
  readonly context?: string | null;
  readonly citations?: unknown;
}

export interface SearchResultBlock extends Markable {
  readonly type: "search_result";
  readonly source: string;
  readonly title: string;
  readonly content: readonly TextBlock[];
  readonly citations?: unknown;
}

export interface ThinkingBlock {
  readonly type: "thinking";
  readonly thinking: string;
  readonly signature: string;
}

export interface RedactedThinkingBlock {
  readonly type: "redacted_thinking";
  readonly data: string;
}

/** A call. Its input is whatever the model wrote: an object where all is well, which nobody has made sure of here. */
export interface ToolUseBlock extends Markable {
  readonly type: "tool_use";
  readonly id: string;
  readonly name: string;
  readonly input: unknown;
  readonly caller?: unknown;
}

export interface ToolReferenceBlock extends Markable {
  readonly type: "tool_reference";
  readonly tool_name: string;
}

export type ToolResultContent =
  | TextBlock
  | ImageBlock
  | DocumentBlock
  | SearchResultBlock
  | ToolReferenceBlock;

export interface ToolResultBlock extends Markable {
  readonly type: "tool_result";
  readonly tool_use_id: string;
  readonly content?: string | readonly ToolResultContent[];
  readonly is_error?: boolean;
}

/** A call that the provider itself carries out; its result stands in the same assistant message. */
export interface ServerToolUseBlock extends Markable {
  readonly type: "server_tool_use" | "mcp_tool_use";
  readonly id: string;
  readonly name: string;
  readonly input: unknown;
  readonly server_name?: string;
}

export interface ServerToolResultBlock extends Markable {
  readonly type:
    | "web_search_tool_result"
    | "web_fetch_tool_result"
    | "code_execution_tool_result"
    | "bash_code_execution_tool_result"
    | "text_editor_code_execution_tool_result"
    | "tool_search_tool_result"
    | "advisor_tool_result"
    | "mcp_tool_result";
  readonly tool_use_id: string;
  readonly content?: unknown;
}

export interface ContainerUploadBlock extends Markable {
  readonly type: "container_upload";
  readonly file_id: string;
}

/** A provider's own summary of everything before it. */
export interface CompactionBlock extends Markable {
  readonly type: "compaction";
  readonly content?: string | null;
  readonly encrypted_content?: string | null;
  readonly signature?: string | null;
}

/** What betas put into a response beside its content; it is kept as it came. */
interface SideBlock {
  readonly type: "fallback" | "mcp_tool_listing";
}

export type UserBlock =
  | TextBlock
  | ImageBlock
  | DocumentBlock
  | SearchResultBlock
  | ToolResultBlock
  | ContainerUploadBlock;

export type AssistantBlock =
  | TextBlock
  | ThinkingBlock
  | RedactedThinkingBlock
  | ToolUseBlock
  | ServerToolUseBlock
  | ServerToolResultBlock
  | ContainerUploadBlock
  | CompactionBlock
  | SideBlock;

export type ContentBlock = UserBlock | AssistantBlock;

/** One message of a request. */
export type RequestMessage = UserRequestMessage | AssistantRequestMessage;

export interface UserRequestMessage {
  readonly role: "user";
  readonly content: readonly UserBlock[];
}

export interface AssistantRequestMessage {
  readonly role: "assistant";
  readonly content: readonly AssistantBlock[];
}
