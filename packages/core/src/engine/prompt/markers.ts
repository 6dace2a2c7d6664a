import type { CacheControl, ContentBlock, RequestMessage, TextBlock } from "../../messages/content.js";
import type { ToolDefinition } from "../../messages/call/request.js";
import { noteOrigin, originOf } from "../../messages/list-origin.js";
import type { ProviderCapabilities } from "../ports/capabilities.js";
import type { SystemLayout } from "./system-blocks.js";

/** A content block of a request, by the index of its message and its own. */
export interface BlockPosition {
  readonly message: number;
  readonly block: number;
}

/** The parts of a request that can carry markers, still without any. */
export interface UnmarkedParts {
  readonly tools: readonly ToolDefinition[];
  readonly system: SystemLayout;
  readonly messages: readonly RequestMessage[];
}

export type Ttl = "5m" | "1h";

export interface MarkerOptions {
  readonly capabilities: Pick<ProviderCapabilities, "caching" | "maxMarkers" | "lookback" | "cacheScopes">;
  /** Of the markers on tools, system prompt and what the main thread wrote. */
  readonly ttl: Ttl;
  /** Of a fork's own marker; default `ttl`. */
  readonly ownTtl?: Ttl;
  /** The last block that a marker of an answered request stood on. */
  readonly lastWrite?: BlockPosition | undefined;
  /** Reads what is there and writes nothing: the marker stays on `lastWrite`. */
  readonly skipCacheWrite?: boolean;
  /** The static part may be shared beyond the organisation: no tool of a server is in the list. */
  readonly isStaticShared?: boolean;
}

/** The same parts with markers; everything that carries none is the same object as before. */
export interface MarkedParts {
  readonly tools: readonly ToolDefinition[];
  readonly system: readonly TextBlock[];
  readonly messages: readonly RequestMessage[];
  /** Where the marker in the messages stands: once the request is answered, the last write. */
  readonly messageMarker?: BlockPosition;
  readonly markers: number;
}

/** How many blocks a turn may add before a second marker is needed: two fewer than the lookback, to be safe. */
const SPARE_BLOCKS = 2;

/**
 * At most `maxMarkers` markers: end of the static and of the dynamic system prompt, last tool, and one in the
 * messages. Where a turn added more blocks than a marker looks back over, a second one stands where the last
 * write was, and the one on the tools yields if there is no room.
 */
export function placeMarkers(parts: UnmarkedParts, options: MarkerOptions): MarkedParts {
  const { capabilities, ttl, lastWrite, skipCacheWrite = false } = options;
  // The lifetimes of one request may only become shorter.
  const ownTtl = ttl === "5m" ? ttl : (options.ownTtl ?? ttl);
  const { tools, system, messages } = parts;
  if (capabilities.caching !== "markers" || capabilities.maxMarkers < 1) {
    return { tools, system: system.blocks, messages, markers: 0 };
  }
  const known = lastWrite !== undefined && isMarkable(blockAt(messages, lastWrite)) ? lastWrite : undefined;
  const own = skipCacheWrite ? undefined : lastMarkable(messages);
  const isFar =
    known !== undefined &&
    own !== undefined &&
    blocksBetween(messages, known, own) > capabilities.lookback - SPARE_BLOCKS;
  const second = own === undefined || isFar ? known : undefined;
  const inMessages = [
    ...(second === undefined ? [] : [{ at: second, ttl }]),
    ...(own === undefined ? [] : [{ at: own, ttl: isSamePosition(own, known) ? ttl : ownTtl }]),
  ].slice(-capabilities.maxMarkers);
  const room = capabilities.maxMarkers - inMessages.length;
  const inSystem = systemMarkers(system, options).slice(0, room);
  const lastTool = tools.findLastIndex((tool) => tool["defer_loading"] !== true);
  const hasToolMarker = lastTool !== -1 && inSystem.length < room;
  const marker = markerFor(ttl);
  const messageMarker = own ?? known;
  return {
    tools: hasToolMarker ? tools.with(lastTool, markedOf(tools[lastTool], marker)) : tools,
    system: inSystem.reduce<readonly TextBlock[]>(
      (blocks, { at, marker }) => blocks.with(at, markedOf(blocks[at], marker)),
      system.blocks,
    ),
    messages: markMessages(messages, inMessages),
    ...(messageMarker === undefined ? {} : { messageMarker }),
    markers: inMessages.length + inSystem.length + (hasToolMarker ? 1 : 0),
  };
}

/** The end of the whole prompt first: it covers everything before it. */
function systemMarkers(
  { staticEnd, end }: SystemLayout,
  { capabilities, ttl, isStaticShared = false }: MarkerOptions,
): readonly { readonly at: number; readonly marker: CacheControl }[] {
  const isShared = isStaticShared && capabilities.cacheScopes;
  const ofStatic =
    staticEnd === undefined
      ? []
      : [
          {
            at: staticEnd,
            marker: isShared ? { ...markerFor(ttl), scope: "global" as const } : markerFor(ttl),
          },
        ];
  if (end === undefined || end === staticEnd) return ofStatic;
  return [{ at: end, marker: markerFor(ttl) }, ...ofStatic];
}

/** Five minutes is the default and has no field. */
const markerFor = (ttl: Ttl): CacheControl =>
  ttl === "1h" ? { type: "ephemeral", ttl } : { type: "ephemeral" };

/** Marked copies, so that a tool or block that is marked again is the same object again. */
const markedCopies = new WeakMap<object, Map<string, object>>();

/** Whoever marks something has found it there. */
function markedOf<T extends object>(found: T | undefined, marker: CacheControl): T {
  const unmarked = found as T;
  const key = `${marker.ttl ?? ""} ${marker.scope ?? ""}`;
  const copies = markedCopies.get(unmarked) ?? new Map<string, object>();
  markedCopies.set(unmarked, copies);
  const marked = (copies.get(key) as T | undefined) ?? { ...unmarked, cache_control: marker };
  copies.set(key, marked);
  return marked;
}

/** One copy of the list for all markers in it. */
function markMessages(
  messages: readonly RequestMessage[],
  markers: readonly { readonly at: BlockPosition; readonly ttl: Ttl }[],
): readonly RequestMessage[] {
  const [first] = markers;
  if (first === undefined) return messages;
  const marked = messages.slice();
  for (const { at, ttl } of markers) {
    const message = marked[at.message];
    const block = message?.content[at.block];
    if (message === undefined || block === undefined) continue;
    const blocks: readonly ContentBlock[] = message.content;
    const content = blocks.with(at.block, markedOf(block, markerFor(ttl)));
    marked[at.message] = { ...message, content } as RequestMessage;
  }
  const origin = originOf(messages);
  if (origin === undefined) return marked;
  return noteOrigin(marked, { ...origin, settled: Math.min(origin.settled, first.at.message) });
}

const blockAt = (
  messages: readonly RequestMessage[],
  { message, block }: BlockPosition,
): ContentBlock | undefined => messages[message]?.content[block];

/** A block that the API takes a marker on. */
function isMarkable(block: { readonly type: string } | undefined): boolean {
  if (block === undefined) return false;
  if (block.type === "text") return (block as TextBlock).text.trim() !== "";
  return !["thinking", "redacted_thinking", "cache_edits"].includes(block.type);
}

export const isSamePosition = (a: BlockPosition, b: BlockPosition | undefined): boolean =>
  a.message === b?.message && a.block === b.block;

/** The last block up to a message that a marker can stand on. */
export function lastMarkable(
  messages: readonly RequestMessage[],
  from = messages.length - 1,
): BlockPosition | undefined {
  for (let message = from; message >= 0; message -= 1) {
    const content: readonly ContentBlock[] = messages[message]?.content ?? [];
    const block = content.findLastIndex(isMarkable);
    if (block !== -1) return { message, block };
  }
  return undefined;
}

/** How many blocks a later position lies after an earlier one. */
function blocksBetween(messages: readonly RequestMessage[], from: BlockPosition, to: BlockPosition): number {
  let blocks = to.block - from.block;
  for (let index = from.message; index < to.message; index += 1)
    blocks += messages[index]?.content.length ?? 0;
  return blocks;
}
