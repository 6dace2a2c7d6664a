import type { Model, ModelRequest } from "@palimpsest/core";
import { TOOL_PROMPT_TOKENS } from "../tokens/block-tokens.js";
import { ttlOf, type BlockReader, type Ttl } from "./block-facts.js";
import { isFields, type Fields } from "../fields.js";
import { digest } from "./digest.js";
import { isServerResult, isThinking, type ChainEntry, type MessageChain } from "./message-chain.js";

/** One position of a prompt: a tool, a system block, or a content block of a message. */
export interface Position {
  readonly path: string;
  /** Names the prefix that ends here in the cache. */
  readonly key: string;
  /** Tokens of that prefix. */
  readonly tokens: number;
}

export interface Breakpoint {
  /** Counted over the whole prompt. */
  readonly index: number;
  readonly ttl: Ttl;
}

/** A prompt as the cache sees it: positions from the first tool to the last block, and breakpoints among them. */
export interface Prompt {
  readonly positions: number;
  /** How many of them are tools and system blocks. */
  readonly headPositions: number;
  at(index: number): Position;
  /** From the last to the first. */
  readonly breakpoints: readonly Breakpoint[];
  readonly totalTokens: number;
  /** What the prefix of each section depends on besides its own content. */
  readonly scopes: { readonly tools: string; readonly system: string; readonly messages: string };
  /** The content of tools and system, for telling what changed. */
  readonly toolsDigest: string;
  readonly systemDigest: string;
}

export interface PromptParts {
  readonly request: ModelRequest;
  readonly chain: MessageChain;
  readonly model: Model;
  readonly workspace: string;
  readonly betas: readonly string[];
  readonly blocks: BlockReader;
}

interface HeadPosition {
  readonly path: string;
  readonly digest: string;
  readonly tokens: number;
  readonly marker: Ttl | undefined;
  readonly section: "tools" | "system";
}

/** Lays a request out as positions. Costs the tools, the system prompt and the markers, not the messages. */
export function layOutPrompt(parts: PromptParts): Prompt {
  const { request, chain } = parts;
  const head = headPositions(parts);
  const headTokens = head.at(-1)?.tokens ?? 0;
  const lastTool = head.findLast((position) => position.section === "tools");
  const last = chain.entries.at(-1);
  const scopes = scopesOf(parts, last);
  const toolsDigest = lastTool?.digest ?? "";
  const systemDigest = digest(
    head
      .filter(({ section }) => section === "system")
      .map((item) => item.digest)
      .join(),
  );
  const messagesPrefix = `${head.at(-1)?.digest ?? ""} ${scopes.messages}`;
  const messageBlocks = last === undefined ? 0 : last.blocksBefore + last.blocks.length;
  const prompt: Prompt = {
    positions: head.length + messageBlocks,
    headPositions: head.length,
    at(index) {
      const inHead = head[index];
      if (inHead !== undefined) {
        return {
          path: inHead.path,
          tokens: inHead.tokens,
          key: digest(`${inHead.digest} ${scopes[inHead.section]}`),
        };
      }
      const { entry, message, block } = placeOf(chain, index - head.length);
      return {
        path: `messages.${message}.content.${block}`,
        tokens: headTokens + (entry.tokens[block] ?? 0),
        key: digest(`${entry.digests[block] ?? ""} ${messagesPrefix}`),
      };
    },
    breakpoints: [],
    totalTokens: headTokens + (last?.totalTokens ?? 0) + forcedTokens(request),
    scopes,
    toolsDigest,
    systemDigest,
  };
  const explicit = [
    ...messageBreakpoints(chain, head.length),
    ...head
      .flatMap(({ marker }, index) => (marker === undefined ? [] : [{ index, ttl: marker }]))
      .toReversed(),
  ];
  const automatic = automaticBreakpoint(request, chain, head.length);
  const hasMarker = explicit.length > 0 || automatic !== undefined;
  const breakpoints = [
    ...(automatic === undefined || explicit.some(({ index }) => index === automatic.index)
      ? []
      : [automatic]),
    ...explicit,
    ...(hasMarker ? serverResultBreakpoints(chain, head.length, explicit) : []),
  ].toSorted((a, b) => b.index - a.index);
  return { ...prompt, breakpoints };
}

function headPositions({ request, blocks, model }: PromptParts): readonly HeadPosition[] {
  const positions: HeadPosition[] = [];
  let current = "head";
  let tokens = 0;
  const add = (block: unknown, path: string, section: HeadPosition["section"]): void => {
    const facts = blocks.read(block, { role: section, model });
    current = digest(current + section + facts.digest);
    tokens += facts.tokens;
    positions.push({ path, digest: current, tokens, marker: facts.marker, section });
  };
  // Deferred tools are no part of the prompt until something refers to them.
  const tools = (request.tools ?? []).filter((tool) => tool["defer_loading"] !== true);
  if (tools.length > 0) tokens += TOOL_PROMPT_TOKENS.free;
  for (const [index, tool] of tools.entries()) add(tool, `tools.${index}`, "tools");
  const system: unknown = request.system;
  const list = typeof system === "string" ? (system === "" ? [] : [{ type: "text", text: system }]) : system;
  for (const [index, block] of (Array.isArray(list) ? list : []).entries())
    add(block, `system.${index}`, "system");
  return positions;
}

/** What a forced choice adds to the hidden prompt; it stands after everything that is cached. */
function forcedTokens({ tool_choice, tools }: ModelRequest): number {
  const isForced = tool_choice?.["type"] === "any" || tool_choice?.["type"] === "tool";
  return isForced && (tools ?? []).length > 0 ? TOOL_PROMPT_TOKENS.forced - TOOL_PROMPT_TOKENS.free : 0;
}

/** What each section's prefix depends on: the invalidation table of the API, as keys. */
function scopesOf(
  { request, model, workspace, betas }: PromptParts,
  last: ChainEntry | undefined,
): Prompt["scopes"] {
  const tools = digest(JSON.stringify([workspace, model.id]));
  const outputConfig = isFields(request["output_config"]) ? request["output_config"] : {};
  const system = digest(
    JSON.stringify([tools, request["speed"] ?? "standard", toggles(request), last?.hasCitations === true]),
  );
  const { block_binding: _binding, ...thinking } = isFields(request.thinking)
    ? request.thinking
    : ({} as Fields);
  const messages = digest(
    JSON.stringify([
      system,
      toolChoice(request),
      last?.hasImage === true,
      thinking,
      outputConfig["effort"] ?? "high",
      betas.toSorted(),
      request["context_management"] ?? null,
      outputConfig["format"] ?? request["output_format"] ?? null,
    ]),
  );
  return { tools, system, messages };
}

/** The choice with its defaults left out: made explicit they change nothing. */
function toolChoice({ tool_choice }: ModelRequest): unknown {
  const { type = "auto", disable_parallel_tool_use: isSerial, ...rest } = tool_choice ?? {};
  return { type, ...rest, ...(isSerial === true ? { isSerial } : {}) };
}

/** Web search and web fetch: each on or off. */
function toggles(request: ModelRequest): readonly boolean[] {
  const tools = request.tools ?? [];
  const offers = (prefix: string): boolean => tools.some((tool) => (tool.type ?? "").startsWith(prefix));
  return [offers("web_search"), offers("web_fetch")];
}

function placeOf(
  chain: MessageChain,
  block: number,
): { readonly entry: ChainEntry; readonly message: number; readonly block: number } {
  let low = 0;
  let high = chain.entries.length - 1;
  while (low < high) {
    const middle = (low + high + 1) >> 1;
    if ((chain.entries[middle]?.blocksBefore ?? 0) <= block) low = middle;
    else high = middle - 1;
  }
  const entry = chain.entries[low];
  if (entry === undefined) throw new RangeError("no such position");
  return { entry, message: low, block: block - entry.blocksBefore };
}

/** Explicit markers in the messages, from the last to the first. */
function* markedBlocks(chain: MessageChain): Generator<{ entry: ChainEntry; block: number }> {
  let at = chain.entries.at(-1)?.lastBreakpoint ?? -1;
  while (at >= 0) {
    const entry = chain.entries[at];
    if (entry === undefined) return;
    for (let block = entry.blocks.length - 1; block >= 0; block -= 1) yield { entry, block };
    at = chain.entries[at - 1]?.lastBreakpoint ?? -1;
  }
}

function messageBreakpoints(chain: MessageChain, offset: number): readonly Breakpoint[] {
  const found: Breakpoint[] = [];
  for (const { entry, block } of markedBlocks(chain)) {
    const ttl = entry.blocks[block]?.marker;
    if (ttl !== undefined) found.push({ index: offset + entry.blocksBefore + block, ttl });
  }
  return found;
}

/** Once a request has a marker, what server tools returned gets breakpoints of its own. */
function serverResultBreakpoints(
  chain: MessageChain,
  offset: number,
  explicit: readonly Breakpoint[],
): readonly Breakpoint[] {
  const found: Breakpoint[] = [];
  for (const { entry, block } of markedBlocks(chain)) {
    const index = offset + entry.blocksBefore + block;
    const isMarked = explicit.some((breakpoint) => breakpoint.index === index);
    if (!isMarked && isServerResult(entry.blocks[block]?.type ?? "")) found.push({ index, ttl: "5m" });
  }
  return found;
}

/** The top-level marker: on the last block that can hold one. */
function automaticBreakpoint(
  request: ModelRequest,
  chain: MessageChain,
  offset: number,
): Breakpoint | undefined {
  const ttl = ttlOf(request.cache_control);
  if (ttl === undefined) return undefined;
  for (let at = chain.entries.length - 1; at >= 0; at -= 1) {
    const entry = chain.entries[at];
    const block = entry?.blocks.findLastIndex((facts) => !isThinking(facts.type)) ?? -1;
    if (entry !== undefined && block >= 0) return { index: offset + entry.blocksBefore + block, ttl };
  }
  return offset > 0 ? { index: offset - 1, ttl } : undefined;
}
