import type { AssistantBlock, ToolResultBlock, ToolUseBlock, UserBlock } from "../../messages/content.js";
import type { AssistantMessage, Message, UserMessage } from "../../messages/message.js";
import { isPinned } from "../../messages/pinned.js";
import { isHumanMessage, isSyntheticError, isThinkingBlock } from "../../messages/predicates.js";
import type { Estimator } from "../ports/estimator.js";
import { CLEARED_RESULT_TEXT, clearBlock, isClearedResult } from "../boundaries/cleared-result.js";
import type { CompactableTools } from "../tools/compactable-tools.js";
import { fileReadsOf, showsFile, type FileRead } from "../tools/file-reads.js";
import {
  isLocalClearing,
  isClearingBoundary,
  type ClearingBoundary,
} from "../boundaries/clearing-boundary.js";
import { ShownFiles } from "./shown-files.js";
import { TokenLine, type Mark } from "./token-line.js";

/** One result of a compactable tool, as it stands now. */
export interface IndexedResult {
  /** Of the call: `tool_use.id`. */
  readonly id: string;
  readonly toolName: string;
  /** Which call, counted as they came. */
  readonly order: number;
  /** The message that holds the call. */
  readonly callUuid: string;
  /** The message that holds the call, counted as they came. */
  readonly callMessage: number;
  readonly block: ToolResultBlock;
  readonly tokens: number;
  /** Tokens of everything before it. */
  readonly tokensBefore: number;
  /** The files that it shows. */
  readonly reads: readonly FileRead[];
  /** Every file in it was read again later, in full, and that read is still there. */
  readonly isDuplicate: boolean;
}

/** The tool results of a growing conversation. Each call of `append` costs what is new. */
export interface ResultIndex {
  /**
   * Takes messages at the end, stored originals or live ones alike: a boundary of a clearing among them marks
   * what it cleared. For any other change of the list make a new index.
   */
  append(messages: readonly Message[]): void;
  /** The estimator knows better now what these messages have. Costs what they hold, and the results where one moved. */
  remeasure(messages: readonly Message[]): void;
  /** Tokens of all messages, by the estimator. */
  readonly totalTokens: number;
  /** Results of compactable tools that are not cleared: their number and their tokens. */
  readonly activeCount: number;
  readonly activeTokens: number;
  /** Those, in the order of their calls. */
  active(): readonly IndexedResult[];
  /** Those from the newest to the oldest, each looked at only when it is asked for. */
  newestFirst(): Iterable<IndexedResult>;
  /**
   * The active ones but for the newest `keep`, for what the model has not answered to yet, and for those in
   * `except` (which do not count among the newest either).
   */
  clearable(keep: number, except?: ReadonlySet<string>): readonly IndexedResult[];
  /** Whether a call of the newest response still lacks its result. */
  readonly hasOpenCalls: boolean;
  /** When the newest response came, in milliseconds since the epoch. */
  readonly lastResponseAt: number | undefined;
  /** Tokens of thinking in the messages after this one. */
  thinkingBehind(message: number): number;
  /** Files that nobody shows any more once these results are gone, as the host names them. */
  filesLostWith(ids: ReadonlySet<string>): readonly string[];
}

export interface ResultIndexOptions {
  readonly estimator: Estimator;
  readonly tools: CompactableTools;
  /** The name under which the read-state knows a path. Default: the path as the call wrote it. */
  readonly resolvePath?: ((path: string) => string) | undefined;
}

interface Entry {
  readonly id: string;
  readonly toolName: string;
  readonly order: number;
  readonly callUuid: string;
  readonly callMessage: number;
  /** Of a tool whose results may go, and not pinned. */
  isCompactable: boolean;
  readonly named: readonly FileRead[];
  result: { readonly block: ToolResultBlock; readonly mark: Mark } | undefined;
  reads: readonly FileRead[];
  isCleared: boolean;
  /** The id stands at more than one call or result: it cannot be cleared by its name. */
  isAmbiguous: boolean;
}

/** A smaller difference changes no decision. */
const WORTH_MOVING = 0.05;

const isActive = (entry: Entry): boolean =>
  entry.result !== undefined && !entry.isCleared && !entry.isAmbiguous;

class FoldingResultIndex implements ResultIndex {
  readonly #estimator: Estimator;
  readonly #tools: CompactableTools;
  readonly #resolvePath: (path: string) => string;
  readonly #line = new TokenLine();
  readonly #entries = new Map<string, Entry>();
  /** Compactable calls that are not cleared, in their order; results may still be on their way. */
  #candidates: Entry[] = [];
  readonly #shown = new ShownFiles();
  #thinking: { readonly mark: Mark; readonly behindStart: number }[] = [];
  readonly #open = new Set<string>();
  #responseId: unknown;
  /** Calls before this one have been answered to by a later response. */
  #answeredTo = 0;
  #calls = 0;
  #messages = 0;
  #activeCount = 0;
  #activeTokens = 0;
  #lastResponseAt: number | undefined;

  constructor({ estimator, tools, resolvePath }: ResultIndexOptions) {
    this.#estimator = estimator;
    this.#tools = tools;
    this.#resolvePath = resolvePath ?? ((path) => path);
  }

  get totalTokens(): number {
    return this.#line.total;
  }
  get activeCount(): number {
    return this.#activeCount;
  }
  get activeTokens(): number {
    return this.#activeTokens;
  }
  get hasOpenCalls(): boolean {
    return this.#open.size > 0;
  }
  get lastResponseAt(): number | undefined {
    return this.#lastResponseAt;
  }

  append(messages: readonly Message[]): void {
    for (const message of messages) {
      if (message.type === "user") this.#takeUser(message);
      else if (message.type === "assistant" && !isSyntheticError(message)) this.#takeAssistant(message);
      else if (isClearingBoundary(message)) this.#takeBoundary(message);
      else this.#line.add(this.#estimator.message(message));
      this.#messages += 1;
    }
  }

  remeasure(messages: readonly Message[]): void {
    const sizes = new Map<Mark, number>();
    for (const message of messages) {
      const content: unknown = message.type === "user" ? message.message?.content : undefined;
      for (const block of Array.isArray(content) ? (content as readonly UserBlock[]) : []) {
        const entry = block?.type === "tool_result" ? this.#entries.get(block.tool_use_id) : undefined;
        if (entry?.result === undefined || entry.result.block !== block || !isActive(entry)) continue;
        const { mark } = entry.result;
        const tokens = this.#estimator.block(block);
        if (Math.abs(tokens - mark.tokens) <= mark.tokens * WORTH_MOVING) continue;
        if (entry.isCompactable) this.#activeTokens += tokens - mark.tokens;
        sizes.set(mark, tokens);
      }
    }
    if (sizes.size > 0) this.#line.resize(sizes);
  }

  active(): readonly IndexedResult[] {
    return this.#candidates.flatMap((entry) => this.#view(entry) ?? []);
  }

  *newestFirst(): Generator<IndexedResult> {
    for (let at = this.#candidates.length - 1; at >= 0; at -= 1) {
      const entry = this.#candidates[at];
      const view = entry === undefined ? undefined : this.#view(entry);
      if (view !== undefined) yield view;
    }
  }

  #view(entry: Entry): IndexedResult | undefined {
    if (!isActive(entry) || entry.result === undefined) return undefined;
    const { block, mark } = entry.result;
    return {
      id: entry.id,
      toolName: entry.toolName,
      order: entry.order,
      callUuid: entry.callUuid,
      callMessage: entry.callMessage,
      block,
      tokens: mark.tokens,
      tokensBefore: mark.before,
      reads: entry.reads,
      isDuplicate: this.#shown.isReplaced(entry, entry.reads),
    };
  }

  clearable(keep: number, except?: ReadonlySet<string>): readonly IndexedResult[] {
    const entries = this.#candidates.filter((entry) => isActive(entry) && except?.has(entry.id) !== true);
    return entries
      .slice(0, Math.max(0, entries.length - Math.max(0, keep)))
      .flatMap((entry) => (entry.order < this.#answeredTo ? (this.#view(entry) ?? []) : []));
  }

  thinkingBehind(message: number): number {
    const first = this.#thinking.findIndex(({ mark }) => mark.message > message);
    if (first < 0) return 0;
    const last = this.#thinking.at(-1);
    return (last?.behindStart ?? 0) + (last?.mark.tokens ?? 0) - (this.#thinking[first]?.behindStart ?? 0);
  }

  filesLostWith(ids: ReadonlySet<string>): readonly string[] {
    const lost = new Set<string>();
    for (const id of ids) {
      const entry = this.#entries.get(id);
      if (entry === undefined) continue;
      for (const { path } of entry.reads) if (!this.#shown.isShownAfter(path, entry, ids)) lost.add(path);
    }
    return [...lost];
  }

  #takeAssistant(message: AssistantMessage): void {
    const content: unknown = message.message?.content;
    this.#noteResponse(message);
    if (!Array.isArray(content)) return this.#line.add(this.#estimator.message(message));
    for (const block of content as readonly AssistantBlock[]) {
      const tokens = this.#estimator.block(block);
      if (isThinkingBlock(block)) {
        const last = this.#thinking.at(-1);
        const behindStart = last === undefined ? 0 : last.behindStart + last.mark.tokens;
        this.#thinking.push({ mark: this.#line.mark(this.#messages, tokens), behindStart });
      } else {
        if (block?.type === "tool_use") this.#takeCall(block, message);
        this.#line.add(tokens);
      }
    }
  }

  #noteResponse(message: AssistantMessage): void {
    const time = Date.parse(message.timestamp);
    if (!Number.isNaN(time)) this.#lastResponseAt = time;
    const id: unknown = message.message?.id;
    if (typeof id === "string" && id !== "" && id === this.#responseId) return;
    this.#responseId = id;
    this.#answeredTo = this.#calls;
    this.#open.clear();
  }

  /** An id that comes twice cannot be told apart from its namesake: neither is ever cleared from here on. */
  #takeCall(block: ToolUseBlock, message: AssistantMessage): void {
    if (typeof block.id !== "string") return;
    this.#open.add(block.id);
    const known = this.#entries.get(block.id);
    if (known !== undefined) {
      this.#retire(known);
      known.isAmbiguous = true;
      return;
    }
    const name: unknown = block.name;
    const toolName = typeof name === "string" ? name : "";
    const kind = this.#tools.kindOf(toolName);
    const named = kind === "file-read" ? fileReadsOf(block.input) : [];
    const entry: Entry = {
      id: block.id,
      toolName,
      order: this.#calls,
      callUuid: message.uuid,
      callMessage: this.#messages,
      isCompactable: kind !== undefined,
      named: named.map((read) => ({ ...read, path: this.#resolvePath(read.path) })),
      result: undefined,
      reads: [],
      isCleared: false,
      isAmbiguous: false,
    };
    this.#calls += 1;
    this.#entries.set(block.id, entry);
    if (entry.isCompactable) this.#candidates.push(entry);
  }

  #takeUser(message: UserMessage): void {
    const content: unknown = message.message?.content;
    // Whoever speaks while a call is open has given up on its result.
    if (isHumanMessage(message)) this.#open.clear();
    if (!Array.isArray(content)) return this.#line.add(this.#estimator.message(message));
    for (const block of content as readonly UserBlock[]) {
      if (block?.type === "tool_result") this.#takeResult(block, isPinned(message));
      else this.#line.add(this.#estimator.block(block));
    }
  }

  #takeResult(block: ToolResultBlock, isToStay: boolean): void {
    const mark = this.#line.mark(this.#messages, this.#estimator.block(block));
    const entry = this.#entries.get(block.tool_use_id);
    if (entry === undefined) return;
    this.#open.delete(entry.id);
    if (isToStay && entry.isCompactable) {
      entry.isCompactable = false;
      this.#candidates = this.#candidates.filter((other) => other !== entry);
    }
    if (entry.result !== undefined || entry.isAmbiguous) {
      this.#retire(entry);
      entry.isAmbiguous = true;
      return;
    }
    entry.result = { block, mark };
    if (isClearedResult(block)) {
      entry.isCleared = true;
      return;
    }
    if (showsFile(block)) {
      entry.reads = entry.named;
      this.#shown.add(entry, entry.reads);
    }
    if (!entry.isCompactable) return;
    this.#activeCount += 1;
    this.#activeTokens += mark.tokens;
  }

  #takeBoundary(boundary: ClearingBoundary): void {
    if (!isLocalClearing(boundary)) return;
    const { toolUseIds, texts, thinkingRemovedAfter } = boundary.microcompactMetadata;
    const sizes = new Map<Mark, number>();
    for (const id of toolUseIds) {
      const entry = this.#entries.get(id);
      if (entry?.result === undefined || entry.isCleared || entry.isAmbiguous) continue;
      const { block, mark } = entry.result;
      this.#retire(entry);
      entry.isCleared = true;
      sizes.set(mark, this.#estimator.block(clearBlock(block, texts?.[id] ?? CLEARED_RESULT_TEXT)));
    }
    if (thinkingRemovedAfter !== undefined) {
      const first = this.#placeOfCall(thinkingRemovedAfter);
      for (const { mark } of this.#thinking) if (mark.message > first) sizes.set(mark, 0);
      this.#thinking = this.#thinking.filter(({ mark }) => mark.message <= first);
    }
    this.#line.resize(sizes);
    this.#candidates = this.#candidates.filter((entry) => !entry.isCleared && !entry.isAmbiguous);
  }

  #placeOfCall(uuid: string): number {
    for (const entry of this.#entries.values()) if (entry.callUuid === uuid) return entry.callMessage;
    return -1;
  }

  /** No longer counted: cleared, or not to be told apart from another. */
  #retire(entry: Entry): void {
    if (entry.result === undefined || entry.isCleared || entry.isAmbiguous) return;
    if (entry.isCompactable) {
      this.#activeCount -= 1;
      this.#activeTokens -= entry.result.mark.tokens;
    }
    this.#shown.remove(entry, entry.reads);
    entry.reads = [];
  }
}

/** An index for a conversation that grows at its end. */
export function createResultIndex(options: ResultIndexOptions): ResultIndex {
  return new FoldingResultIndex(options);
}
