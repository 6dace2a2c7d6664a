import type { AssistantMessage, CompactBoundary, Message } from "../../messages/message.js";
import { answersEarlierContext } from "../../messages/late-answer.js";
import {
  isCompactBoundary,
  isSyntheticError,
  isThinkingBlock,
  preservedSegmentOf,
} from "../../messages/predicates.js";
import { isClearedResult } from "../boundaries/cleared-result.js";
import { removesContent, type ClearingBoundary } from "../boundaries/clearing-boundary.js";
import { isMediaBoundary, type MediaBoundary } from "../boundaries/media-boundary.js";
import type { Estimator } from "../ports/estimator.js";
import { readUsage, type CountedUsage } from "./growth.js";
import { createMeasuredSizes, type MeasuredSizes } from "./measured-sizes.js";

export interface ContextSize {
  /** Tokens now in the context: what the API last reported plus the estimate of what came since. */
  readonly tokens: number;
  /** The same with the estimated part padded, for comparing with a limit. */
  readonly padded: number;
  /** What the API reported; 0 where nothing of it counts any more. */
  readonly reported: number;
  readonly estimated: number;
  /** System prompt and tools, as far as they are not part of what was reported. */
  readonly overhead: number;
  /**
   * System prompt and tools, as a response showed them or estimated before the first one: to hand to the meter of a changed
   * conversation.
   */
  readonly shownOverhead: number;
  /** All messages by themselves: measured where a response has shown them, else estimated. */
  readonly messageTokens: number;
}

/** Measures a growing conversation: each call costs what is new. */
export interface ContextMeter {
  append(messages: readonly Message[]): ContextSize;
  /** The API has refused the messages so far as having so many tokens, system prompt and tools included. */
  refused(tokens: number): ContextSize;
  /** System prompt and tools are estimated at so many tokens from here on. */
  useHead(tokens: number): ContextSize;
  /** Whether a response has shown what system prompt and tools have. */
  readonly isOverheadShown: boolean;
  /** Whether the size is what the API has refused. */
  readonly isRefused: boolean;
}

export interface ContextMeterOptions {
  readonly estimator: Estimator;
  /** Tokens of the system prompt and the tools, until a response shows them. */
  readonly overhead?: number;
  /** Whether responses have shown that figure. Default: no, it is an estimate. */
  readonly isOverheadShown?: boolean;
  /** What `useHead` was told of the same conversation before. */
  readonly head?: number;
  /** Whether what is read now is read for the first time. Default: it is. */
  readonly canMeasure?: () => boolean;
  /** Told of messages whose size is known now and differs from what was said of them. */
  readonly onMeasured?: (messages: readonly Message[]) => void;
}

/** The response whose usage counts, from its first piece on. */
interface Anchor {
  readonly id: string | undefined;
  readonly inputTokens: number;
  /** Undefined while only placeholders were seen: then its own pieces are estimated. */
  outputTokens: number | undefined;
  readonly own: Message[];
}

/** A kept response: its usage is older than the boundary before it, and shows growth, not size. */
interface OldAnchor {
  readonly id: string;
  readonly reported: number;
  readonly since: Message[];
  isTrue: boolean;
}

/** By how much system prompt and tools may differ from their estimate: beyond that it is the messages. */
const HEAD_DOUBT = 0.35;
/** By how much messages may exceed theirs where nobody knows system prompt and tools: beyond that it is those. */
const MESSAGE_DOUBT = 0.4;

class FoldingMeter implements ContextMeter {
  readonly #estimator: MeasuredSizes;
  readonly #options: ContextMeterOptions;
  #overhead: number;
  /** Whether a response showed the overhead, rather than the caller. */
  #isShown: boolean;
  /** System prompt and tools by estimate; 0 where nobody knows them. */
  #head: number;
  #total = 0;
  #anchor: Anchor | undefined;
  #old: OldAnchor | undefined;
  /** Not part of the anchor, and newer than it; without one, of what changed last: the next response shows them. */
  #open: Message[] = [];
  /** All of those are as the next response will read them. */
  #isOpenTrue = true;
  /** Results that came already cleared: what a boundary after them says of them has happened. */
  readonly #cleared = new Set<string>();
  /** Summary and kept messages are on their way, up to this one: their usage is older than the boundary. */
  #keptUntil: string | undefined;

  constructor(options: ContextMeterOptions) {
    this.#estimator = createMeasuredSizes(options.estimator);
    this.#options = options;
    this.#overhead = options.overhead ?? 0;
    this.#isShown = options.isOverheadShown ?? false;
    this.#head = options.head ?? 0;
  }

  get isOverheadShown(): boolean {
    return this.#isShown;
  }

  get isRefused(): boolean {
    return this.#anchor !== undefined && this.#anchor.id === undefined;
  }

  append(messages: readonly Message[]): ContextSize {
    for (const message of messages) this.#take(message);
    return this.#size();
  }

  refused(tokens: number): ContextSize {
    this.#showInput(tokens);
    this.#anchor = { id: undefined, inputTokens: tokens, outputTokens: 0, own: [] };
    this.#closeOpen();
    return this.#size();
  }

  useHead(tokens: number): ContextSize {
    if (!this.#isShown) this.#overhead = tokens;
    else this.#overhead = overheadAt(tokens, { overhead: this.#overhead, head: this.#head });
    this.#head = tokens;
    return this.#size();
  }

  #take(message: Message): void {
    if (isCompactBoundary(message)) this.#takeBoundary(message);
    if (removesContent(message)) this.#takeClearing(message);
    if (isMediaBoundary(message)) this.#takeReplacement(message);
    const isKept = this.#keptUntil !== undefined;
    this.#total += this.#estimator.message(message);
    const isAltered = this.#isAltered(message);
    if (isKept) this.#takeKept(message, isAltered);
    if (isAltered) this.#isOpenTrue = false;
    if (message.type === "assistant" && !isSyntheticError(message) && !isKept) this.#takeResponse(message);
    else this.#open.push(message);
    if (message.uuid !== this.#keptUntil) return;
    this.#keptUntil = undefined;
    this.#old = undefined;
  }

  /** Usage from before does not count. What was kept does: before the boundary, or after it. */
  #takeBoundary(boundary: CompactBoundary): void {
    const segment = preservedSegmentOf(boundary);
    this.#anchor = undefined;
    if (segment?.anchorUuid === null) return this.#closeOpen();
    this.#total = 0;
    this.#closeOpen();
    this.#keptUntil = segment?.tailUuid;
  }

  #closeOpen(): void {
    this.#open = [];
    this.#isOpenTrue = true;
  }

  /** From one kept response to the next: how much the messages between them have. */
  #takeKept(message: Message, isAltered: boolean): void {
    const old = this.#old;
    const usage = message.type === "assistant" ? message.message?.usage : undefined;
    const counted = message.type === "assistant" && !isSyntheticError(message) ? readUsage(usage) : undefined;
    if (message.type !== "assistant" || counted === undefined) {
      old?.since.push(message);
      if (old !== undefined) old.isTrue &&= !isAltered;
      return;
    }
    const { id, stop_reason } = message.message;
    if (id === old?.id) return;
    const grown = counted.inputTokens - (old?.reported ?? 0);
    if (old?.isTrue === true && grown > 0) this.#measure(old.since, grown);
    const isTrue = typeof stop_reason === "string";
    this.#old = { id, reported: counted.inputTokens + counted.outputTokens, since: [], isTrue };
  }

  #isAltered(message: Message): boolean {
    let isAltered = false;
    const content: unknown = message.type === "user" ? message.message?.content : undefined;
    if (!Array.isArray(content)) return isAltered;
    for (const block of content) {
      if (block?.type !== "tool_result" || !isClearedResult(block)) continue;
      this.#cleared.add(block.tool_use_id);
      isAltered = true;
    }
    return isAltered;
  }

  /**
   * Usage from before a clearing does not describe what is there now, but for that of a provider which tells of
   * its own clearing in the response that has it after it. Where the results came cleared already, the
   * overhead was taken against less than the responses had read: it held what was cleared.
   */
  #takeClearing({ microcompactMetadata }: ClearingBoundary): void {
    const { variant, tokensBefore, tokensAfter, toolUseIds } = microcompactMetadata;
    const freed = Math.max(0, tokensBefore - tokensAfter);
    if (!toolUseIds.some((id) => this.#cleared.has(id))) this.#total = Math.max(0, this.#total - freed);
    else this.#lowerUnsureOverhead(freed);
    if (variant !== "api-native") this.#dropAnchor();
  }

  /** Images that became text: as with a clearing whose results came cleared. */
  #takeReplacement({ mediaMetadata: { tokensBefore = 0, tokensAfter = 0 } }: MediaBoundary): void {
    this.#lowerUnsureOverhead(Math.max(0, tokensBefore - tokensAfter));
    this.#dropAnchor();
  }

  /** What was reported is not there any more; what is open is read by the next response as it stands now. */
  #dropAnchor(): void {
    this.#anchor = undefined;
    this.#isOpenTrue = true;
  }

  /**
   * An overhead that was told apart from the messages by nobody may hold what is gone now. In a list that is gone
   * through again it was told before the change.
   */
  #lowerUnsureOverhead(freed: number): void {
    const isFirst = this.#options.canMeasure?.() !== false;
    if (isFirst && this.#isShown && this.#head === 0) this.#overhead = Math.max(0, this.#overhead - freed);
  }

  #takeResponse(message: AssistantMessage): void {
    const { id, usage, stop_reason } = message.message ?? {};
    const counted = answersEarlierContext(message) ? undefined : readUsage(usage);
    const isEnded = typeof stop_reason === "string";
    const anchor = this.#anchor;
    if (anchor !== undefined && id === anchor.id) {
      anchor.own.push(message);
      if (isEnded) anchor.outputTokens = counted?.outputTokens ?? anchor.outputTokens;
    } else if (counted !== undefined) {
      this.#moveAnchor(message, isEnded ? counted : { inputTokens: counted.inputTokens });
    } else this.#open.push(message);
  }

  #moveAnchor(
    message: AssistantMessage,
    { inputTokens, outputTokens }: Pick<CountedUsage, "inputTokens"> & Partial<CountedUsage>,
  ): void {
    const own = this.#estimator.message(message);
    // What it reports is what stood before it.
    this.#total -= own;
    this.#showInput(inputTokens);
    this.#total += own;
    this.#anchor = { id: message.message.id, inputTokens, outputTokens, own: [message] };
    this.#closeOpen();
  }

  /** Everything so far has so many tokens: what is open has what the rest leaves. */
  #showInput(inputTokens: number): void {
    const anchor = this.#anchor;
    if (anchor !== undefined) {
      this.#measureOwn(anchor);
      if (anchor.outputTokens === undefined) return;
      this.#measureOpen(inputTokens - anchor.inputTokens - anchor.outputTokens);
      return;
    }
    const open = this.#open.reduce((sum, message) => sum + this.#estimator.message(message), 0);
    const settled = this.#total - open;
    if (!this.#isShown) {
      this.#isShown = true;
      const rest = Math.max(0, inputTokens - this.#total);
      if (this.#head > 0 && this.#isOpenTrue) this.#overhead = near(rest, this.#head);
      else {
        this.#overhead = rest > open * MESSAGE_DOUBT ? rest : 0;
        if (this.#overhead > 0) return;
      }
    }
    this.#measureOpen(inputTokens - this.#overhead - settled);
  }

  #measureOpen(tokens: number): void {
    if (this.#isOpenTrue && tokens > 0) this.#measure(this.#open, tokens);
  }

  /** A response without thinking is what it reported as its output. */
  #measureOwn({ own, outputTokens }: Anchor): void {
    if (outputTokens === undefined || own.some(holdsThinking)) return;
    this.#measure(own, outputTokens);
  }

  #measure(messages: readonly Message[], tokens: number): void {
    if (this.#options.canMeasure?.() === false) return;
    const { difference, changed } = this.#estimator.measure(messages, tokens);
    this.#total += difference;
    if (changed.length > 0) this.#options.onMeasured?.(changed);
  }

  #size(): ContextSize {
    const anchor = this.#anchor;
    const sum = (messages: readonly Message[]): number =>
      messages.reduce((tokens, message) => tokens + this.#estimator.message(message), 0);
    const reported = anchor === undefined ? 0 : anchor.inputTokens + (anchor.outputTokens ?? 0);
    const own = anchor === undefined || anchor.outputTokens !== undefined ? [] : anchor.own;
    const estimated = anchor === undefined ? this.#total : sum(this.#open) + sum(own);
    const unsure = sum([...this.#open, ...own].filter((message) => !this.#estimator.isMeasured(message)));
    const overhead = anchor === undefined ? this.#overhead : 0;
    return {
      tokens: reported + overhead + estimated,
      padded: reported + overhead + Math.max(0, estimated - unsure) + this.#estimator.pad(unsure),
      reported,
      estimated,
      overhead,
      shownOverhead: this.#overhead,
      messageTokens: this.#total,
    };
  }
}

const holdsThinking = (message: Message): boolean => {
  const content: unknown = message.type === "assistant" ? message.message.content : undefined;
  return Array.isArray(content) && content.some(isThinkingBlock);
};

const near = (tokens: number, head: number): number =>
  Math.round(Math.min(head * (1 + HEAD_DOUBT), Math.max(head * (1 - HEAD_DOUBT), tokens)));

/**
 * What a response has shown of system prompt and tools, once they are estimated at so many tokens. What it left for them
 * before anybody knew them is a guess: the messages may have been estimated wrong, and the prompt have been another one.
 */
export const overheadAt = (
  tokens: number,
  { overhead, head }: { readonly overhead: number; readonly head: number },
): number => (head > 0 ? Math.max(0, overhead + tokens - head) : near(overhead, tokens));

/**
 * A meter for a conversation that grows at its end. For any other change, make a new one, and hand it the
 * `shownOverhead` of the old.
 */
export function createContextMeter(options: ContextMeterOptions): ContextMeter {
  return new FoldingMeter(options);
}
