/** Dollars per million tokens. */
export interface Prices {
  readonly input: number;
  readonly output: number;
  readonly cacheRead: number;
  readonly cacheWrite5m: number;
  readonly cacheWrite1h: number;
}

/** Which tokenizer generation counts the text: the same words cost about 30% more on `newer`. */
export type TokenizerGeneration = "older" | "newer";

export interface ThinkingSupport {
  /** `thinking.type: "enabled"` with a budget. */
  readonly enabled: boolean;
  readonly adaptive: boolean;
  /** `up-to-high-effort`: accepted unless `output_config.effort` asks for more than `high`. */
  readonly disabled: "yes" | "no" | "up-to-high-effort";
  readonly betweenTools: boolean;
  /** Thinking blocks are bound to everything before them: an edited prefix makes them invalid. */
  readonly boundToPrefix: boolean;
  /** Thinking of earlier turns stays in the context; otherwise a plain user turn strips it. */
  readonly keptAcrossTurns: boolean;
}

export interface ImageLimits {
  readonly maxTokens: number;
  readonly maxLongEdge: number;
  /** Images in one request. */
  readonly maxCount: number;
}

export interface ModelCapabilities {
  readonly thinking: ThinkingSupport;
  /** `tool_choice` of type `tool` or `any`. */
  readonly forcedToolChoice: boolean;
  /** `role: "system"` inside `messages`. */
  readonly systemMessages: boolean;
  /** A request may end with an assistant message to be continued. */
  readonly assistantPrefill: boolean;
  /** Server-side context edits (`clear_tool_uses`, `clear_thinking`). */
  readonly contextEdits: boolean;
  /** Server-written compaction blocks. */
  readonly compactionBlocks: boolean;
  /** Input plus `max_tokens` beyond the window is refused instead of cut off. */
  readonly refusesInputPlusMaxTokens: boolean;
  readonly images: ImageLimits;
}

export interface Model {
  readonly id: string;
  readonly contextWindow: number;
  readonly maxOutputTokens: number;
  /** Shorter prefixes are not cached, without an error. */
  readonly minimumCachePrefix: number;
  readonly tokenizer: TokenizerGeneration;
  readonly prices: Prices;
  /** Prices of a request whose prompt is longer than `above` tokens. */
  readonly longPrompt?: { readonly above: number; readonly prices: Prices };
  readonly capabilities: ModelCapabilities;
}
