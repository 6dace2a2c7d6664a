import { findModel } from "../../models/table.js";

/** What a provider can do with a model's prompt, as far as building requests depends on it. */
export interface ProviderCapabilities {
  /** `markers`: `cache_control` on blocks. `automatic`: the server caches by itself. */
  readonly caching: "markers" | "automatic" | "none";
  readonly maxMarkers: number;
  /** Blocks that a marker looks back over, its own included. */
  readonly lookback: number;
  /** The lifetimes that can be asked for. */
  readonly ttls: readonly ("5m" | "1h")[];
  /** `scope` on markers. */
  readonly cacheScopes: boolean;
  /** Private deletions inside the cached prefix (`cache_edits`, `cache_reference`). */
  readonly cacheEdits: boolean;
  /** The provider clears old results itself (`context_management`). */
  readonly contextEdits: boolean;
  /** Summaries that the provider writes on demand. */
  readonly compactionBlocks: boolean;
  /** `diagnostics.previous_message_id`: the provider's own word on a cache miss. */
  readonly cacheDiagnostics: boolean;
}

/** The Messages API as it is documented. */
export const messagesApiCapabilities: ProviderCapabilities = {
  caching: "markers",
  maxMarkers: 4,
  lookback: 20,
  ttls: ["5m", "1h"],
  cacheScopes: false,
  cacheEdits: false,
  contextEdits: true,
  compactionBlocks: true,
  cacheDiagnostics: true,
};

/** Markers, and nothing that needs a beta header or fields of its own. */
const markersOnly: ProviderCapabilities = {
  ...messagesApiCapabilities,
  contextEdits: false,
  compactionBlocks: false,
  cacheDiagnostics: false,
};

/** Claude on Amazon Bedrock and on Google Cloud: a lifetime of an hour is for those who ask for it. */
export const cloudCapabilities: ProviderCapabilities = { ...markersOnly, ttls: ["5m"] };

/**
 * What may be asked of whoever answers for a model, as far as its name tells: all that the API offers of a model it has, markers of
 * one that nobody knows, and less where the name is one of Bedrock (`us.anthropic.claude-…`) or Vertex (`claude-…@20250929`).
 */
export function capabilitiesOfModel(name: string): ProviderCapabilities {
  if (/anthropic\.claude|@/.test(name)) return cloudCapabilities;
  return findModel(name) === undefined ? markersOnly : messagesApiCapabilities;
}

/** A server with the chat-completions protocol: it caches by itself or not at all. */
export const chatCapabilities: ProviderCapabilities = {
  ...markersOnly,
  caching: "automatic",
  maxMarkers: 0,
  lookback: 0,
  ttls: [],
};
