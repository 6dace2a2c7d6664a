import type { QuerySource } from "../../messages/call/query-source.js";
import { isMainThread, trackedAs } from "../../messages/call/query-source.js";
import type { ModelRequest, ToolDefinition } from "../../messages/call/request.js";
import { sendable, type SendableRequest } from "../../messages/call/sendable-request.js";
import type { RequestMessage } from "../../messages/content.js";
import { bindsThinkingOf } from "../../models/table.js";
import type { placeCachedEdits } from "../clear/cached-edits-request.js";
import type { PinnedEdit } from "../clear/cached-edits.js";
import type { ProviderCapabilities } from "../ports/capabilities.js";
import { addWrite, renewWrite, writesWithin, type CacheWrite } from "./cache-writes.js";
import { placeMarkers, type BlockPosition, type Ttl } from "./markers.js";
import type { SystemLayout } from "./system-blocks.js";
import type { ToolListing } from "./tool-list.js";

type PlaceEdits = typeof placeCachedEdits;

/** What a request says besides its prompt. Everything here but `max_tokens` is part of the cache key. */
export interface CallParameters {
  readonly model: string;
  readonly max_tokens: number;
  readonly thinking?: Readonly<Record<string, unknown>>;
  readonly effort?: string;
  readonly tool_choice?: Readonly<Record<string, unknown>>;
  readonly context_management?: object;
  /** Further fields of the body. They never replace what stands above. */
  readonly extraBody?: Readonly<Record<string, unknown>>;
  readonly betas?: readonly string[];
}

export interface RequestParts {
  readonly source: QuerySource;
  readonly parameters: CallParameters;
  readonly system: SystemLayout;
  readonly tools: Pick<ToolListing, "tools" | "hasMcp">;
  /** As the normaliser gives them. */
  readonly messages: readonly RequestMessage[];
  readonly capabilities: ProviderCapabilities;
  readonly ttl: Ttl;
  /** Deletions inside the cached prefix, for providers that have them. */
  readonly pinnedEdits?: readonly PinnedEdit[];
  /** `placeCachedEdits`, for a provider that deletes results inside its cache. */
  readonly placeEdits?: PlaceEdits | undefined;
  /** False for no markers at all. */
  readonly isCachingOn?: boolean;
}

/**
 * Everything in the cache key of a request as it was sent, and where it wrote: what a call beside the
 * conversation needs in order to read the same prefix. A value: nothing in it changes when the conversation
 * goes on.
 */
export interface CacheSafeParams {
  readonly source: QuerySource;
  readonly tools: readonly ToolDefinition[];
  readonly system: SystemLayout;
  /** As the normaliser gave them. */
  readonly messages: readonly RequestMessage[];
  readonly pinnedEdits: readonly PinnedEdit[];
  readonly placeEdits: PlaceEdits | undefined;
  readonly parameters: CallParameters;
  readonly capabilities: ProviderCapabilities;
  readonly ttl: Ttl;
  readonly isStaticShared: boolean;
  readonly isCachingOn: boolean;
  /** What it and the requests before it left in the cache, oldest first. */
  readonly writes: readonly CacheWrite[];
}

/** A request that is ready to be sent. */
export interface BuiltRequest {
  readonly source: QuerySource;
  readonly request: SendableRequest;
  /** Sorted, each once. */
  readonly betas: readonly string[];
  readonly markers: number;
  /** Where the marker in the messages stands; undefined where there is none. */
  readonly messageMarker?: BlockPosition;
  readonly params: CacheSafeParams;
  /** Set for a call beside the conversation: how many messages are those of the shared request. */
  readonly fork?: { readonly prefixMessages: number };
}

/** Builds the requests of one conversation. What it remembers, by query source, is where the last write was. */
export interface RequestBuilder {
  build(parts: RequestParts): BuiltRequest;
  /**
   * A request was answered: what it marked is in the cache now. A fork that was answered only renews what it
   * read.
   */
  answered(
    built: BuiltRequest,
    answer: { readonly messageId: string; /** When the request began. */ readonly at: number },
  ): void;
  /** What the last answered request of this source was made of; undefined before the first. */
  cacheSafeParams(source: QuerySource): CacheSafeParams | undefined;
  /**
   * Only the first messages of a source are still what they were: 0 at /clear and at a full compaction, more
   * where a compaction or a clearing leaves a beginning in place.
   */
  keepPrefix(source: QuerySource, messages: number): void;
  /** A request that changed nothing read the last write of a source: a keep-alive. */
  refreshed(source: QuerySource, at: number): void;
}

/** What the last answered request was made of: which prefix is cached, and where it was written. A value. */
export interface LastAnswer {
  readonly params: CacheSafeParams;
  readonly messageId: string;
}

/** What is known after a request was answered. */
export function answeredBy(
  built: BuiltRequest,
  { messageId, at }: { readonly messageId: string; /** When the request began. */ readonly at: number },
): LastAnswer {
  const { params, messageMarker: position } = built;
  const writes =
    position === undefined ? params.writes : addWrite(params.writes, { position, ttl: params.ttl, at });
  return { params: { ...params, writes }, messageId };
}

/** What is known after a write was read again at a place. */
const renewedAt = (last: LastAnswer, position: BlockPosition, at: number): LastAnswer => ({
  ...last,
  params: { ...last.params, writes: renewWrite(last.params.writes, { position, at }) },
});

/** What is known where only the first messages are still what they were. */
export function withPrefix(last: LastAnswer, messages: number): LastAnswer {
  const writes = writesWithin(last.params.writes, messages);
  const kept = last.params.messages.slice(0, messages);
  // A beginning that ends with a response may lack the results of its calls.
  while (kept.at(-1)?.role === "assistant") kept.pop();
  return { ...last, params: { ...last.params, messages: kept, writes } };
}

/** Sources that are remembered; a subagent that has ended needs no more. */
const MOST_SOURCES = 32;

/** Builds the requests of one conversation, each with the bytes of the one before where nothing changed. */
export function createRequestBuilder(): RequestBuilder {
  const last = new Map<QuerySource, LastAnswer>();
  /** Which messages a source had when a request was built: answers to earlier ones come too late. */
  const windows = new Map<QuerySource, object>();
  const builtIn = new WeakMap<CacheSafeParams, object | undefined>();
  const remember = (key: QuerySource, answer: LastAnswer): void => {
    last.delete(key);
    last.set(key, answer);
    const oldest = [...last.keys()].find((source) => !isMainThread(source));
    if (last.size > MOST_SOURCES && oldest !== undefined) last.delete(oldest);
  };
  return {
    build(parts) {
      const key = trackedAs(parts.source);
      const built = buildRequest(parts, last.get(key));
      builtIn.set(built.params, windows.get(key));
      return built;
    },
    answered(built, answer) {
      const { params, messageMarker: position, fork } = built;
      const key = trackedAs(params.source);
      const known = last.get(key);
      if (fork !== undefined) {
        if (known !== undefined && position !== undefined)
          last.set(key, renewedAt(known, position, answer.at));
        return;
      }
      if (builtIn.has(params) && builtIn.get(params) !== windows.get(key)) return;
      remember(key, answeredBy(built, answer));
    },
    cacheSafeParams: (source) => last.get(trackedAs(source))?.params,
    keepPrefix(source, messages) {
      const key = trackedAs(source);
      windows.set(key, {});
      const known = last.get(key);
      if (known !== undefined) last.set(key, withPrefix(known, messages));
    },
    refreshed(source, at) {
      const key = trackedAs(source);
      const known = last.get(key);
      const write = known?.params.writes.at(-1);
      if (known !== undefined && write !== undefined) last.set(key, renewedAt(known, write.position, at));
    },
  };
}

/** The request that goes on where the last answered one ended. */
export function buildRequest(parts: RequestParts, before: LastAnswer | undefined): BuiltRequest {
  const { source, parameters, capabilities, ttl, pinnedEdits, placeEdits, isCachingOn = true } = parts;
  const params: CacheSafeParams = {
    source,
    tools: parts.tools.tools,
    system: parts.system,
    messages: parts.messages,
    pinnedEdits: pinnedEdits ?? [],
    placeEdits,
    parameters,
    capabilities,
    ttl,
    isStaticShared: !parts.tools.hasMcp,
    isCachingOn,
    writes: before?.params.writes ?? [],
  };
  const lastWrite = params.writes.at(-1)?.position;
  return assemble(params, {
    messages: params.messages,
    source,
    ...(lastWrite === undefined ? {} : { lastWrite }),
    // The provider is asked for its own word on a miss.
    ...(capabilities.cacheDiagnostics && isCachingOn
      ? { diagnostics: { previous_message_id: before?.messageId ?? null } }
      : {}),
  });
}

interface Assembly {
  readonly source: QuerySource;
  readonly messages: readonly RequestMessage[];
  readonly lastWrite?: BlockPosition;
  readonly skipCacheWrite?: boolean;
  readonly ownTtl?: Ttl;
  readonly maxTokens?: number;
  readonly diagnostics?: { readonly previous_message_id: string | null };
}

/** Markers and fields in their fixed order, the messages last: what stays the same comes first. */
export function assemble(params: CacheSafeParams, assembly: Assembly): BuiltRequest {
  const { parameters, capabilities, ttl, isStaticShared, isCachingOn, tools, system, pinnedEdits } = params;
  const { source, lastWrite, skipCacheWrite, ownTtl, maxTokens, diagnostics } = assembly;
  // Results carry references from the start, so that an edit later changes no byte before it.
  const messages =
    capabilities.cacheEdits && params.placeEdits !== undefined
      ? (params.placeEdits(assembly.messages, { pinned: pinnedEdits }) as readonly RequestMessage[])
      : assembly.messages;
  const marked = placeMarkers(
    { tools, system, messages },
    {
      capabilities: isCachingOn ? capabilities : { ...capabilities, caching: "none" },
      ttl: offeredTtl(capabilities, ttl),
      isStaticShared,
      ...(lastWrite === undefined ? {} : { lastWrite }),
      ...(skipCacheWrite === undefined ? {} : { skipCacheWrite }),
      ...(ownTtl === undefined ? {} : { ownTtl: offeredTtl(capabilities, ownTtl) }),
    },
  );
  const { model, max_tokens, thinking, effort, tool_choice } = parameters;
  const extraBody = withoutReserved(parameters.extraBody);
  const context_management = capabilities.contextEdits ? parameters.context_management : undefined;
  const request: ModelRequest = {
    ...extraBody,
    model,
    max_tokens: maxTokens ?? max_tokens,
    ...(thinking === undefined ? {} : { thinking }),
    ...(effort === undefined ? {} : { output_config: { ...outputConfig(extraBody), effort } }),
    ...(tool_choice === undefined ? {} : { tool_choice }),
    ...(context_management === undefined ? {} : { context_management }),
    ...(diagnostics === undefined ? {} : { diagnostics }),
    ...(marked.tools.length === 0 ? {} : { tools: marked.tools }),
    ...(marked.system.length === 0 ? {} : { system: marked.system }),
    messages: marked.messages,
  };
  const { messageMarker } = marked;
  return {
    source,
    request: sendable(request),
    betas: betasOf(params, messages),
    markers: marked.markers,
    ...(messageMarker === undefined ? {} : { messageMarker }),
    params,
  };
}

/** Goes with the request for a provider's own summary, and with every request that carries one. */
export const COMPACTION_BETA = "compact-2026-09-04";

/**
 * Sorted, each once. Where a provider's own summary may be asked for later its beta goes along from the start:
 * betas are part of the cache key, and one that comes in the middle would lose what is cached.
 */
function betasOf(
  { parameters, capabilities }: CacheSafeParams,
  messages: readonly RequestMessage[],
): readonly string[] {
  const isBound = bindsThinkingOf(parameters.model) === true;
  const carries = messages[0]?.content[0]?.type === "compaction";
  const own = carries || (isBound && capabilities.compactionBlocks) ? [COMPACTION_BETA] : [];
  return [...new Set([...(parameters.betas ?? []), ...own])].toSorted();
}

const offeredTtl = ({ ttls }: ProviderCapabilities, ttl: Ttl): Ttl => (ttls.includes(ttl) ? ttl : "5m");

const reserved: ReadonlySet<string> = new Set([
  "model",
  "max_tokens",
  "messages",
  "system",
  "tools",
  "thinking",
  "tool_choice",
  "context_management",
  "cache_control",
  "diagnostics",
  "stream",
]);

/** Further fields: none of those that are decided here. */
const withoutReserved = (extraBody: CallParameters["extraBody"] = {}): Readonly<Record<string, unknown>> =>
  Object.fromEntries(Object.entries(extraBody).filter(([name]) => !reserved.has(name)));

const outputConfig = (extraBody: CallParameters["extraBody"]): object => {
  const given = extraBody?.["output_config"];
  return typeof given === "object" && given !== null ? given : {};
};
