import type { AssistantMessage, CompactBoundary, Message } from "../../messages/message.js";
import { isCompactBoundary, isSyntheticError, preservedSegmentOf } from "../../messages/predicates.js";
import { isClearedResult } from "../clear/cleared-result.js";
import { removesContent, type MicrocompactBoundary } from "../clear/microcompact-boundary.js";
import { isMediaBoundary, type MediaBoundary } from "../media/media-boundary.js";
import type { Estimator } from "./estimator.js";
import { readUsage, type CountedUsage } from "./growth.js";

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
  /** System prompt and tools as the last response showed them, to hand to the meter of a changed conversation. */
  readonly shownOverhead: number;
}

/** Tokens of system prompt and tools: as a response showed them, or estimated before the first one. */
export const headTokens = ({ overhead, shownOverhead }: ContextSize): number =>
  shownOverhead === 0 ? overhead : shownOverhead;

/** Measures a growing conversation: each call costs what is new. */
export interface ContextMeter {
  append(messages: readonly Message[]): ContextSize;
}

export interface ContextMeterOptions {
  readonly estimator: Estimator & {
    /** Where the estimator learns: its estimates in the model's own tokens, and what a response showed. */
    readonly scaled?: (tokens: number) => number;
    readonly observe?: (growth: { readonly estimated: number; readonly actual: number }) => void;
  };
  /** Tokens of the system prompt and the tools, until a response shows them. */
  readonly overhead?: number;
}

/** The response whose usage counts, from its first piece on. */
interface Anchor {
  readonly id: string;
  readonly inputTokens: number;
  /** Undefined while only placeholders were seen: then its own pieces are estimated. */
  outputTokens: number | undefined;
  /** The estimate of its pieces. */
  ownEstimate: number;
  /** The estimate of everything that is not part of it and came after its first piece. */
  since: number;
  /** The estimate of everything before it. */
  readonly before: number;
  /** Nothing but the results of its calls so far: then the next response shows how good the estimate was. */
  isPlain: boolean;
}

class FoldingMeter implements ContextMeter {
  readonly #estimator: ContextMeterOptions["estimator"];
  #overhead: number;
  /** Whether a response showed the overhead, rather than the caller. */
  #isShown = false;
  /** The estimate of every message that is in the context. */
  #total = 0;
  #anchor: Anchor | undefined;
  /** Results that came already cleared: what a boundary behind them says of them has happened. */
  readonly #cleared = new Set<string>();
  /** Kept messages are on their way, up to this one: their usage is older than the boundary. */
  #keptFrom: string | undefined;
  #keptUntil: string | undefined;

  constructor({ estimator, overhead = 0 }: ContextMeterOptions) {
    this.#estimator = estimator;
    this.#overhead = overhead;
  }

  append(messages: readonly Message[]): ContextSize {
    for (const message of messages) this.#take(message);
    return this.#size();
  }

  #take(message: Message): void {
    if (isCompactBoundary(message)) this.#takeBoundary(message);
    if (removesContent(message)) this.#takeClearing(message);
    if (isMediaBoundary(message)) this.#takeReplacement(message);
    if (message.uuid === this.#keptFrom) this.#keptFrom = undefined;
    const isKept = this.#keptUntil !== undefined && this.#keptFrom === undefined;
    if (message.uuid === this.#keptUntil) this.#keptUntil = undefined;
    const tokens = this.#estimator.message(message);
    if (message.type === "user") this.#noteCleared(message.message?.content);
    if (message.type === "assistant" && !isSyntheticError(message) && !isKept) {
      this.#takeResponse(message, tokens);
    } else if (this.#anchor !== undefined) {
      this.#anchor.since += tokens;
      this.#anchor.isPlain &&= message.type !== "attachment" && message.type !== "assistant";
    }
    this.#total += tokens;
  }

  /** Usage from before does not count. What was kept does: before the boundary, or behind it. */
  #takeBoundary(boundary: CompactBoundary): void {
    const segment = preservedSegmentOf(boundary);
    this.#anchor = undefined;
    if (segment?.anchorUuid === null) return;
    this.#total = 0;
    this.#keptFrom = segment?.headUuid;
    this.#keptUntil = segment?.tailUuid;
  }

  #noteCleared(content: unknown): void {
    if (!Array.isArray(content)) return;
    for (const block of content) {
      if (block?.type === "tool_result" && isClearedResult(block)) this.#cleared.add(block.tool_use_id);
    }
  }

  /**
   * Usage from before a clearing does not describe what is there now, but for that of a provider which tells of
   * its own clearing in the response that has it behind it. Where the results came cleared already, the
   * overhead was taken against less than the responses had read: it held what was cleared.
   */
  #takeClearing({ microcompactMetadata }: MicrocompactBoundary): void {
    const { variant, tokensBefore, tokensAfter, toolUseIds } = microcompactMetadata;
    const freed = Math.max(0, tokensBefore - tokensAfter);
    const cameCleared = toolUseIds.some((id) => this.#cleared.has(id));
    if (cameCleared) {
      if (this.#isShown) this.#overhead = Math.max(0, this.#overhead - this.#scaled(freed));
    } else this.#total = Math.max(0, this.#total - freed);
    if (variant !== "api-native") this.#anchor = undefined;
    else if (this.#anchor !== undefined) this.#showOverhead(this.#anchor, this.#anchor.before - freed);
  }

  /** Images that became text: as with a clearing whose results came cleared. */
  #takeReplacement({ mediaMetadata: { tokensBefore = 0, tokensAfter = 0 } }: MediaBoundary): void {
    const freed = Math.max(0, tokensBefore - tokensAfter);
    if (this.#isShown) this.#overhead = Math.max(0, this.#overhead - this.#scaled(freed));
    this.#anchor = undefined;
  }

  #takeResponse(message: AssistantMessage, tokens: number): void {
    const { id, usage, stop_reason } = message.message ?? {};
    const counted = readUsage(usage);
    const anchor = this.#anchor;
    if (anchor !== undefined && id === anchor.id) {
      anchor.ownEstimate += tokens;
      if (typeof stop_reason === "string") anchor.outputTokens = counted?.outputTokens ?? anchor.outputTokens;
    } else if (counted !== undefined) {
      this.#moveAnchor({ id, counted, isEnded: typeof stop_reason === "string", tokens });
    } else if (anchor !== undefined) {
      anchor.since += tokens;
      anchor.isPlain = false;
    }
  }

  #moveAnchor(next: {
    readonly id: string;
    readonly counted: CountedUsage;
    readonly isEnded: boolean;
    readonly tokens: number;
  }): void {
    const { inputTokens, outputTokens } = next.counted;
    const before = this.#anchor;
    if (before?.outputTokens !== undefined && before.isPlain && before.since > 0) {
      const actual = inputTokens - before.inputTokens - before.outputTokens;
      this.#estimator.observe?.({ estimated: before.since, actual });
    }
    this.#anchor = {
      id: next.id,
      inputTokens,
      outputTokens: next.isEnded ? outputTokens : undefined,
      ownEstimate: next.tokens,
      since: 0,
      before: this.#total,
      isPlain: true,
    };
    this.#showOverhead(this.#anchor, this.#total);
  }

  #showOverhead({ inputTokens }: Anchor, messages: number): void {
    this.#overhead = Math.max(0, inputTokens - this.#scaled(Math.max(0, messages)));
    this.#isShown = true;
  }

  #scaled(tokens: number): number {
    return this.#estimator.scaled?.(tokens) ?? tokens;
  }

  #size(): ContextSize {
    const anchor = this.#anchor;
    const output = anchor?.outputTokens ?? 0;
    const unreported = anchor !== undefined && anchor.outputTokens === undefined ? anchor.ownEstimate : 0;
    const reported = anchor === undefined ? 0 : anchor.inputTokens + output;
    const estimated = this.#scaled(anchor === undefined ? this.#total : anchor.since + unreported);
    const overhead = anchor === undefined ? this.#overhead : 0;
    return {
      tokens: reported + overhead + estimated,
      padded: reported + overhead + this.#estimator.pad(estimated),
      reported,
      estimated,
      overhead,
      shownOverhead: this.#overhead,
    };
  }
}

/**
 * A meter for a conversation that grows at its end. For any other change, make a new one, and hand it the
 * `shownOverhead` of the old.
 */
export function createContextMeter(options: ContextMeterOptions): ContextMeter {
  return new FoldingMeter(options);
}
